//! The state of a team.

use graphloom_core_graph::{Log, Shared, State, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Job;
use crate::config::Config;
use crate::evidence::Document;
use crate::state::{ChatTurn, Locale, Outline, Plan, SubReport, Unwritten};
use crate::status::Notice;

/// What a section's work came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SectionResult {
    /// What was planned and found.
    pub plans: Vec<Plan>,
    /// The text; none when nothing could be written.
    pub sub_report: Option<SubReport>,
    /// Set when no model wrote the text.
    pub unwritten: Option<Unwritten>,
}

/// What research for a section found, for its writing and for the sections that build on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Research {
    /// What was planned and found.
    pub plans: Vec<Plan>,
    /// The documents.
    pub evidence: Vec<Document>,
}

/// The state of a team. The first fields are its input.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TeamState {
    /// The outline.
    pub outline: Shared<Outline>,
    /// The question.
    pub query: String,
    /// The language.
    pub language: Locale,
    /// The conversation of the main graph.
    pub messages: Vec<ChatTurn>,
    /// The form of the report, empty for none.
    pub report_template: String,
    /// The configuration.
    pub config: Shared<Config>,
    /// The date that prompts state.
    pub today: String,
    /// What the sections came to, by their ids.
    #[state(merge)]
    pub sections: Table<String, SectionResult>,
    /// What research found, by the ids of the sections, in the dependency-driven team, and where sections are written again.
    #[state(merge)]
    pub research: Table<String, Research>,
    /// What is done, in the order in which it ended, in the dependency-driven team.
    #[state(append)]
    pub finished: Log<Job>,
    /// What went wrong.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know.
    #[state(append)]
    pub notes: Log<String>,
}

impl TeamState {
    /// The sections' reports in the order of the outline, without those that are missing.
    pub fn sub_reports(&self) -> Vec<SubReport> {
        let results = self.outline.sections.iter().filter_map(|section| self.sections.get(&section.id));
        results.filter_map(|result| result.sub_report.clone()).collect()
    }

    /// The sections that no model wrote, in the order of the outline.
    pub fn unwritten(&self) -> Vec<Unwritten> {
        let results = self.outline.sections.iter().filter_map(|section| self.sections.get(&section.id));
        results.filter_map(|result| result.unwritten.clone()).collect()
    }

    /// The outline with the plans of its sections.
    pub fn planned_outline(&self) -> Outline {
        let mut outline = Outline::clone(&self.outline);
        for section in &mut outline.sections {
            if let Some(result) = self.sections.get(&section.id) {
                section.plans.clone_from(&result.plans);
            }
        }
        outline
    }
}
