//! What a section is worked on with: what the main graph and the sections that it builds on decided before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ChatTurn, Locale, Section, Step};
use crate::config::{Config, ExecutionMethod};

/// What a section is worked on with. It does not change while it is worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SectionBrief {
    /// The section.
    pub section: Section,
    /// The title of the report.
    pub report_title: String,
    /// The question.
    pub query: String,
    /// The language of the report.
    pub language: Locale,
    /// The conversation of the main graph.
    pub messages: Vec<ChatTurn>,
    /// The form of the report, empty for none.
    pub report_template: String,
    /// The configuration.
    pub config: Config,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// Whether the section may build on others.
    pub method: ExecutionMethod,
    /// Whether its research was done before, so that it is only written.
    pub researched: bool,
    /// What the steps of the sections that it builds on asked and found.
    pub step_background: Vec<StepNote>,
    /// What the sections that it builds on say, for writing.
    pub parents: Vec<ParentSummary>,
}

/// What a finished step asked and found: `plan_background_knowledge` and `step_background_knowledge` of the
/// original in one record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct StepNote {
    /// The step, `section-plan-step`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What was to be found.
    pub description: String,
    /// What was found.
    pub content: String,
    /// How well that answers the step.
    pub evaluation: String,
}

/// What a section says that this one builds on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ParentSummary {
    /// The section.
    pub section_id: String,
    /// Its title.
    pub title: String,
    /// What it says.
    pub content_summary: String,
}

impl SectionBrief {
    /// A brief for a section of a report that answers `query`.
    pub fn new(section: Section, query: impl Into<String>, config: Config) -> Self {
        Self { section, query: query.into(), config, ..Self::default() }
    }

    /// Whether the section may build on others.
    pub(crate) fn is_dependent(&self) -> bool {
        self.method == ExecutionMethod::DependencyDriving
    }
}

impl StepNote {
    /// The note of a step that was carried out; none for others.
    pub fn of(step: &Step) -> Option<Self> {
        let content = step.step_result.clone()?;
        Some(Self {
            id: step.id.clone(),
            title: step.title.clone(),
            description: step.description.clone(),
            content,
            evaluation: step.evaluation.clone(),
        })
    }
}
