//! What a person's reply means: seven classes, read by rules that know negation and whole words.
//!
//! Explicit commands always win. English and Japanese are read by rules; a text of neither is [`Language::Other`], which
//! a caller may give to a model, see [`adopt`]. Nothing unclear is ever an approval, and a model cannot approve a long
//! message.
//!
//! ```
//! use graphloom_pocketflow::feedback::{Reading, read};
//!
//! assert!(matches!(read("looks good, go ahead").reading, Reading::Approve));
//! assert!(matches!(read("not good, redo").reading, Reading::Reject { .. }));
//! assert!(matches!(read("please book more").reading, Reading::Unclear));
//! assert!(matches!(read("承認しません").reading, Reading::Reject { .. }));
//! ```

mod commands;
mod english;
mod japanese;
mod values;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

pub use commands::Edit;
pub use values::{Value, read_topic, read_value};

/// Messages with more words are not read by the rules for short replies.
const MOST_WORDS: usize = 25;
/// A model that is less sure is not believed.
const SURE: f32 = 0.7;

/// How a reply was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Read {
    /// The class.
    pub reading: Reading,
    /// The words that were found, with their meaning.
    pub evidence: Vec<String>,
    /// The language that the rules took it for.
    pub language: Language,
}

/// The class of a reply.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reading {
    /// Go on.
    Approve,
    /// Make it again.
    Reject {
        /// Why.
        feedback: String,
        /// Other literature is wanted.
        search: bool,
    },
    /// Change these places.
    Edit(Vec<Edit>),
    /// Something is asked.
    Question,
    /// Another topic; empty when it is not named.
    NewTopic {
        /// The topic.
        topic: String,
    },
    /// End the journey.
    Cancel,
    /// None of these.
    Unclear,
}

/// The language that the rules took a reply for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// A command, in no language.
    Command,
    /// English.
    English,
    /// Japanese.
    Japanese,
    /// Letters that neither has: a model may read it.
    Other,
    /// English of more than 25 words: a model may read it.
    Long,
}

/// What a model says that a reply means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelReading {
    /// The class.
    pub intent: Intent,
    /// For a rejection its reason, for a new topic the topic; else empty.
    #[serde(default)]
    pub detail: String,
    /// How sure the model is, from 0 to 1.
    pub confidence: f32,
}

/// The classes that a model can name. Edits are commands, which need no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Go on.
    Approve,
    /// Make it again.
    Reject,
    /// Something is asked.
    Question,
    /// Another topic.
    NewTopic,
    /// End the journey.
    Cancel,
    /// None of these.
    Unclear,
}

/// Reads a reply by rules.
pub fn read(message: &str) -> Read {
    let text: String = message.nfkc().collect();
    let text = text.trim();
    if let Some((reading, evidence)) = commands::read(text) {
        return Read { reading, evidence: vec![evidence], language: Language::Command };
    }
    if text.chars().any(is_japanese) {
        let (reading, evidence) = japanese::read(text);
        return Read { reading, evidence, language: Language::Japanese };
    }
    if text.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        return Read { reading: Reading::Unclear, evidence: Vec::new(), language: Language::Other };
    }
    if text.split_whitespace().count() > MOST_WORDS {
        let evidence = vec![format!("more than {MOST_WORDS} words")];
        return Read { reading: Reading::Unclear, evidence, language: Language::Long };
    }
    let (reading, evidence) = english::read(text);
    Read { reading, evidence, language: Language::English }
}

/// Takes over what a model says of a reply that the rules left unclear, as far as it can be trusted: it must be sure
/// (0.7), and it cannot approve a long message.
#[must_use]
pub fn adopt(read: Read, model: &ModelReading) -> Read {
    if !matches!(read.language, Language::Other | Language::Long) || read.reading != Reading::Unclear {
        return read;
    }
    let mut evidence = read.evidence;
    evidence.push(format!("the model reads {:?} with confidence {:.2}", model.intent, model.confidence));
    // A confidence that is no number is not sure either.
    let sure = model.confidence >= SURE;
    let detail = model.detail.trim().to_owned();
    let reading = match model.intent {
        _ if !sure => Reading::Unclear,
        Intent::Approve if read.language == Language::Long => Reading::Unclear,
        Intent::Approve => Reading::Approve,
        Intent::Reject => Reading::Reject { feedback: detail, search: false },
        Intent::Question => Reading::Question,
        Intent::NewTopic if !detail.is_empty() => Reading::NewTopic { topic: detail },
        Intent::Cancel => Reading::Cancel,
        Intent::NewTopic | Intent::Unclear => Reading::Unclear,
    };
    Read { reading, evidence, language: read.language }
}

