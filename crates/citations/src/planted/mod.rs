//! Claims whose verdict is known, made from real documents, to measure a judge and the rules around it.
//!
//! Sentences of documents are taken as they are or changed in one place, in ten ways; the way says which verdict is right.
//! What is made does not depend on how claims are checked: numbers, units, names and negations are found by plain words.
//!
//! ```
//! use graphloom_citations::planted::{Document, Kind, plant};
//!
//! let text = "The writer waits at most 500 ms for a lock that another process holds. Then it gives up and tells the caller about it.";
//! let other = Document::new("Other", "Bread is made of flour and water. It is baked in an oven for a long time.");
//! let claims = plant(&[Document::new("Locks", text), other], 5);
//! let unit = claims.iter().find(|claim| claim.kind == Kind::UnitChanged).unwrap();
//! assert_eq!(unit.claim, "The writer waits at most 500 minutes for a lock that another process holds.");
//! ```

mod change;
mod measure;

pub use measure::{Row, Scores, measure};

use crate::claim::claims;

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
}

impl Document {
    /// A document.
    #[must_use]
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into() }
    }
}

/// How a claim was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// As it stands in the source.
    Verbatim,
    /// Some words replaced by others of the same meaning.
    Paraphrase,
    /// A number replaced by one that the source does not have.
    NumberChanged,
    /// A unit replaced.
    UnitChanged,
    /// The year of a date replaced by one that the source does not have.
    DateChanged,
    /// Denied.
    Negated,
    /// A name replaced by one that the source does not have.
    EntitySwapped,
    /// As it stands, with another document as its source.
    WrongSource,
    /// As it stands, with a source that ends before it.
    Truncated,
    /// As it stands, with a copy of the source that is set differently.
    Duplicate,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Verbatim,
        Self::Paraphrase,
        Self::NumberChanged,
        Self::UnitChanged,
        Self::DateChanged,
        Self::Negated,
        Self::EntitySwapped,
        Self::WrongSource,
        Self::Truncated,
        Self::Duplicate,
    ];

    /// In a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Paraphrase => "paraphrase by synonyms",
            Self::NumberChanged => "number perturbed",
            Self::UnitChanged => "unit changed",
            Self::DateChanged => "date changed",
            Self::Negated => "negated",
            Self::EntitySwapped => "entity swapped",
            Self::WrongSource => "right sentence, wrong source",
            Self::Truncated => "source truncated before it",
            Self::Duplicate => "syndicated duplicate",
        }
    }

    /// The name of the right verdict.
    #[must_use]
    pub fn verdict(self) -> &'static str {
        match self {
            Self::Verbatim | Self::Paraphrase | Self::Duplicate => "supported",
            Self::NumberChanged | Self::UnitChanged | Self::DateChanged | Self::Negated | Self::EntitySwapped => {
                "contradicted"
            }
            Self::WrongSource | Self::Truncated => "not_found",
        }
    }

    /// Whether a verdict does no harm: rules only ask whether a claim is denied or names something else, so without a
    /// model that reads, such a claim is as well not found.
    #[must_use]
    pub fn accepts(self, verdict: &str) -> bool {
        let asked = matches!(self, Self::Negated | Self::EntitySwapped);
        verdict == self.verdict() || asked && verdict == "not_found"
    }
}

/// A claim whose verdict is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// How it was made.
    pub kind: Kind,
    /// The claim.
    pub claim: String,
    /// The source that it cites.
    pub source: Document,
}

/// Makes at most `each` claims of every kind, spread over the documents. The same documents make the same claims.
#[must_use]
pub fn plant(documents: &[Document], each: usize) -> Vec<Planted> {
    let sentences: Vec<Vec<String>> = documents.iter().map(usable).collect();
    let mut found = Vec::new();
    for (turn, kind) in Kind::ALL.into_iter().enumerate() {
        let mut made = 0;
        let most = sentences.iter().map(Vec::len).max().unwrap_or(0);
        // One sentence of each document, then the next of each: a long document does not fill a kind alone. Kinds begin
        // at different sentences.
        'kind: for round in 0..most {
            for (place, own) in sentences.iter().enumerate() {
                if made >= each {
                    break 'kind;
                }
                let Some(sentence) = own.get((round + turn * 7) % own.len().max(1)).filter(|_| round < own.len())
                else {
                    continue;
                };
                if let Some((claim, source)) = change::make(kind, sentence, place, documents) {
                    found.push(Planted { kind, claim, source });
                    made += 1;
                }
            }
        }
    }
    found
}

/// A claim about `document` with another number, unit or year; none for other kinds, and where the claim has nothing of the
/// kind.
#[must_use]
pub fn changed(kind: Kind, claim: &str, document: &Document) -> Option<String> {
    let amount = matches!(kind, Kind::NumberChanged | Kind::UnitChanged | Kind::DateChanged);
    let made = change::make(kind, claim, 0, std::slice::from_ref(document)).filter(|_| amount);
    made.map(|(claim, _)| claim)
}

/// Sentences that say enough to be checked: 8 to 40 words of running text, once in their document.
fn usable(document: &Document) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for claim in claims(&document.text) {
        let words = claim.text.split_whitespace().count();
        let plain = !claim.text.contains(['|', '<', '[', ']', '*', '?']) && !claim.text.contains("://");
        let whole = claim.text.ends_with('.') && claim.text.starts_with(|c: char| c.is_uppercase());
        // As it stands: a sentence over several lines is found again all the same.
        let once = document.text.matches(claim.text.as_str()).count() <= 1 && !found.contains(&claim.text);
        if (8..=40).contains(&words) && plain && whole && once {
            found.push(claim.text);
        }
    }
    found
}
