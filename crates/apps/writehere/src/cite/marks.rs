//! Marks in a text: what cites evidence while the text is made.

use std::ops::Range;

use super::code;

/// The mark that cites evidence.
pub fn mark(id: &str) -> String {
    format!("[reference:{id}]")
}

/// The ids a text cites, in the order of first appearance.
pub fn cited_ids(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for part in split(text) {
        if let Part::Mark(marked) = part {
            for id in marked {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
    }
    ids
}

/// A text without its marks, as for counting its words.
///
/// ```
/// use graphloom_writehere::cite::without_marks;
///
/// assert_eq!(without_marks("The log comes first [reference:wal#1]."), "The log comes first .");
/// ```
pub fn without_marks(text: &str) -> String {
    let parts = split(text).into_iter().map(|part| match part {
        Part::Text(text) | Part::Number(text) => text,
        Part::Mark(_) => "",
    });
    parts.collect()
}

/// A piece of a text. All pieces but the marks, one after the other, are the text as it stands.
#[derive(Debug)]
pub(super) enum Part<'t> {
    Text(&'t str),
    /// `[12]`, brackets included, that is no link.
    Number(&'t str),
    /// The ids of `[reference:a, b]`.
    Mark(Vec<String>),
}

/// The pieces of a text. What stands in code is text, whatever it looks like.
pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut brackets = brackets(text);
    if !brackets.is_empty() {
        let code = code::ranges(&without_brackets(text, &brackets));
        brackets.retain(|(range, _)| !code::touches(range, &code));
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (range, part) in brackets {
        parts.push(Part::Text(&text[from..range.start]));
        from = range.end;
        parts.push(part);
    }
    parts.push(Part::Text(&text[from..]));
    parts
}

/// A text of the same length in which marks are words: `[ref:a]: …` would else be read as the definition of a link, which it
/// is no longer when the mark is numbered or removed.
fn without_brackets(text: &str, brackets: &[(Range<usize>, Part<'_>)]) -> String {
    let mut masked = text.to_owned();
    for (range, _) in brackets {
        for at in [range.start, range.end - 1] {
            masked.replace_range(at..=at, "x");
        }
    }
    masked
}

/// What looks like a mark or a number in brackets, in order.
fn brackets(text: &str) -> Vec<(Range<usize>, Part<'_>)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('[') {
        if at < from {
            continue;
        }
        let Some(length) = text[at + 1..].find([']', '[', '\n']) else { continue };
        let end = at + 1 + length;
        if !text[end..].starts_with(']') {
            continue;
        }
        let inner = &text[at + 1..end];
        let mut range = at..end + 1;
        let part = if is_number(inner) && !text[end + 1..].starts_with('(') {
            Part::Number(&text[range.clone()])
        } else if let Some(ids) = marked_ids(inner.strip_suffix('\\').unwrap_or(inner)) {
            // Some models write `\[reference:a\]`.
            if inner.ends_with('\\') && text[from..at].ends_with('\\') {
                range.start -= 1;
            }
            Part::Mark(ids)
        } else {
            continue;
        };
        from = range.end;
        found.push((range, part));
    }
    found
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit())
}

/// The ids of `reference:a` or `ref: a, b`. An id has no blanks, so that `[ref: Smith 2020]` is text.
fn marked_ids(inner: &str) -> Option<Vec<String>> {
    let (word, ids) = inner.split_once([':', '：'])?;
    if !["reference", "references", "ref", "refs"].contains(&word.trim().to_ascii_lowercase().as_str()) {
        return None;
    }
    let ids: Vec<String> = ids
        .split([',', ';', '，'])
        .map(|id| id.trim().trim_matches(['`', '"', '\'']))
        .filter(|id| !id.is_empty())
        .map(str::to_string)
        .collect();
    (!ids.is_empty() && !ids.iter().any(|id| id.contains(char::is_whitespace))).then_some(ids)
}
