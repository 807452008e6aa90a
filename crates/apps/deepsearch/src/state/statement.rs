//! Statements of a report that carry no citation, and the basis of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The basis of a statement without a citation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StatementBasis {
    /// Statements of the report with supported citations say the same.
    Derived,
    /// The writer's own: no checked statement says the same.
    #[default]
    Own,
    /// The writer's own, and a checked statement says otherwise.
    Contradicted,
    /// The statement could not be checked.
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
    /// The basis of the statement.
    #[serde(rename = "standing")]
    pub basis: StatementBasis,
    /// The citations of the checked statements that say it, or that say otherwise.
    pub citation_ids: Vec<u32>,
}
