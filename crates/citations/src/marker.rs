//! Writing checked marks into a text, and reading back whether they still lead anywhere.

use graphloom_text::link_target;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::mark::{Mark, Target, marks};

/// The mark `[checked_citation:ID][[N]](URL)`.
///
/// Characters of the address that would end the mark are percent-encoded.
///
/// ```
/// assert_eq!(
///     graphloom_citations::checked_mark(0, 1, "https://a.example/x_(y)"),
///     "[checked_citation:0][[1]](https://a.example/x_%28y%29)"
/// );
/// ```
#[must_use]
pub fn checked_mark(id: u64, number: u64, url: &str) -> String {
    format!("[checked_citation:{id}][[{number}]]({})", link_target(url))
}

/// `text` with every mark replaced by what `instead` says of it; `None` removes it with the spaces before it.
///
/// Text outside marks stays byte for byte, but for the spaces and tabs directly before a removed mark.
#[must_use]
pub fn replace_marks(text: &str, mut instead: impl FnMut(&Mark) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks(text) {
        out.push_str(&text[from..mark.range.start]);
        match instead(&mark) {
            Some(new) => out.push_str(&new),
            None => out.truncate(out.trim_end_matches([' ', '\t']).len()),
        }
        from = mark.range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// The checked citations that `text` refers to, by id.
#[must_use]
pub fn checked_ids(text: &str) -> BTreeSet<u64> {
    marks(text)
        .into_iter()
        .filter_map(|mark| match mark.target {
            Target::Checked { id, .. } => Some(id),
            Target::Source(_) => None,
        })
        .collect()
}

/// The marks of `text` that no id of `known` stands for, with the bytes they take up.
#[must_use]
pub fn unresolved(text: &str, known: &BTreeSet<u64>) -> Vec<(Range<usize>, u64)> {
    marks(text)
        .into_iter()
        .filter_map(|mark| match mark.target {
            Target::Checked { id, .. } if !known.contains(&id) => Some((mark.range, id)),
            _ => None,
        })
        .collect()
}
