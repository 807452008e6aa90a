//! The outcome of a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Risk, ToolError, ToolOutput};

/// The outcome of a call that a model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolOutcome {
    /// The id of the call.
    pub call: String,
    /// The tool, under the name it was found by.
    pub tool: String,
    /// The arguments as they were read; as they came when they could not be read.
    pub arguments: Value,
    /// How much the tool can change; nothing when there is no such tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// What had to be tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The tool's answer, or why there is none.
    pub result: Result<ToolOutput, ToolError>,
}

impl ToolOutcome {
    /// Whether the tool answered.
    pub fn is_success(&self) -> bool {
        self.result.is_ok()
    }

    /// The text that the model reads.
    pub fn content(&self) -> String {
        match &self.result {
            Ok(output) => output.content.clone(),
            Err(error) => error.to_string(),
        }
    }

    /// Where the content comes from.
    pub fn origin(&self) -> String {
        let origin = self.result.as_ref().ok().and_then(|output| output.origin.clone());
        origin.unwrap_or_else(|| format!("tool {}", self.tool))
    }
}
