//! How long a text is, in words of any script.

use std::ops::RangeInclusive;

/// Characters of scripts written without spaces; each counts as a word.
const UNSPACED: [RangeInclusive<char>; 5] = [
    '\u{3040}'..='\u{30ff}',   // kana
    '\u{3400}'..='\u{4dbf}',   // ideographs, extension A
    '\u{4e00}'..='\u{9fff}',   // ideographs
    '\u{f900}'..='\u{faff}',   // compatibility ideographs
    '\u{20000}'..='\u{3ffff}', // further planes of ideographs
];

/// Counts words: runs of other scripts between spaces that hold a letter or digit, and single characters of scripts
/// written without spaces.
///
/// ```
/// use graphloom_retrieval::extract::count_words;
///
/// assert_eq!(count_words("The log is well-kept — always."), 5);
/// assert_eq!(count_words("日本語 text"), 4);
/// ```
#[must_use]
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().map(count_in_run).sum()
}

fn count_in_run(run: &str) -> usize {
    let mut words = 0;
    let mut in_word = false;
    for c in run.chars() {
        // Most text is ASCII, and the tables of Unicode are slow.
        if c.is_ascii() {
            in_word |= c.is_ascii_alphanumeric();
        } else if UNSPACED.iter().any(|range| range.contains(&c)) {
            words += 1 + usize::from(in_word);
            in_word = false;
        } else if c.is_alphanumeric() {
            in_word = true;
        }
    }
    words + usize::from(in_word)
}
