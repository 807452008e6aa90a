//! What a tool is.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use graphloom_llm::{ImageSource, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Risk, ToolError};

/// Something that a model can ask for. Most tools are written as a [`TypedTool`](super::TypedTool).
///
/// A call may be dropped at any await: a tool that changes something does so in one step after its last await.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// The tool as the model sees it. The parameters are the JSON Schema of an object.
    fn spec(&self) -> &ToolSpec;

    /// How much the tool can change.
    fn risk(&self) -> Risk;

    /// Other names of arguments that models use, as (other name, name).
    fn aliases(&self) -> &[(&str, &str)] {
        &[]
    }

    /// Whether a person is asked before each call whatever the risk, because too little is known of the tool. Where
    /// nobody can be asked, the call is not made.
    fn must_ask(&self) -> bool {
        false
    }

    /// How long a call may take where the registry says nothing of this tool; the registry's limit unless set.
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    /// Runs the tool with arguments that fit its schema.
    ///
    /// # Errors
    /// [`ToolError::Refused`], [`ToolError::Failed`], or [`ToolError::Arguments`] for what a schema cannot say.
    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError>;
}

/// Tools that come and go while a program runs, such as those of a server.
pub trait ToolSource: Send + Sync + 'static {
    /// The tools that there are now. `taken` are the names of other tools, which none of these may have.
    fn tools(&self, taken: &BTreeSet<String>) -> Vec<Arc<dyn Tool>>;
}

/// The answer of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolOutput {
    /// What the model reads: in plain words what was found or what changed.
    pub content: String,
    /// The answer as data, for programs.
    #[serde(default)]
    pub data: Value,
    /// Images, for models that read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Value>")]
    pub images: Vec<ImageSource>,
    /// Whether the content are instructions of the person who runs the program, which the model follows, and not data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub followed: bool,
    /// Where the content comes from, for the fence around it; the tool's name when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

impl ToolOutput {
    /// An answer in words.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// Sets the answer as data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// Sets the images.
    #[must_use]
    pub fn with_images(mut self, images: Vec<ImageSource>) -> Self {
        self.images = images;
        self
    }

    /// Says that the content are instructions of the person who runs the program. Nothing from outside may stand in it.
    #[must_use]
    pub fn followed(mut self) -> Self {
        self.followed = true;
        self
    }

    /// Sets where the content comes from.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = Some(origin.into());
        self
    }
}
