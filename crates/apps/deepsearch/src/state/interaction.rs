//! What a person said about outlines and reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Outline;

/// How an outline shall be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InteractionMode {
    /// By a comment that the model follows.
    ReviseComment,
    /// By an outline that the person wrote.
    ReviseOutline,
}

/// One round about an outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutlineInteraction {
    /// The comment, or the outline as JSON.
    pub feedback: String,
    /// What the feedback is.
    pub interaction_mode: InteractionMode,
    /// The outline that the person saw.
    pub outline_before: Option<Outline>,
}

/// One change of the report, as `rewrite_history` keeps it. Offsets count code points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct RewriteRecord {
    /// The action.
    pub action: String,
    /// The scope of a supplementary search.
    pub rewrite_scope: String,
    /// What was selected.
    pub selected_text: String,
    /// The same without markup.
    pub selected_text_clean: String,
    /// Where the replaced text began.
    pub original_start_offset: usize,
    /// Where it ended.
    pub original_end_offset: usize,
    /// What stands there now.
    pub rewritten_text: String,
    /// Where it begins.
    pub rewritten_start_offset: usize,
    /// Where it ends.
    pub rewritten_end_offset: usize,
    /// What the person asked for.
    pub user_instruction: String,
    /// Where the section of the change begins, for actions that look at sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_start_offset: Option<usize>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_end_offset: Option<usize>,
    /// What was found for the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collector_summary: Option<String>,
}
