//! Marks in a text: what cites evidence while the text is made.

use std::ops::Range;

use graphloom_text::markdown::{code, touches};
use graphloom_text::{KeyWords, key_marks_anywhere, without_brackets, without_cut_mark};

/// How marks begin.
const WORDS: KeyWords<'_> = KeyWords { words: &["reference", "references", "ref", "refs"], numbers: false };

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

/// A text without a mark that it breaks off in.
pub(crate) fn whole_marks(text: &str) -> &str {
    without_cut_mark(text, WORDS)
}

/// A piece of a text. All pieces but the marks, one after the other, are the text as it stands.
#[derive(Debug)]
pub(super) enum Part<'t> {
    Text(&'t str),
    /// `[12]`, brackets included, that is no link.
    Number(&'t str),
    /// The ids of `[reference:a, b]`, in any spelling of [`graphloom_text::key_marks`].
    Mark(Vec<String>),
}

/// The pieces of a text. What stands in code is text, whatever it looks like.
pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut brackets = brackets(text);
    if !brackets.is_empty() {
        let code = code(&without_brackets(text, brackets.iter().map(|(range, _)| range)));
        brackets.retain(|(range, _)| !touches(range, &code));
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

/// What looks like a mark or a number in brackets, in order.
fn brackets(text: &str) -> Vec<(Range<usize>, Part<'_>)> {
    let marks = key_marks_anywhere(text, WORDS);
    let mut found: Vec<(Range<usize>, Part<'_>)> = numbers(text)
        .filter(|range| !marks.iter().any(|mark| mark.range.start < range.end && range.start < mark.range.end))
        .map(|range| (range.clone(), Part::Number(&text[range])))
        .collect();
    found.extend(marks.into_iter().map(|mark| (mark.range, Part::Mark(mark.keys))));
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Numbers in brackets that are no links.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices('[').filter_map(|(at, _)| {
        let length = text[at + 1..].find([']', '[', '\n'])?;
        let end = at + 1 + length;
        let is_number =
            is_number(&text[at + 1..end]) && text[end..].starts_with(']') && !text[end + 1..].starts_with('(');
        is_number.then_some(at..end + 1)
    })
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit())
}
