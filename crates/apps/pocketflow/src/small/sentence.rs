//! What a sentence of a small model must be to be shown.

use std::collections::BTreeSet;

use graphloom_retrieval::extract::query_terms;

/// Characters that end a sentence.
const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];
/// Characters that would pass for a citation, for markup or for a broken reply.
const MARKS: [char; 9] = ['[', ']', '<', '>', '{', '}', '|', '\\', '\n'];

/// The most characters of a text from outside in a small question.
const MOST_SHOWN: usize = 300;

/// Whether a sentence of the model can be shown: whole, of at least `words` words, with a word of what it is `about`, without
/// marks, without names and numbers that `material` does not have, and not said before.
///
/// # Errors
/// What is wrong, in words for the model.
pub(super) fn check(sentence: &str, words: usize, about: &str, material: &str, said: &[String]) -> Result<(), String> {
    let sentence = sentence.trim();
    if sentence.split_whitespace().count() < words {
        return Err("it is too short".to_owned());
    }
    if !sentence.ends_with(ENDS) {
        return Err("it is no whole sentence".to_owned());
    }
    if sentence.contains(MARKS) {
        return Err("it has brackets".to_owned());
    }
    if said.iter().any(|said| plain(said).contains(&plain(sentence))) {
        return Err("that was said before".to_owned());
    }
    let wanted = query_terms(about);
    if !query_terms(sentence).iter().any(|term| wanted.contains(term)) {
        return Err("it has no word of the topic".to_owned());
    }
    match invented(sentence, material).as_slice() {
        [] => Ok(()),
        strange => Err(format!("the material does not have {}", strange.join(", "))),
    }
}

/// The numbers and names of a text that the material does not have, in backticks. A capital at the beginning of a sentence
/// makes no name.
pub(super) fn invented(text: &str, material: &str) -> Vec<String> {
    let known: BTreeSet<String> = words(material).map(str::to_lowercase).collect();
    let mut strange = Vec::new();
    let mut begins = true;
    for piece in text.split_whitespace() {
        for word in words(piece) {
            let capital = word.starts_with(char::is_uppercase) && !begins;
            let name = capital || word.chars().skip(1).any(char::is_uppercase);
            let figure = word.contains(|c: char| c.is_ascii_digit());
            let lower = word.to_lowercase();
            let same = |known: &String| known.trim_end_matches('s') == lower.trim_end_matches('s');
            if (figure || name) && word != "I" && !known.iter().any(same) {
                strange.push(format!("`{word}`"));
            }
            begins = false;
        }
        begins = piece.ends_with(ENDS);
    }
    strange
}

/// The beginning of a text from outside, as far as a small model is shown it.
pub(super) fn clip(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Letters and digits only, for comparison.
pub(super) fn plain(text: &str) -> String {
    words(text).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_sentences_without_inventions_are_shown() {
        let material = "The log of SQLite has 32 bytes in each header.";
        let said = ["A header has bytes.".to_owned()];
        for (sentence, fault) in [
            ("The header of SQLite has 32 bytes.", None),
            ("Headers are read first.", None),
            ("Old people remember words.", Some("it has no word of the topic")),
            ("Too short.", Some("it is too short")),
            ("The log grows without", Some("it is no whole sentence")),
            ("The log grows without end [1].", Some("it has brackets")),
            ("a header has bytes!", Some("that was said before")),
            ("The log of Oracle has 48 bytes.", Some("the material does not have `Oracle`, `48`")),
        ] {
            assert_eq!(
                check(sentence, 3, "headers of a log", material, &said),
                fault.map_or(Ok(()), |fault| Err(fault.to_owned()))
            );
        }
    }
}