fn is_japanese(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> &'static str {
        match read(text).reading {
            Reading::Approve => "approve",
            Reading::Reject { search: false, .. } => "reject",
            Reading::Reject { search: true, .. } => "search",
            Reading::Edit(_) => "edit",
            Reading::Question => "question",
            Reading::NewTopic { .. } => "new topic",
            Reading::Cancel => "cancel",
            Reading::Unclear => "unclear",
        }
    }

    /// The study's phrases (section 2.1) come first.
    const GOLDEN: &[(&str, &str)] = &[
        ("approved", "approve"),
        ("yes", "approve"),
        ("banana", "unclear"),
        ("not good, redo", "reject"),
        ("I disapprove", "reject"),
        ("looks bad", "reject"),
        ("token", "unclear"),
        ("please book more", "unclear"),
        ("I know", "unclear"),
        ("notes are fine", "approve"),
        ("abnormal", "unclear"),
        ("not what I want, redo", "reject"),
        ("not bad", "unclear"),
        ("", "unclear"),
        ("Looks good!", "approve"),
        ("OK, go ahead.", "approve"),
        ("okay", "approve"),
        ("👍", "approve"),
        ("👎", "reject"),
        ("LGTM", "approve"),
        ("no", "reject"),
        ("nope", "reject"),
        ("no good", "reject"),
        ("do not proceed", "reject"),
        ("don't continue", "reject"),
        ("I can't approve this", "reject"),
        ("never approve this", "reject"),
        ("yes and no", "unclear"),
        ("yes, but change the second", "unclear"),
        ("not sure", "unclear"),
        ("I'm not sure this is good", "unclear"),
        ("maybe good", "unclear"),
        ("good, if you drop the last", "unclear"),
        ("don't change anything", "unclear"),
        ("reject: too broad", "reject"),
        ("new queries please", "search"),
        ("redo the search", "search"),
        ("is that ok?", "question"),
        ("why these queries?", "question"),
        ("what does the second one mean", "question"),
        ("cancel", "cancel"),
        ("please stop", "cancel"),
        ("never mind", "cancel"),
        ("don't stop", "unclear"),
        ("new topic: tides", "new topic"),
        ("remove 2", "edit"),
        ("edit 1: spring tides; add: neap tides", "edit"),
        ("edit everything", "unclear"),
        ("/approve", "approve"),
        ("/reject too broad", "reject"),
        ("/edit 1 spring tides", "edit"),
        ("/cancel", "cancel"),
        ("/new tides", "new topic"),
        ("/fly", "unclear"),
        ("承認", "approve"),
        ("承認します", "approve"),
        ("はい", "approve"),
        ("はい、進めてください", "approve"),
        ("良いです", "approve"),
        ("却下", "reject"),
        ("いいえ", "reject"),
        ("やり直してください", "reject"),
        ("2番を変更してほしい", "reject"),
        ("承認しません", "reject"),
        ("良くない", "reject"),
        ("進めないで", "reject"),
        ("不承認", "reject"),
        ("未承認", "unclear"),
        ("変更しないで", "unclear"),
        ("もっと良いものを", "unclear"),
        ("良いですか？", "question"),
        ("なぜですか", "question"),
        ("中止", "cancel"),
        ("新しいトピック：潮汐", "new topic"),
        ("2を削除", "edit"),
        ("猫が好き", "unclear"),
        ("да, хорошо", "unclear"),
    ];

    #[test]
    fn the_golden_phrases() {
        for (text, expected) in GOLDEN {
            assert_eq!(class(text), *expected, "{text:?}: {:?}", read(text));
        }
    }

    #[test]
    fn the_reason_of_a_rejection_is_kept() {
        let reason = |text: &str| match read(text).reading {
            Reading::Reject { feedback, .. } => feedback,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(reason("reject: too broad"), "too broad");
        assert_eq!(reason("/reject too broad"), "too broad");
        assert_eq!(reason("No, I want newer work"), "I want newer work");
        assert_eq!(reason("却下：範囲が広すぎる"), "範囲が広すぎる");
        assert_eq!(reason("not good, redo"), "not good, redo");
    }

    #[test]
    fn long_messages_are_not_read_by_rules_for_short_ones() {
        let long = format!("yes {}", "word ".repeat(30));
        assert_eq!((class(&long), read(&long).language), ("unclear", Language::Long));
        let model = |intent| ModelReading { intent, detail: "too broad".to_owned(), confidence: 0.99 };
        assert_eq!(adopt(read(&long), &model(Intent::Approve)).reading, Reading::Unclear);
        let rejected = adopt(read(&long), &model(Intent::Reject)).reading;
        assert_eq!(rejected, Reading::Reject { feedback: "too broad".to_owned(), search: false });
    }

    #[test]
    fn a_model_is_believed_only_for_other_languages_and_only_when_it_is_sure() {
        let model = |confidence| ModelReading { intent: Intent::Approve, detail: String::new(), confidence };
        assert_eq!(adopt(read("да, хорошо"), &model(0.9)).reading, Reading::Approve);
        for confidence in [0.69, 0.0, f32::NAN] {
            assert_eq!(adopt(read("да, хорошо"), &model(confidence)).reading, Reading::Unclear);
        }
        assert_eq!(adopt(read("banana"), &model(1.0)).reading, Reading::Unclear);
        assert!(matches!(adopt(read("no"), &model(1.0)).reading, Reading::Reject { .. }));
    }
}
