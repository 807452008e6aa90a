//! Wikilinks, `[[Note#Heading|shown]]`: where they stand, and what each says.

use std::ops::Range;

use super::encoding::Encoding;
use super::lines::Lines;
use super::link::{Link, LinkForm, Writing, anchor_of};

/// The bytes from `[[` to `]]` of everything in a part of the text that may be a wikilink, in order. Each `]]` ends one
/// that begins at the nearest `[[` of its row. `]]` is looked for first, so that a row of `[[[[` costs no more than
/// another.
pub(super) fn brackets(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = part.start;
    while let Some(next) = text[from..part.end].find("]]") {
        let close = from + next;
        let row = text[from..close].rfind('\n').map_or(from, |at| from + at + 1);
        if let Some(at) = text[row..close].rfind("[[") {
            found.push(row + at..close + 2);
        }
        from = close + 2;
    }
    found
}

/// The wikilinks of a text in which nothing but `\` has a meaning, as a value of the frontmatter.
pub(crate) fn wikilinks(text: &str) -> Vec<Link> {
    let lines = Lines::of("");
    let found = brackets(text, 0..text.len()).into_iter().filter(|span| !escaped(text, span.start));
    found.filter_map(|span| wikilink(text, span, &lines)).collect()
}

/// Whether an odd number of `\` stands before a byte.
pub(super) fn escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The link that stands from `[[` to `]]`; `None` where it names nothing.
pub(super) fn wikilink(text: &str, span: Range<usize>, lines: &Lines) -> Option<Link> {
    let inside = span.start + 2..span.end - 2;
    let content = &text[inside.clone()];
    let (path_and_anchor, shown) = match content.find('|') {
        Some(bar) => (content[..bar].strip_suffix('\\').unwrap_or(&content[..bar]), Some(content[bar + 1..].trim())),
        None => (content, None),
    };
    let (path, anchor) = match path_and_anchor.split_once('#') {
        Some((path, rest)) => (path, anchor_of(rest)),
        None => (path_and_anchor, None),
    };
    let target = path.trim();
    if target.is_empty() && anchor.is_none() {
        return None;
    }
    let lead = path.len() - path.trim_start().len();
    let target_start = inside.start + if target.is_empty() { 0 } else { lead };
    let embed = text[..span.start].ends_with('!');
    let start = if embed { span.start - 1 } else { span.start };
    Some(Link {
        form: LinkForm::Wiki,
        embed,
        target: target.to_owned(),
        anchor,
        shown: shown.filter(|shown| !shown.is_empty()).map(str::to_owned),
        in_frontmatter: false,
        line: lines.line_of(start),
        span: start..span.end,
        target_span: target_start..target_start + target.len(),
        writing: Writing::Plain,
        encoding: Encoding::Plain,
    })
}
