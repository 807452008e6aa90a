//! What the actions made: a typed slot each, which no later action overwrites by accident.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::older;
use crate::actions::Action;
use crate::research::{EngineReport, Record};

/// Something an action made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Artifact<T> {
    /// Counts from 1 in the slot; an approval is of one version.
    pub version: u32,
    /// Who made it.
    pub produced_by: Action,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What was made.
    pub value: T,
}

impl<T> Artifact<T> {
    /// Something an action made.
    pub fn new(version: u32, produced_by: Action, at: u64, value: T) -> Self {
        Self { version, produced_by, at, value }
    }
}

/// The slots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Artifacts {
    /// The search queries.
    pub queries: Option<Artifact<Vec<SearchQuery>>>,
    /// The literature review.
    pub review: Option<Artifact<Review>>,
    /// The gap.
    pub gap: Option<Artifact<Gap>>,
    /// The proposal.
    pub proposal: Option<Artifact<Proposal>>,
}

/// A search query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// The words to search for, without any search engine's syntax.
    pub text: String,
    /// Why it is asked.
    #[serde(default)]
    pub rationale: String,
    /// The aspect of the topic that it covers.
    #[serde(default)]
    pub aspect: String,
}

impl SearchQuery {
    /// A query in a person's own words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What was found and read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Review {
    /// The records.
    #[serde(deserialize_with = "older::records")]
    pub records: Vec<Record>,
    /// What was read in them.
    pub findings: Vec<Finding>,
    /// The themes over several records.
    pub themes: Vec<Theme>,
    /// How each source answered each query.
    #[serde(deserialize_with = "older::reports")]
    pub sources: Vec<EngineReport>,
    /// What a reader should know about how it came about.
    pub notes: Vec<String>,
}

/// What one record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The record's id.
    pub record: String,
    /// What it claims, in one or two sentences.
    pub claim: String,
    /// What it does not show.
    #[serde(default)]
    pub limits: String,
}

/// A theme of the literature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// What is known.
    pub summary: String,
    /// The ids of the records that say so.
    pub records: Vec<String>,
}

/// What the literature leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// What is known.
    pub summary: String,
    /// What is not.
    pub gap: String,
    /// Why that matters.
    #[serde(default)]
    pub why: String,
    /// The ids of the records that show it.
    pub evidence: Vec<String>,
    /// What a reader should know about how it came about.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A research proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The title.
    pub title: String,
    /// The sections in order.
    pub sections: Vec<Section>,
    /// What the marks `[1]`, `[2]` in the sections stand for.
    #[serde(default)]
    pub references: Vec<Reference>,
    /// What a reader should know about how it came about.
    #[serde(default)]
    pub notes: Vec<String>,
    /// How each source answered that was searched for it, a line each.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// A section of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// The text.
    pub text: String,
}

/// A numbered reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The number in the text, from 1.
    pub number: u32,
    /// The record.
    #[serde(deserialize_with = "older::record")]
    pub record: Record,
}
