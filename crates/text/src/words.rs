//! Words of a text, and how many there are.

use crate::script::{is_ideographic, is_katakana};

/// Maximal runs of letters and digits.
///
/// ```
/// let found: Vec<&str> = graphloom_text::words("journal_mode=WAL; 3.11").collect();
/// assert_eq!(found, ["journal", "mode", "WAL", "3", "11"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Counts words. A run between spaces that holds a letter or digit is a word, and so is each character of a script that
/// is written without spaces.
///
/// ```
/// use graphloom_text::count_words;
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
        } else if is_ideographic(c) || is_katakana(c) {
            words += 1 + usize::from(in_word);
            in_word = false;
        } else if c.is_alphanumeric() {
            in_word = true;
        }
    }
    words + usize::from(in_word)
}
