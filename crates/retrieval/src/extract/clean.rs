//! Sentences as they can stand in another text.

use graphloom_text::{BracketedNumbers, bracketed_numbers};

/// A sentence on one line, without bracketed numbers, which would pass for citations.
#[must_use]
pub fn clean(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    without_numbers(line.trim_start_matches(['-', '*', '•', '>', ' ']))
}

/// A line without numbers in square brackets and the spaces before them.
pub(crate) fn without_numbers(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for BracketedNumbers { range, .. } in bracketed_numbers(line) {
        out.push_str(line[from..range.start].trim_end());
        from = range.end;
    }
    out.push_str(&line[from..]);
    out
}
