//! Lines of a text, and those that name a list of references.

use super::entry::{Line, read};
use super::names::{Certainty, named};
use crate::markdown::prose_lines;

/// A line of a text.
pub(super) struct TextLine<'t> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'t str,
    /// Whether it is no code, formula or quotation.
    pub(super) plain: bool,
}

pub(super) fn lines(text: &str) -> Vec<TextLine<'_>> {
    let mut at = 0;
    let ends = text.split_inclusive('\n').map(str::len);
    let lines = prose_lines(text).into_iter().zip(ends).map(|((line, plain), length)| {
        let start = at;
        at += length;
        TextLine { start, end: at, text: line, plain }
    });
    lines.collect()
}

/// A line that names a list.
pub(super) struct Title {
    pub(super) certainty: Certainty,
    /// The level of a heading; none for a line without marks of one.
    pub(super) level: Option<usize>,
    /// The lines that it takes.
    pub(super) lines: usize,
    /// What follows the name on its line.
    pub(super) behind: bool,
}

pub(super) fn title(lines: &[TextLine<'_>], at: usize) -> Option<Title> {
    let line = &lines[at];
    if !line.plain || line.text.starts_with("    ") || line.text.starts_with('\t') {
        return None;
    }
    let text = line.text.trim();
    if let Some((level, name)) = heading(text) {
        return named(name).map(|certainty| Title { certainty, level: Some(level), lines: 1, behind: false });
    }
    let before = at.checked_sub(1).map_or("", |before| lines[before].text.trim());
    let under = lines.get(at + 1).map_or("", |next| next.text.trim());
    if let Some(certainty) = named(text) {
        if under.len() >= 2 && ["=", "-"].iter().any(|sign| under.replace(sign, "").is_empty()) {
            return Some(Title {
                certainty,
                level: Some(if under.starts_with('=') { 1 } else { 2 }),
                lines: 2,
                behind: false,
            });
        }
        let is_item = text.starts_with(['-', '+', '|', '>']) || text.starts_with("* ");
        let apart = before.is_empty()
            || !matches!(read(before), Line::Words)
            || text.starts_with('*')
            || text.ends_with([':', '：']);
        return (!is_item && apart).then_some(Title { certainty, level: None, lines: 1, behind: false });
    }
    // `Sources: [1] …`, all in one line.
    let (name, rest) = text.split_once([':', '：'])?;
    let rest = rest.trim_matches(['*', '_', ' ']);
    // One source is that of a table or a picture.
    let is_one = ["source", "quelle", "note"].contains(&name.trim_matches(['*', '_', ' ']).to_lowercase().as_str());
    let certainty = named(name).filter(|_| !is_one)?;
    let begins =
        matches!(read(rest), Line::Entry(_)) && !rest.starts_with("[reference") && !rest.starts_with("[citation");
    (begins && before.is_empty()).then_some(Title { certainty, level: None, lines: 1, behind: true })
}

/// Level and words of a heading.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[level..];
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))).then(|| (level, rest.trim()))
}
