//! Texts that a small model is shown, and those that stand around what it chose.

/// The most characters of a text from outside in a small question.
const MOST_SHOWN: usize = 300;

/// The beginning of a text from outside, as far as a small model is shown it.
pub(crate) fn clip(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A blank for the person, with the name of what belongs there.
pub(crate) fn blank(name: &str) -> String {
    format!("[to fill in: {name}]")
}

/// A text of the person on one line, with nothing in it that would pass for a citation.
pub(crate) fn unmarked(text: &str) -> String {
    text.replace(['[', ']'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}
