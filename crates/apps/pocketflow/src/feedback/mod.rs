//! What a person's reply means.
//!
//! Only a message that is an approval as a whole approves: a closed list of words of one language, which are data under
//! `words/`, must cover it from its first word to its last, without a digit, a question or a quotation. Whatever is more
//! is a [`Candidate`], which is shown back in one line and counts when the person says so. What no rule can read a model
//! may read, see [`adopt`]; its approval is a candidate too.
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

mod change;
mod commands;
mod edits;
mod model;
mod others;
mod phrases;
mod tags;
mod tokens;
mod typos;
mod values;
mod whole;
mod words;

use unicode_normalization::UnicodeNormalization;

pub use change::{Candidate, Edit, ReviewedItems};
pub use model::{EditKind, Intent, ModelEdit, ModelReading, adopt};
pub use values::{Value, read_topic, read_value};

use self::tokens::Text;
use self::whole::WholeMessage;

/// Messages with more words, or letters of a script without spaces, are not read by the rules for short replies.
const MOST_TOKENS: usize = 80;

/// How a reply was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadReply {
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
    /// Change these places: a command, which needs no asking back.
    Edit(Vec<Edit>),
    /// Probably this; the person is asked.
    Candidate(Candidate),
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
#[expect(missing_docs, reason = "languages are what they are called")]
pub enum Language {
    /// A command, in no language.
    Command,
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Russian,
    Japanese,
    Chinese,
    Korean,
    /// More than the rules for short replies read.
    Long,
}

/// Reads a reply by rules, where nothing is known of what it replies to.
pub fn read(message: &str) -> ReadReply {
    read_shown(message, &ReviewedItems::default())
}

/// Reads a reply to what is shown by rules.
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
        // Words that only reject may still say that other literature is wanted.
        Some((WholeMessage::Reject, found)) => match words.find("search", &text) {
            Some(_) => others::read(&text, words),
            None => (Reading::Reject { feedback: String::new(), search: false }, found),
        },
        Some((WholeMessage::Cancel, found)) => (Reading::Cancel, found),
        // The fixed form of a rejection: what its reason names is no edit.
        None if commands::rejects(normal.trim()) => others::read(&text, words),
        None => match edits::read(&text, words, shown) {
            // A change of all that says no more than a rejection or an end says is one.
            Some(edits) if vague(&edits) && others::acts(&text, words) => others::read(&text, words),
            Some(edits) => {
                let evidence = edits.iter().map(Edit::to_string).collect();
                (Reading::Candidate(Candidate::Edit(edits)), evidence)
            }
            None => others::read(&text, words),
        },
    };
    ReadReply { reading, evidence, language }
}

/// Whether edits name no place.
fn vague(edits: &[Edit]) -> bool {
    edits.iter().all(|edit| matches!(edit, Edit::Rework { at: None, .. }))
}

#[cfg(test)]
mod tests;
