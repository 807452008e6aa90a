//! Outlines, sections, plans, steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceId;

/// The outline of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Outline {
    /// The number of the outline in its run, from 1.
    pub id: String,
    /// The language that the model named.
    pub language: String,
    /// Why the report is built this way.
    pub thought: String,
    /// The title of the report.
    pub title: String,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A section: a chapter of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Section {
    /// Its number, from 1.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// Whether the report stands or falls with it.
    pub is_core_section: bool,
    /// The sections that it builds on; their numbers are smaller.
    pub parent_ids: Vec<String>,
    /// How it builds on each of them.
    pub relationships: Vec<String>,
    /// What was planned and found for it.
    pub plans: Vec<Plan>,
}

/// One planning round of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Plan {
    /// `section-plan`.
    pub id: String,
    /// The language that the model named.
    pub language: String,
    /// The title.
    pub title: String,
    /// Why these steps.
    pub thought: String,
    /// Whether nothing more has to be found.
    pub is_research_completed: bool,
    /// The steps.
    pub steps: Vec<Step>,
    /// What steps of parent sections found, by the ids of the steps.
    pub background_knowledge: std::collections::BTreeMap<String, String>,
}

/// Kinds of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepKind {
    /// Something is to be found.
    #[default]
    InfoCollecting,
}

/// One question of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Step {
    /// `section-plan-step`.
    pub id: String,
    /// The kind.
    #[serde(rename = "type")]
    pub kind: StepKind,
    /// The title.
    pub title: String,
    /// What is to be found.
    pub description: String,
    /// The steps whose results it needs, also of parent sections.
    pub parent_ids: Vec<String>,
    /// How it needs each of them.
    pub relationships: Vec<String>,
    /// What those steps found.
    pub background_knowledge: Vec<String>,
    /// What was asked, and what was found for it.
    pub retrieval_queries: Vec<RetrievalQuery>,
    /// What was found, in a few sentences; none while nobody has looked.
    pub step_result: Option<String>,
    /// How well that answers the step.
    pub evaluation: String,
}

/// One query and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct RetrievalQuery {
    /// The query.
    pub query: String,
    /// What it is for.
    pub description: String,
    /// The documents that it found, by id.
    pub doc_infos: Vec<EvidenceId>,
}

impl Outline {
    /// The section with an id.
    pub fn section(&self, id: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == id)
    }
}
