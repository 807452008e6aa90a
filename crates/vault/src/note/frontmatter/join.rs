//! The keys of another note's frontmatter, put into a frontmatter as they are written there.
//!
//! What comes over are lines of the other note, byte by byte: a value is never read and spelt anew. After every step the
//! text is read again; where a key would not have the value it had, the step is not made, and the key is told.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::edit::{checked, key_end, spliced};
use super::items::{joined_list, shifted};
use super::{Entry, Frontmatter, Shape};
use crate::note::lines::Style;

/// A text with the keys of another note.
#[derive(Debug)]
pub(crate) struct WithKeys {
    pub(crate) text: String,
    pub(crate) left_out: Vec<LeftOut>,
}

/// What did not come over.
#[derive(Debug)]
pub(crate) struct LeftOut {
    /// The key; empty for a whole frontmatter that cannot be read.
    pub(crate) key: String,
    /// Its lines, as they are written but for the kind of their breaks.
    pub(crate) lines: String,
    pub(crate) why: LeftOutReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOutReason {
    /// Its frontmatter is no YAML at this line.
    Broken(usize),
    /// The frontmatter that it is to come into is no YAML at this line.
    IntoBroken(usize),
    /// Both notes have the key.
    InBoth,
    /// It would not have the same value there.
    Form,
}

/// Puts the frontmatter of the note `other` into the note `text`.
pub(crate) fn with_keys_of(other: &str, text: &str) -> WithKeys {
    let mut joined = WithKeys { text: text.to_owned(), left_out: Vec::new() };
    let (source, home) = (Frontmatter::read(other), Frontmatter::read(text));
    if !source.is_present() {
        return joined;
    }
    let style = Style::of(text);
    if !home.is_present() {
        let mut block = style.breaks(&other[source.span.clone()]);
        if !block.ends_with('\n') {
            block.push_str(style.newline);
        }
        joined.text = spliced(text, home.span, &block);
        return joined;
    }
    let lines_of = |part: Range<usize>| other[part].trim_end().replace("\r\n", "\n");
    let whole = |why| LeftOut { key: String::new(), lines: lines_of(source.source.clone()), why };
    let broken = source.problem().map(|problem| LeftOutReason::Broken(problem.line));
    let into_broken = home.problem().map(|problem| LeftOutReason::IntoBroken(problem.line));
    if let Some(why) = broken.or(into_broken) {
        if !other[source.source.clone()].trim().is_empty() {
            joined.left_out.push(whole(why));
        }
        return joined;
    }
    let shift = indent(text, home.entries.first()) as isize - indent(other, source.entries.first()) as isize;
    let blocks = blocks(other, &source);
    let mut joining = Joining { other, source: &source, text: joined.text, home, style, shift };
    let (missing, others): (Vec<_>, Vec<_>) =
        blocks.iter().partition(|block| block.entry.is_some_and(|entry| !joining.has(&entry.key)));
    let mut comments = Vec::new();
    // One after the other only where they cannot come all at once, as an anchor that does not come is needed.
    let singly = if joining.add(&missing) { Vec::new() } else { missing };
    for block in singly.into_iter().chain(others) {
        match joining.take(block) {
            Ok(more) => comments.extend(more),
            Err(why) => {
                comments.extend(block.comments.iter().map(|comment| other[comment.clone()].trim().to_owned()));
                if let Some(entry) = block.entry {
                    let lines = lines_of(block.lines.clone());
                    joined.left_out.push(LeftOut { key: entry.key.clone(), lines, why });
                }
            }
        }
    }
    joined.text = with_comments(&joining.text, &comments, style);
    joined
}

/// A key of the other note, with the comments that stand before it.
pub(super) struct KeyBlock<'s> {
    /// `None` for what stands after the last key.
    pub(super) entry: Option<&'s Entry>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) lines: Range<usize>,
}

fn blocks<'s>(other: &str, source: &'s Frontmatter) -> Vec<KeyBlock<'s>> {
    let mut found = Vec::new();
    let mut at = source.source.start;
    for entry in &source.entries {
        let start = other[..entry.span.start].rfind('\n').map_or(0, |before| before + 1).max(at);
        let mut end = row_end(other, entry.span.end);
        // Empty rows after a text that keeps them belong to it.
        if matches!(entry.shape, Shape::Block | Shape::BlockScalar) && other[start..end].contains('+') {
            while end < source.source.end && other[end..row_end(other, end)].trim().is_empty() {
                end = row_end(other, end);
            }
        }
        found.push(KeyBlock { entry: Some(entry), comments: comment_rows(other, at..start), lines: start..end });
        at = end;
    }
    let comments = comment_rows(other, at..source.source.end);
    found.push(KeyBlock { entry: None, comments, lines: source.source.end..source.source.end });
    found
}

fn comment_rows(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut at = part.start;
    let rows = text[part].split_inclusive('\n').map(|row| {
        at += row.len();
        at - row.len()..at
    });
    rows.filter(|row| text[row.clone()].trim_start().starts_with('#')).collect()
}

/// The end of the row that holds a byte, after its line break.
pub(super) fn row_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |next| at + next + 1)
}

fn indent(text: &str, entry: Option<&Entry>) -> usize {
    entry.map_or(0, |entry| entry.span.start - text[..entry.span.start].rfind('\n').map_or(0, |before| before + 1))
}

/// A note that takes keys of another.
struct Joining<'s> {
    other: &'s str,
    source: &'s Frontmatter,
    text: String,
    /// The frontmatter of the text as it is now.
    home: Frontmatter,
    style: Style,
    /// How much farther the keys are indented here.
    shift: isize,
}

