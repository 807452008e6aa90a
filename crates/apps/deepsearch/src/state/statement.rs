//! Statements of a report that carry no citation, and what they stand on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a statement without a citation stands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Standing {
    /// Statements of the report whose citations are supported say it, too.
    Derived,
    /// The writer's own: nothing checked was found that says it.
    #[default]
    Own,
    /// The writer's own, and a checked statement says otherwise.
    Contradicted,
    /// Nobody could look.
    NotChecked,
}

/// A statement of the report without a citation; ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct StatementMessage {
    /// The statement.
    pub text: String,
    /// Where it begins in `response_content`, in code points.
    pub start_offset: usize,
    /// Where it ends, in code points; a sign of the statement stands there.
    pub end_offset: usize,
    /// What it stands on.
    pub standing: Standing,
    /// The citations of the checked statements that say it, or that say otherwise.
    pub citation_ids: Vec<u32>,
}
