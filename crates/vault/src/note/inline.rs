//! Code, mathematics, comments, HTML and wikilinks of a text.
//!
//! The mark that opens first wins, as in Obsidian. So a wikilink is one whatever stands between its brackets, and one
//! whose brackets stand in a code span, in mathematics or in a comment is none.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::markdown::{Markdown, Part, PartKind};
use super::math::{dollars, math_block_end, math_end};
use super::ranges::{holding, touches};
use super::wikilink::{brackets, escaped};

/// A tag of HTML, or an address between `<` and `>`.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let attribute = r#"\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?"#;
    Regex::new(&format!(r"^<(?:/?[A-Za-z][A-Za-z0-9-]*(?:{attribute})*\s*/?>|[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>)")).ok()
});

/// The deepest nesting of images in images that is read.
const DEPTH_LIMIT: usize = 64;

/// What is found, each in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Wikilinks, from `[[` to `]]`.
    pub(super) links: Vec<Range<usize>>,
    pub(super) code: Vec<Range<usize>>,
    /// Mathematics and comments.
    pub(super) hidden: Vec<Range<usize>>,
    /// Tags of HTML.
    pub(super) html: Vec<Range<usize>>,
}

/// Reads the parts of a text, which are in order. `markdown` knows its blocks of code and inline links.
pub(super) fn marks(text: &str, parts: &[Part], markdown: &Markdown) -> Marks {
    let mut marks = Marks::default();
    let mut at = 0;
    for part in parts {
        at = at.max(part.span.start);
        if at < part.span.end {
            at = PartReader::new(text, part, markdown).read(at, part.span.end, &mut marks);
        }
    }
    marks
}

struct PartReader<'t> {
    text: &'t str,
    part: &'t Part,
    markdown: &'t Markdown,
    /// What may be a wikilink.
    brackets: Vec<Range<usize>>,
    /// The last run of backticks of each length, once it was asked for.
    runs: Option<BTreeMap<usize, usize>>,
    /// Where the last comment of HTML ends, once it was asked for.
    last_comment: Option<usize>,
    /// Where the cell ends that was read last.
    cell_end: usize,
    /// Where what is read now ends: the part, or the shown text of an inline link.
    end: usize,
    /// In how many inline links that is.
    depth: usize,
}

impl<'t> PartReader<'t> {
    fn new(text: &'t str, part: &'t Part, markdown: &'t Markdown) -> Self {
        let (span, brackets) = (part.span.clone(), brackets(text, part.span.clone()));
        Self { text, part, markdown, brackets, runs: None, last_comment: None, cell_end: 0, end: span.end, depth: 0 }
    }