impl Joining<'_> {
    fn has(&self, key: &str) -> bool {
        self.home.get(key).is_some()
    }

    /// Adds keys at the end, if all of them can be added.
    fn add(&mut self, blocks: &[&KeyBlock<'_>]) -> bool {
        let rows: String = blocks.iter().map(|block| self.rows(block, &str::to_owned)).collect();
        let at = self.home.source.end;
        let edited = spliced(&self.text, at..at, &self.style.breaks(&rows));
        let after = Frontmatter::read(&edited);
        let added = blocks.iter().filter_map(|block| block.entry).map(|entry| (entry.key.as_str(), &entry.value));
        let is_whole = after.problem().is_none() && after.iter().eq(self.home.iter().chain(added));
        if is_whole {
            (self.text, self.home) = (edited, after);
        }
        is_whole
    }

    fn edit(&mut self, edited: String, key: &str, value: &Value) -> Result<(), LeftOutReason> {
        let edited = checked(&self.home, edited, key, Some(value)).map_err(|_| LeftOutReason::Form)?;
        self.home = Frontmatter::read(&edited);
        self.text = edited;
        Ok(())
    }

    /// Takes a key, and returns the comments for which there is no place in its lines.
    fn take(&mut self, block: &KeyBlock<'_>) -> Result<Vec<String>, LeftOutReason> {
        let mut comments: Vec<String> =
            block.comments.iter().map(|comment| self.other[comment.clone()].trim().to_owned()).collect();
        let Some(entry) = block.entry else { return Ok(comments) };
        let Some(own) = self.home.entries.iter().find(|own| own.key == entry.key).cloned() else {
            let at = self.home.source.end;
            return self.place(entry, block, at..at, None).map(|()| Vec::new());
        };
        let (is, was) = (raw(self.other, entry), raw(&self.text, &own));
        let more = comments_of(self.other, self.source, entry, block.lines.clone());
        if is == was || is.is_empty() {
            comments.extend(more);
            return Ok(comments);
        }
        if was.is_empty() {
            let start = self.text[..own.span.start].rfind('\n').map_or(0, |before| before + 1);
            let row = start..row_end(&self.text, own.span.end);
            let kept = comments_of(&self.text, &self.home, &own, row.clone()).pop();
            return self.place(entry, block, row, kept).map(|()| Vec::new());
        }
        let other = (self.other, self.source, entry);
        let (edited, value, kept) = joined_list(other, (&self.text, &self.home, &own), &more, self.style)?;
        self.edit(edited, &entry.key, &value)?;
        comments.extend(kept);
        Ok(comments)
    }

    /// Puts the lines of a key, and the comments before it, in place of a part.
    fn place(
        &mut self,
        entry: &Entry,
        block: &KeyBlock<'_>,
        part: Range<usize>,
        kept: Option<String>,
    ) -> Result<(), LeftOutReason> {
        let kept = kept.map(|kept| format!("{kept}\n")).unwrap_or_default();
        let with = |comment: &dyn Fn(&str) -> String| {
            let rows = format!("{kept}{}", self.rows(block, comment));
            spliced(&self.text, part.clone(), &self.style.breaks(&rows))
        };
        // After a text of several rows an indented comment would be a part of it.
        let (as_is, moved) = (with(&str::to_owned), with(&|row| row.trim_start().to_owned()));
        self.edit(as_is, &entry.key, &entry.value).or_else(|_| self.edit(moved, &entry.key, &entry.value))
    }

    /// The lines of a key with the comments before it.
    fn rows(&self, block: &KeyBlock<'_>, comment: &dyn Fn(&str) -> String) -> String {
        let comments = block.comments.iter().map(|row| comment(&self.other[row.clone()]));
        comments.chain([shifted(&self.other[block.lines.clone()], self.shift)]).collect()
    }
}

/// What is written after the colon of a key, without the comment after it.
pub(super) fn raw(text: &str, entry: &Entry) -> String {
    text.get(entry.value_start..entry.span.end).unwrap_or_default().trim().replace("\r\n", "\n")
}

/// The comments in the rows of a key.
pub(super) fn comments_of(text: &str, front: &Frontmatter, entry: &Entry, rows: Range<usize>) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = key_end(text, entry).min(rows.end);
    while let Some(next) = text[at..rows.end].find('#') {
        let here = at + next;
        let scalar = front.scalars.get(front.scalars.partition_point(|scalar| scalar.span.end <= here));
        let scalar = scalar.filter(|scalar| scalar.span.contains(&here));
        let free = text[..here].ends_with([' ', '\t', '\n']);
        match scalar {
            Some(scalar) => at = scalar.span.end,
            None if free => {
                let end = row_end(text, here).min(rows.end);
                found.push(text[here..end].trim_end().to_owned());
                at = end;
            }
            None => at = here + 1,
        }
    }
    found
}

/// The text with comments at the end of the frontmatter, those left out that it has already.
fn with_comments(text: &str, comments: &[String], style: Style) -> String {
    let home = Frontmatter::read(text);
    let mut seen: BTreeSet<String> = text[home.source.clone()].lines().map(|row| row.trim().to_owned()).collect();
    let rows: String =
        comments.iter().filter(|row| seen.insert((*row).clone())).map(|row| format!("{row}\n")).collect();
    let edited = spliced(text, home.source.end..home.source.end, &style.breaks(&rows));
    let values = |front: &Frontmatter| -> Vec<Value> { front.iter().map(|(_, value)| value.clone()).collect() };
    let after = Frontmatter::read(&edited);
    if after.problem().is_none() && values(&after) == values(&home) { edited } else { text.to_owned() }
}
