//! What a person's reply means.
//!
//! A message approves only when the whole message is an approval: the phrases of one language, which are data under
//! `words/`, must cover the message from the first word to the last, and the message must hold no digit, no question
//! and no quotation. A message that says more than an approval becomes a [`Candidate`]: the candidate is shown to the
//! person in one line, and takes effect when the person confirms it. A message that no rule can read may be read by a
//! model (see [`adopt`]); an approval by the model is a candidate too.
//!
//! ```
//! use graphloom_pocketflow::feedback::{Candidate, Edit, Reading, ReviewedItems, read, read_shown};
//!
//! assert_eq!(read("looks good, go ahead").reading, Reading::Approve);
//! assert!(matches!(read("not good, redo").reading, Reading::Reject { .. }));
//! assert_eq!(read("please book more").reading, Reading::Unclear);
//! assert_eq!(read("no objections").reading, Reading::Candidate(Candidate::Approve));
//! assert!(matches!(read("承認を拒否します").reading, Reading::Reject { .. }));
//!
//! let shown = ReviewedItems::queries(["spring tides", "neap tides", "tides in literature"]);
//! let edits = vec![Edit::Remove(3)];
//! assert_eq!(read_shown("ok, drop the third one", &shown).reading, Reading::Candidate(Candidate::Edit(edits)));
//! ```

mod answer;
mod change;
mod commands;
mod edits;
mod model;
mod others;
mod phrases;
mod signs;
mod tags;
mod tokens;
mod typos;
mod values;
mod whole;
mod words;

use unicode_normalization::UnicodeNormalization;

pub use answer::read_answer;
pub use change::{Candidate, Edit, ReviewedItems};
pub use model::{EditKind, Intent, ModelEdit, ModelReading, adopt};
pub use signs::by_signs;
pub use values::{Value, read_topic, read_value};

use self::tokens::Text;
use self::whole::WholeMessage;

/// The most tokens of a message that the rules for short replies read.
const MOST_TOKENS: usize = 80;

/// A reply as the rules or a model read it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadReply {
    /// The class of the reply.
    pub reading: Reading,
    /// The words that decided, and what each means.
    pub evidence: Vec<String>,
    /// The language whose rules read the reply.
    pub language: Language,
}

/// The class of a reply.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reading {
    /// The person approves.
    Approve,
    /// The person rejects, and wants a new attempt.
    Reject {
        /// The reason.
        feedback: String,
        /// Whether the person wants other literature.
        search: bool,
    },
    /// A command that changes these places; no confirmation is needed.
    Edit(Vec<Edit>),
    /// A probable meaning, which the person is asked to confirm.
    Candidate(Candidate),
    /// The person asks a question.
    Question,
    /// The person wants another topic.
    NewTopic {
        /// The topic; empty when the reply names none.
        topic: String,
    },
    /// The person ends the journey.
    Cancel,
    /// Other queries, where they are asked for.
    Queries(Vec<String>),
    /// The person wants what failed, or found nothing, tried again as it was.
    Retry,
    /// The person wants to go on without records.
    Insist,
    /// The reply fits no other class.
    Unclear,
}

/// The language whose rules read a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "languages are what they are called")]
pub enum Language {
    /// A command; commands belong to no language.
    Command,
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Russian,
    Japanese,
    Chinese,
    Korean,
    /// A message too long for the rules for short replies.
    Long,
}

/// Reads a reply by rules when the items under review are not known.
pub fn read(message: &str) -> ReadReply {
    read_shown(message, &ReviewedItems::default())
}

/// Reads a reply to the items in `shown` by rules.
pub fn read_shown(message: &str, shown: &ReviewedItems) -> ReadReply {
    let normal: String = message.nfkc().collect();
    if let Some((reading, evidence)) = commands::read(normal.trim()) {
        return ReadReply { reading, evidence: vec![evidence], language: Language::Command };
    }
    let text = Text::new(message);
    if text.tokens.len() > MOST_TOKENS {
        let evidence = vec![format!("more than {MOST_TOKENS} words")];
        return ReadReply { reading: Reading::Unclear, evidence, language: Language::Long };
    }
    let words = words::language(&text);
    let language = words.language;
    let (reading, evidence) = match whole::read(&text, shown) {
        Some((WholeMessage::Approve, found)) => (Reading::Approve, found),
        Some((WholeMessage::Nearly, found)) => (Reading::Candidate(Candidate::Approve), found),
        // A message that only rejects may still ask for other literature.
        Some((WholeMessage::Reject, found)) => match words.find("search", &text) {
            Some(_) => others::read(&text, words),
            None => (Reading::Reject { feedback: String::new(), search: false }, found),
        },
        Some((WholeMessage::Cancel, found)) => (Reading::Cancel, found),
        // In the fixed form of a rejection, the reason may name places; those places are no edits.
        None if commands::rejects(normal.trim()) => others::read(&text, words),
        None => match edits::read(&text, words, shown) {
            // An edit that names no place, in words of a rejection or an end, is read as the rejection or the end.
            Some(edits) if vague(&edits) && others::acts(&text, words) => others::read(&text, words),
            // Beside words of praise or refusal, a verb that names no place may be part of a verdict.
            Some(edits) if vague(&edits) && ["praise", "bad"].iter().any(|list| words.find(list, &text).is_some()) => {
                match signs::verdict(&text, words) {
                    Some((_, found)) => (Reading::Unclear, vec![format!("the sign `{found}`")]),
                    None => (Reading::Candidate(Candidate::Edit(edits)), Vec::new()),
                }
            }
            Some(edits) => {
                let evidence = edits.iter().map(Edit::to_string).collect();
                (Reading::Candidate(Candidate::Edit(edits)), evidence)
            }
            None => others::read(&text, words),
        },
    };
    ReadReply { reading, evidence, language }
}

/// Whether a reply begins with a no that stands for itself, whatever comes behind it.
pub(crate) fn begins_with_no(message: &str) -> bool {
    whole::denies(&Text::new(message))
}

/// Whether no edit names a place.
fn vague(edits: &[Edit]) -> bool {
    edits.iter().all(|edit| matches!(edit, Edit::Rework { at: None, .. }))
}

#[cfg(test)]
mod tests;
