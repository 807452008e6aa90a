//! The three types of task.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a task produces. The names are those of plans; WriteHERE's internal names are in [`TaskType::category`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    /// Text of the document (COMPOSITION).
    Write,
    /// Design or analysis (REASONING).
    Think,
    /// Found facts (RETRIEVAL).
    Search,
}

impl TaskType {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Write, Self::Think, Self::Search];

    /// The word in plans.
    pub fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Think => "think",
            Self::Search => "search",
        }
    }

    /// WriteHERE's internal name.
    pub fn category(self) -> &'static str {
        match self {
            Self::Write => "COMPOSITION",
            Self::Think => "REASONING",
            Self::Search => "RETRIEVAL",
        }
    }

    /// Reads the word a model wrote: the words of plans, the internal names and common others, in any case.
    pub fn read(word: &str) -> Option<Self> {
        Some(match word.trim().trim_matches(['"', '\'', '`', '*', '.']).to_lowercase().as_str() {
            "write" | "writing" | "composition" | "compose" | "draft" => Self::Write,
            "think" | "thinking" | "reasoning" | "reason" | "analyze" | "analyse" | "analysis" | "design" => {
                Self::Think
            }
            "search" | "searching" | "retrieval" | "retrieve" | "research" => Self::Search,
            _ => return None,
        })
    }

    /// The types a task of this type may break into.
    pub fn inner(self) -> &'static [Self] {
        match self {
            Self::Write => &Self::ALL,
            Self::Think => &[Self::Think, Self::Search],
            Self::Search => &[Self::Search],
        }
    }
}

impl fmt::Display for TaskType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
