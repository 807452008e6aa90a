//! Words of a statement with their places.

use std::ops::Range;

use graphloom_text::{is_ideographic, is_katakana};

/// Words that are left out of labels and events: they stand between what counts. All words that say nothing in a text would
/// be too many: `over 18` and `under 18` are two labels.
const SMALL: &[&str] = &[
    "a", "an", "the", "of", "in", "on", "at", "by", "for", "to", "and", "or", "per", "with", "was", "were", "is",
    "are", "der", "die", "das", "und", "im", "von",
];

/// A word, an ideograph or a number as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In small letters, in the singular.
    pub(super) folded: String,
    pub(super) range: Range<usize>,
}

/// The words of a text; each ideograph is a word of its own.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open: Option<usize> = None;
    let mut close = |from: Option<usize>, to: usize| {
        if let Some(from) = from {
            found.push(Word { folded: folded(&text[from..to]), range: from..to });
        }
    };
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if is_ideograph(c) {
            close(open.take(), at);
            close(Some(at), end);
        } else if c.is_alphanumeric() {
            open.get_or_insert(at);
        } else if is_inner(text, at, end) && open.is_some() {
            // `3.25`, `1,400`
        } else {
            close(open.take(), at);
        }
    }
    close(open, text.len());
    found
}

/// The words of a label or an event that count; all of them when no other is left.
pub(super) fn terms(text: &str) -> Vec<String> {
    let all: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
    let counting: Vec<String> = all.iter().filter(|word| !SMALL.contains(&word.as_str())).cloned().collect();
    if counting.is_empty() { all } else { counting }
}

/// Where a label stands in the words of a statement: all its terms in the order of the label, or in any order, with at
/// most a few words between them.
pub(super) fn occurrences(terms: &[String], words: &[Word]) -> Vec<Range<usize>> {
    if terms.is_empty() {
        return Vec::new();
    }
    let room = terms.len() + 3;
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let window = &words[at..words.len().min(at + room)];
        let first = window.first().is_some_and(|word| terms.contains(&word.folded));
        let last = if first { reach(terms, window) } else { None };
        match last {
            Some(last) => {
                found.push(words[at].range.start..window[last].range.end);
                at += last + 1;
            }
            None => at += 1,
        }
    }
    found
}

/// The place in a window by which each term was seen.
fn reach(terms: &[String], window: &[Word]) -> Option<usize> {
    let mut missing: Vec<&String> = terms.iter().collect();
    for (place, word) in window.iter().enumerate() {
        if let Some(at) = missing.iter().position(|term| **term == word.folded) {
            missing.remove(at);
        }
        if missing.is_empty() {
            return Some(place);
        }
    }
    None
}

/// Small letters, and the singular of English words. A stem would be too short: `Universal` is no `University`.
fn folded(word: &str) -> String {
    let lower = word.to_lowercase();
    let plural = lower.len() > 3 && lower.ends_with('s') && !lower.ends_with("ss") && lower.is_ascii();
    if plural { lower[..lower.len() - 1].to_owned() } else { lower }
}

/// Whether a character stands between digits of one number.
fn is_inner(text: &str, at: usize, end: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    matches!(&text[at..end], "." | "," | "'" | "\u{a0}" | "\u{202f}")
        && digit(text[..at].chars().next_back())
        && digit(text[end..].chars().next())
}

/// Whether a character is written without spaces between words.
pub(super) fn is_ideograph(c: char) -> bool {
    is_ideographic(c) || is_katakana(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_with_numbers_whole() {
        let found: Vec<String> = words("SQLite's 1,400 tests, 数据 in 3.25 s.").into_iter().map(|w| w.folded).collect();
        assert_eq!(found, ["sqlite", "s", "1,400", "test", "数", "据", "in", "3.25", "s"]);
    }

    #[test]
    fn labels_are_found_in_any_near_order() {
        let text = "The commit time of SQLite rose; SQLite commit times fell.";
        let words = words(text);
        let found = occurrences(&terms("SQLite commit time"), &words);
        let shown: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(shown, ["commit time of SQLite", "SQLite commit times"]);
        assert!(occurrences(&terms("Oracle"), &words).is_empty());
        assert_eq!(occurrences(&terms("数据"), &super::words("大数据库")).len(), 1);
    }
}
