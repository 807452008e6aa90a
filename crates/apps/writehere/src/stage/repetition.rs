//! Where a model begins to repeat itself.

use std::collections::BTreeSet;

/// A run of this many words that occurs twice ends a text.
const REPEATED_WORDS: usize = 8;

/// The text up to where a run of words occurs for the second time, cut back to the end of a sentence.
pub(super) fn without_repetition(text: &str) -> String {
    let words: Vec<(usize, &str)> =
        text.split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word)).collect();
    let mut seen = BTreeSet::new();
    let mut end = text.len();
    for window in words.windows(REPEATED_WORDS) {
        let run: Vec<String> = window.iter().map(|(_, word)| word.to_lowercase()).collect();
        if !seen.insert(run) {
            end = window[0].0;
            break;
        }
    }
    let unrepeated = &text[..end];
    let stop = unrepeated
        .rfind(['.', '!', '?', '。', '！', '？'])
        .map(|at| at + unrepeated[at..].chars().next().map_or(1, char::len_utf8));
    match stop {
        Some(stop) if stop * 2 > end || end < text.len() => unrepeated[..stop].trim().to_string(),
        _ => unrepeated.trim().to_string(),
    }
}
