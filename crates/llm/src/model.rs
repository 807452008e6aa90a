//! The trait that every chat model implements.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};

use crate::layers::Ledger;
use crate::{ChatEvent, ChatRequest, ChatResponse, ModelError};

/// A stream of events that ends with [`ChatEvent::Done`] or an error.
pub type ChatStream = BoxStream<'static, Result<ChatEvent, ModelError>>;

/// A chat model: a provider's, one inside this process, or one that plays a recording.
///
/// Dropping a returned future or stream cancels the call.
#[async_trait]
pub trait ChatModel: Send + Sync + 'static {
    /// The name of this model in records and messages.
    fn id(&self) -> &ModelId;

    /// What this model can do.
    fn capabilities(&self) -> &Capabilities;

    /// The ledger that counts the calls of this model, where one does: that of [`Budgeted`](crate::layers::Budgeted),
    /// which the layers that go around it pass on.
    fn ledger(&self) -> Option<&Arc<Ledger>> {
        None
    }

    /// One whole answer.
    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError>;

    /// One answer as a stream, while the model generates it.
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError>;

    /// Which of `options` continues the conversation best. At least one option is needed.
    ///
    /// A model inside the process compares likelihoods; others are asked with an enum schema.
    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError>;
}

/// The name of a model as `provider:name`, for instance `embedded:smollm2-135m-instruct-q4_1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelId {
    /// The kind of model: `embedded`, `compatible`, `scripted`, `replay`.
    pub provider: String,
    /// The model's name at the provider.
    pub name: String,
}

/// What a model can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// How the model gives an answer that follows a JSON schema.
    pub structured: StructuredSupport,
    /// Whether the model calls tools.
    pub tools: bool,
    /// Whether the model reads images.
    pub images: bool,
    /// Whether the model reads documents such as PDF files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub documents: bool,
    /// Whether `temperature` and `top_p` are accepted.
    pub sampling: bool,
    /// The most tokens of input and output together, where known.
    pub context: Option<u32>,
    /// Whether the model runs inside this process, at no price.
    pub local: bool,
}

/// How a model gives an answer that follows a JSON schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredSupport {
    /// A grammar made from the schema guides generation, so every answer fits the schema.
    Constrained,
    /// The provider takes a JSON schema.
    JsonSchema,
    /// The provider promises a JSON object, of no particular schema.
    JsonObject,
    /// The schema stands in the prompt and the answer is parsed with tolerance.
    Prompted,
}

/// The outcome of [`ChatModel::choose`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The index of the chosen option.
    pub index: usize,
    /// The log-likelihood of each option, in option order; empty when the model gives none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<f32>,
    /// Tokens used.
    #[serde(default)]
    pub usage: crate::Usage,
}

impl ModelId {
    /// Makes an id from a provider and a name.
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self { provider: provider.into(), name: name.into() }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.name)
    }
}
