//! Messages that are not replies to a review: a topic, or the answer to a question for a value.

use super::tokens::Text;
use super::{Reading, others, read, whole, words};

/// A message that is not a reply to a review.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// An empty message, or a greeting only.
    Empty,
    /// The text of the message.
    Text(String),
    /// A short verdict, though nothing is under review.
    Verdict(Reading),
    /// The person wants another topic; empty when the message names none.
    NewTopic(String),
    /// The person ends the journey.
    Cancel,
    /// The action is tried again with the same parameters.
    Retry,
    /// The action goes on without records.
    Insist,
}

const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "hi there",
    "hello there",
    "good morning",
    "good afternoon",
    "good evening",
    "thanks",
    "thank you",
    "こんにちは",
    "おはよう",
    "おはようございます",
    "こんばんは",
    "ありがとう",
    "ありがとうございます",
];
const RETRY: &[&str] = &["retry", "try again", "again", "/retry", "もう一度", "再試行"];
const INSIST: &[&str] = &["without records", "go on without records", "proceed without records", "/insist"];
/// The most words of a verdict; a longer message is a topic.
const VERDICT_WORDS: usize = 3;

fn bare(message: &str) -> String {
    let trimmed = message.trim().trim_matches(|c: char| c.is_ascii_punctuation() && c != '/' || "。、！？".contains(c));
    trimmed.trim().to_lowercase()
}

/// Reads the first message of a journey.
pub fn read_topic(message: &str) -> Value {
    let bare = bare(message);
    if bare.is_empty() || GREETINGS.contains(&bare.as_str()) {
        return Value::Empty;
    }
    match read(message).reading {
        Reading::NewTopic { topic } => Value::NewTopic(topic),
        Reading::Cancel => Value::Cancel,
        verdict @ (Reading::Approve | Reading::Reject { .. } | Reading::Edit(_))
            if message.trim_start().starts_with('/')
                || bare.split_whitespace().count() <= VERDICT_WORDS && is_whole(&bare) =>
        {
            Value::Verdict(verdict)
        }
        _ if message.trim_start().starts_with('/') || puts_off(message) => Value::Verdict(Reading::Unclear),
        _ => Value::Text(message.trim().to_owned()),
    }
}

/// Whether a message begins with a remark or a stop, or is nothing but one: `hold on a second` is no topic.
fn puts_off(message: &str) -> bool {
    let text = Text::new(message);
    let words = words::language(&text);
    words.longest("remark", &text.tokens, 0) > 0
        || others::ends(&text, words).is_some()
        || whole::covered_by("hold", &text).is_some()
}

/// Whether every word is a word of short verdicts or a number. `good practice` fails this test and stays a topic.
fn is_whole(bare: &str) -> bool {
    const WORDS: &[&str] = &[
        "yes",
        "no",
        "ok",
        "okay",
        "approve",
        "approved",
        "reject",
        "rejected",
        "good",
        "looks",
        "fine",
        "great",
        "go",
        "ahead",
        "proceed",
        "continue",
        "redo",
        "not",
        "please",
        "bad",
        "nope",
        "yep",
        "はい",
        "いいえ",
        "承認",
        "却下",
        "remove",
        "👍",
        "👎",
    ];
    bare.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .all(|word| WORDS.contains(&word) || word.parse::<u32>().is_ok())
}

/// Reads the answer to a question for a value.
pub fn read_value(message: &str) -> Value {
    let bare = bare(message);
    if RETRY.contains(&bare.as_str()) {
        return Value::Retry;
    }
    if INSIST.contains(&bare.as_str()) {
        return Value::Insist;
    }
    match read_topic(message) {
        Value::Verdict(_) => Value::Empty,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_greetings_and_commands() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (message, expected) in [
            ("LLMs in education", text("LLMs in education")),
            ("Good practice in teaching", text("Good practice in teaching")),
            ("climate change", text("climate change")),
            (" changes in bird migration ", text("changes in bird migration")),
            ("What drives tides?", text("What drives tides?")),
            ("潮汐の研究", text("潮汐の研究")),
            ("", Value::Empty),
            ("  \n", Value::Empty),
            ("Hello!", Value::Empty),
            ("こんにちは。", Value::Empty),
            ("new topic: tides", Value::NewTopic("tides".to_owned())),
            ("/new", Value::NewTopic(String::new())),
            ("cancel", Value::Cancel),
            ("ok", Value::Verdict(Reading::Approve)),
            ("/approve", Value::Verdict(Reading::Approve)),
            ("hold on a second", Value::Verdict(Reading::Unclear)),
            ("stop, do not search", Value::Verdict(Reading::Unclear)),
            ("coffee and memory", text("coffee and memory")),
        ] {
            assert_eq!(read_topic(message), expected, "{message:?}");
        }
        assert!(matches!(read_topic("/fly"), Value::Verdict(Reading::Unclear)));
    }

    #[test]
    fn answers_to_questions_for_a_value() {
        for (message, expected) in [
            ("biology", Value::Text("biology".to_owned())),
            ("Retry!", Value::Retry),
            ("もう一度", Value::Retry),
            ("go on without records", Value::Insist),
            ("yes", Value::Empty),
            ("", Value::Empty),
            ("cancel", Value::Cancel),
        ] {
            assert_eq!(read_value(message), expected, "{message:?}");
        }
    }
}
