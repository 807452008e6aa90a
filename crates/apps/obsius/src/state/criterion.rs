//! Success criteria: what shows that a subtask is done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SearchStrategy;

/// What shows that a subtask is done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "check", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Criterion {
    /// A search strategy was run; that it found nothing is a result too.
    Searched {
        /// The strategy.
        strategy: SearchStrategy,
    },
    /// The best of the found notes were read.
    FoundRead {
        /// How many, or all when there are fewer.
        count: usize,
    },
    /// The note exists.
    NoteExists {
        /// Its title, name or path.
        note: String,
    },
    /// This run changes the note.
    NoteChanged {
        /// Its title, name or path.
        note: String,
    },
    /// The note contains a text.
    NoteContains {
        /// Its title, name or path.
        note: String,
        /// The text, compared without case.
        text: String,
    },
    /// Every link of the note leads somewhere.
    LinksResolve {
        /// Its title, name or path.
        note: String,
    },
    /// The frontmatter of the note can be read.
    FrontmatterParses {
        /// Its title, name or path.
        note: String,
    },
    /// The note links to every note that was found.
    FoundLinkedFrom {
        /// Its title, name or path.
        note: String,
    },
    /// The note has a tag.
    TagPresent {
        /// Its title, name or path.
        note: String,
        /// The tag, without `#`.
        tag: String,
    },
    /// Every note that was found has a tag.
    FoundTagged {
        /// The tag, without `#`.
        tag: String,
    },
    /// The person got an answer in words.
    Answered,
    /// A model judges it, with the evidence shown.
    Judged {
        /// What is to be judged, as a statement.
        question: String,
    },
}

/// Whether a criterion holds, and what shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Finding {
    /// The subtask.
    pub subtask: String,
    /// The criterion.
    pub criterion: Criterion,
    /// Whether it holds.
    pub holds: bool,
    /// What shows that it holds or does not.
    pub evidence: String,
}

impl Criterion {
    /// Whether it must hold for the work to be complete, however sure a model is: what is in the vault has to be right.
    pub fn is_hard(&self) -> bool {
        !matches!(self, Self::Searched { .. } | Self::FoundRead { .. } | Self::Judged { .. })
    }

    /// The criterion as a statement, for prompts and people.
    pub fn text(&self) -> String {
        match self {
            Self::Searched { strategy } => format!("the search by {strategy:?} was run").to_lowercase(),
            Self::FoundRead { count } => format!("the best {count} found notes were read"),
            Self::NoteExists { note } => format!("the note `{note}` exists"),
            Self::NoteChanged { note } => format!("the note `{note}` is changed"),
            Self::NoteContains { note, text } => format!("the note `{note}` contains `{text}`"),
            Self::LinksResolve { note } => format!("every link that was written into `{note}` leads somewhere"),
            Self::FrontmatterParses { note } => format!("the frontmatter of `{note}` can be read"),
            Self::FoundLinkedFrom { note } => format!("`{note}` links to every found note"),
            Self::TagPresent { note, tag } => format!("`{note}` has the tag `{tag}`"),
            Self::FoundTagged { tag } => format!("every found note has the tag `{tag}`"),
            Self::Answered => "the person got an answer".to_owned(),
            Self::Judged { question } => question.clone(),
        }
    }
}
