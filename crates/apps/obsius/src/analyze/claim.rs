//! Claims of a change: whether a request asks for one, and whether an answer says that one was made.

use super::intent::{CREATE, DELETE, Intents, MODIFY, ORGANIZE, RENAME};
use crate::assess::words;

/// What may stand before the verb of an order.
const BEFORE: &[&str] = &[
    "please", "can", "could", "would", "will", "you", "kindly", "now", "then", "ok", "okay", "hey", "hi", "hello",
    "also", "just", "i", "we", "want", "need", "like", "d", "to", "let", "us", "s", "and", "first",
];

/// What makes a question an order.
const MODAL: &[&str] = &["please", "can", "could", "would", "will"];

/// What one says to have done with a note.
const DONE: &[&str] = &[
    "created",
    "made",
    "written",
    "wrote",
    "added",
    "appended",
    "inserted",
    "updated",
    "edited",
    "changed",
    "modified",
    "replaced",
    "rewritten",
    "rewrote",
    "fixed",
    "renamed",
    "moved",
    "merged",
    "deleted",
    "removed",
    "tagged",
    "organized",
    "organised",
    "saved",
];

/// What may stand between the subject of a claim and its verb.
const BETWEEN: &[&str] = &["have", "ve", "has", "just", "also", "now", "then", "already", "successfully", "been"];

/// After a verb at the beginning of a sentence these make it a statement about the past of a note: "Created in May".
const WHEN: &[&str] = &["in", "on", "by", "at", "during", "before", "after", "from", "since", "last"];

/// Whether a request asks for a change: by its first verb, or by any of its words when it does not ask a question.
///
/// "Could you create a note on what tea is?" does, "How do I create a note?" does not.
pub fn asks_for_change(request: &str) -> bool {
    let is_change =
        |word: &str| [CREATE, MODIFY, ORGANIZE, DELETE, RENAME].iter().any(|(english, _)| english.contains(&word));
    let spoken = words(request);
    let is_polite = spoken.first().is_some_and(|word| MODAL.contains(&word.as_str()));
    let is_order = is_polite || !request.trim_end().ends_with(['?', '？']);
    let verb = spoken.iter().map(String::as_str).find(|word| !BEFORE.contains(word));
    let intents = Intents::of(request);
    (is_order && verb.is_some_and(is_change)) || (intents.changes_something() && !intents.ask)
}

/// Whether an answer says that it changed something: "I created the note", "The note has been added.", "Created `Tea`."
/// It knows English; in other languages the words of the request decide.
pub fn claims_change(answer: &str) -> bool {
    let sentences = answer.split(['.', '!', '?', '\n', ':', ';']);
    sentences.into_iter().any(|sentence| {
        let words: Vec<String> =
            sentence.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
        let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
        let verb_after = |mut at: usize| {
            while BETWEEN.contains(&word(at)) {
                at += 1;
            }
            DONE.contains(&word(at))
        };
        let begins = DONE.contains(&word(0)) && !WHEN.contains(&word(1)) && words.len() > 1;
        let by_me = (0..words.len()).any(|at| matches!(word(at), "i" | "we") && verb_after(at + 1));
        let passive = (1..words.len()).any(|at| {
            word(at) == "been" && matches!(word(at - 1), "has" | "have" | "now" | "also") && verb_after(at + 1)
        });
        begins || by_me || passive
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_ask_for_a_change_and_questions_do_not() {
        for request in [
            "Create a note about tea",
            "Could you please create a note about tea?",
            "Write down what tea is",
            "I want to add a line to Soup",
            "お茶のノートを作成してください",
        ] {
            assert!(asks_for_change(request), "{request}");
        }
        for request in [
            "How do I create a note?",
            "What is tea?",
            "When was Soup last changed?",
            "Find my tea notes",
            "Group chats: who is in them?",
        ] {
            assert!(!asks_for_change(request), "{request}");
        }
    }

    #[test]
    fn what_an_answer_says_to_have_done_is_a_claim() {
        for answer in [
            "I created the note.",
            "I've just added the line to `Soup`.",
            "I have successfully renamed it",
            "Done: created `Tea.md`.",
            "The note has been added.",
            "Created a note about tea.",
        ] {
            assert!(claims_change(answer), "{answer}");
        }
        for answer in [
            "There is already a note about tea.",
            "I could not create the note.",
            "Created in May.",
            "You changed Soup yesterday; it was made of water.",
            "I have not added anything.",
            "",
        ] {
            assert!(!claims_change(answer), "{answer}");
        }
    }
}
