//! Lines of a text, and whether Markdown reads them as its own.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::math::displays;
use super::parser;

/// The lines of a text without their ends, each with whether it is plain text: no part of code, of a formula that begins a
/// line, of a comment, or of a quotation.
///
/// ````
/// let lines: Vec<(&str, bool)> = graphloom_text::markdown::prose_lines("# A\n````\n```\n# no\n````\n> # no\n");
/// let plain: Vec<&str> = lines.into_iter().filter(|(_, plain)| *plain).map(|(line, _)| line).collect();
/// assert_eq!(plain, ["# A"]);
/// ````
#[must_use]
pub fn prose_lines(text: &str) -> Vec<(&str, bool)> {
    let mut other: Vec<Range<usize>> = displays(text).into_iter().map(|display| display.range).collect();
    let blocks = parser(text).into_offset_iter().filter(|(event, range)| match event {
        Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_)) => true,
        Event::Start(Tag::HtmlBlock) => text[range.clone()].trim_start().starts_with("<!"),
        _ => false,
    });
    other.extend(blocks.map(|(_, range)| range));
    other.sort_by_key(|range| range.start);
    let mut at = 0;
    let mut covered = 0;
    let mut next = other.into_iter().peekable();
    let lines = text.split_inclusive('\n').map(|line| {
        let begin = at + line.len() - line.trim_start().len();
        at += line.len();
        while let Some(range) = next.next_if(|range| range.start <= begin.max(at - 1)) {
            covered = covered.max(range.end);
        }
        let shown = line.strip_suffix('\n').unwrap_or(line);
        (shown.strip_suffix('\r').unwrap_or(shown), covered <= begin || line.trim().is_empty() && covered < at)
    });
    lines.collect()
}
