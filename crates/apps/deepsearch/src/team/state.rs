//! The state of a team.

use graphloom_core_graph::{Log, Shared, State, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::state::{Locale, Outline, Plan, Said, SubReport};
use crate::status::Notice;

/// What a section's work came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SectionResult {
    /// What was planned and found.
    pub plans: Vec<Plan>,
    /// The text; none when nothing could be written.
    pub sub_report: Option<SubReport>,
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
    pub messages: Vec<Said>,
    /// The form of the report, empty for none.
    pub report_template: String,
    /// The configuration.
    pub config: Shared<Config>,
    /// The date that prompts state.
    pub today: String,
    /// What the sections came to, by their ids.
    #[state(merge)]
    pub sections: Table<String, SectionResult>,
    /// What went wrong.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know.
    #[state(append)]
    pub notes: Log<String>,
}
