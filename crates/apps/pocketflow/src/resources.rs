//! What the nodes work with beside the state.

use std::fmt;
use std::sync::Arc;

use graphloom_agents::{AgentError, Models, Prompts};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{ChatRequest, StructuredOptions, structured};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::research::Research;

/// What the nodes work with beside the state.
pub struct Resources {
    /// The models; roles are the names of the prompts.
    pub models: Models,
    /// The prompts.
    pub prompts: Prompts,
    /// The sources of literature.
    pub research: Arc<dyn Research>,
    /// Where sessions are kept.
    pub store: Arc<dyn Store>,
    /// Limits.
    pub limits: Limits,
}

/// Limits of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Limits {
    /// Records that each query may find in each source.
    pub records_per_query: usize,
    /// Records that a review reads.
    pub records: usize,
    /// Bytes of a record that a model reads.
    pub record_bytes: usize,
    /// How often rejected queries are made again before editing by hand is offered (study, section 5).
    pub query_cycles: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { records_per_query: 5, records: 12, record_bytes: 4_000, query_cycles: 5 }
    }
}

/// The prompts that are part of the program.
///
/// # Errors
/// A prompt that does not compile.
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(&[
        ("queries", include_str!("../prompts/queries.j2")),
        ("extract", include_str!("../prompts/extract.j2")),
        ("themes", include_str!("../prompts/themes.j2")),
        ("gap", include_str!("../prompts/gap.j2")),
        ("proposal", include_str!("../prompts/proposal.j2")),
        ("reply", include_str!("../prompts/reply.j2")),
        ("answer", include_str!("../prompts/answer.j2")),
    ])
}

impl Resources {
    /// Resources with the built-in prompts and default limits.
    ///
    /// # Errors
    /// A prompt that does not compile.
    pub fn new(models: Models, research: Arc<dyn Research>, store: Arc<dyn Store>) -> Result<Self, AgentError> {
        Ok(Self { models, prompts: prompts()?, research, store, limits: Limits::default() })
    }

    /// Asks the model of a prompt's role for a value. The answer is a durable step: it is never asked for twice.
    pub(crate) async fn ask<T>(
        &self,
        cx: &Context<Self>,
        key: &str,
        prompt: &str,
        args: &(impl Serialize + Sync),
    ) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        let messages = self.prompts.render(prompt, args).map_err(NodeError::terminal)?.messages;
        let model = Arc::clone(self.models.role(prompt));
        let work = async move {
            let request = ChatRequest { messages, ..ChatRequest::default() };
            let answer = structured::<T>(&*model, request, &StructuredOptions::default()).await?;
            Ok::<T, NodeError>(answer.value)
        };
        cx.once(key, work).await
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("prompts", &self.prompts)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