    /// Reads from a byte on, and returns where to go on, which may be after the end.
    fn read(&mut self, mut at: usize, end: usize, marks: &mut Marks) -> usize {
        let is_html = self.part.kind == PartKind::Html;
        let outer = std::mem::replace(&mut self.end, end);
        while at < end {
            let Some(next) = self.text[at..end].find(['\\', '`', '$', '%', '<', '[']) else {
                at = end;
                break;
            };
            at += next;
            match self.text.as_bytes()[at] {
                b'\\' => {
                    let is_escape = self.text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_punctuation);
                    at += if is_escape && !is_html { 2 } else { 1 };
                }
                b'`' if !is_html => {
                    let run = backticks(self.text, at, end);
                    let close = self.code_end(at, run);
                    at = take(&mut marks.code, at, close, run);
                }
                b'$' if !is_html => {
                    let run = dollars(self.text, at, end);
                    at = take(&mut marks.hidden, at, self.math_end(at), run);
                }
                b'%' => at = take(&mut marks.hidden, at, self.comment_end(at), 1),
                b'<' => match self.html_end(at) {
                    Some((close, true)) => at = take(&mut marks.hidden, at, Some(close), 1),
                    close => at = take(&mut marks.html, at, close.map(|(close, _)| close), 1),
                },
                b'[' => at = self.brackets_end(at, marks),
                _ => at += 1,
            }
        }
        self.end = outer;
        at
    }

    /// Reads what begins with `[`: a wikilink, or an inline link with what stands in its shown text.
    fn brackets_end(&mut self, at: usize, marks: &mut Marks) -> usize {
        let wiki = holding(&self.brackets, &(at..at + 1)).filter(|link| link.start == at && link.end <= self.end);
        if let Some(link) = wiki {
            let end = link.end;
            marks.links.push(link.clone());
            return end;
        }
        let link = self.markdown.link_at(at).filter(|link| link.span.end <= self.end && self.depth < DEPTH_LIMIT);
        let Some(link) = link else { return at + 1 };
        let (shown, end) = (link.text_end.min(link.span.end), link.span.end);
        self.depth += 1;
        let read = self.read(at + 1, shown, marks);
        self.depth -= 1;
        read.max(end)
    }

    /// Where a mark has to end that begins at a byte: in a table before the next cell.
    fn limit(&mut self, at: usize) -> usize {
        if self.part.kind != PartKind::Row {
            return self.end;
        }
        if self.cell_end <= at {
            let end = self.part.span.end;
            let mut bars = self.text[at..end].match_indices('|').map(|(bar, _)| at + bar);
            self.cell_end = bars.find(|bar| !escaped(self.text, *bar)).unwrap_or(end);
        }
        self.cell_end.min(self.end)
    }

    fn code_end(&mut self, at: usize, run: usize) -> Option<usize> {
        let (text, span) = (self.text, &self.part.span);
        let runs = self.runs.get_or_insert_with(|| runs(text, span).collect());
        if runs.get(&run).is_none_or(|last| *last <= at) {
            return None;
        }
        let limit = self.limit(at + run);
        let mut from = at + run;
        while let Some(next) = text[from..limit].find('`') {
            let here = from + next;
            let count = backticks(text, here, limit);
            if count == run {
                return Some(here + count);
            }
            from = here + count;
        }
        None
    }

    fn math_end(&mut self, at: usize) -> Option<usize> {
        let limit = self.limit(at);
        let block = || {
            let is_block = self.text[at..].starts_with("$$") && self.opens_row(at);
            if is_block { math_block_end(self.text, at, &self.markdown.code) } else { None }
        };
        math_end(self.text, at, limit, &self.brackets).or_else(block)
    }

    /// A comment that begins a row may end in a later paragraph; any other ends in its own, or is none.
    fn comment_end(&mut self, at: usize) -> Option<usize> {
        if !self.text[at..].starts_with("%%") {
            return None;
        }
        let limit = if self.opens_row(at) { self.text.len() } else { self.limit(at) };
        let mut from = (at + 2).min(limit);
        while let Some(next) = self.text[from..limit].find("%%") {
            let close = from + next;
            from = close + 2;
            if !touches(&self.markdown.code, &(close..from)) {
                return Some(from);
            }
        }
        None
    }

    /// The end of a comment of HTML or of a tag, and whether it is a comment.
    fn html_end(&mut self, at: usize) -> Option<(usize, bool)> {
        let limit = self.limit(at);
        let rest = &self.text[at..limit];
        if rest.starts_with("<!--") {
            // A comment that is not closed hides the rest of its block.
            let open = (self.part.kind == PartKind::Html).then_some((limit, true));
            let span = self.part.span.clone();
            let last = *self.last_comment.get_or_insert_with(|| {
                self.text[span.clone()].rfind("-->").map_or(span.start, |close| span.start + close)
            });
            if last < at + 2 {
                return open;
            }
            return rest[2..].find("-->").map(|close| (at + 2 + close + 3, true)).or(open);
        }
        let tag = TAG.as_ref().and_then(|tag| tag.find(rest))?;
        Some((at + tag.end(), false))
    }

    /// Whether nothing but space and marks of quotes stands before a byte on its row.
    fn opens_row(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches([' ', '\t', '>', '\u{feff}']);
        self.part.kind == PartKind::Inline && (before.is_empty() || before.ends_with('\n'))
    }
}

/// Adds a mark that ends at `close` and goes on there; where it is none, goes on after its first `width` bytes.
fn take(marks: &mut Vec<Range<usize>>, at: usize, close: Option<usize>, width: usize) -> usize {
    match close {
        Some(close) => {
            marks.push(at..close);
            close
        }
        None => at + width,
    }
}

/// How many backticks stand at a byte.
fn backticks(text: &str, at: usize, limit: usize) -> usize {
    text.as_bytes()[at..limit].iter().take_while(|byte| **byte == b'`').count()
}

/// The runs of backticks of a part: the length and the place of each.
fn runs<'t>(text: &'t str, part: &Range<usize>) -> impl Iterator<Item = (usize, usize)> + use<'t> {
    let (mut at, end) = (part.start, part.end);
    std::iter::from_fn(move || {
        let here = at + text[at..end].find('`')?;
        let count = backticks(text, here, end);
        at = here + count;
        Some((count, here))
    })
}
