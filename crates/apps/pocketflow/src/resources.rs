//! What the nodes work with beside the state.

use std::fmt;
use std::sync::Arc;

use graphloom_agents::{AgentError, Models, Prompts, Strategy, ToldModel, logged_step};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{ChatRequest, Params, StructuredOptions, structured};
use graphloom_retrieval::Search;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::profile::{FlowProfile, profile, prompts};

/// The task type of the one call that makes all of what is asked for.
pub(crate) const WHOLE: &str = "*";

/// What the nodes work with beside the state.
pub struct Resources {
    /// The models; the profile says which role asks for what.
    pub models: Models,
    /// The prompts.
    pub prompts: Prompts,
    /// Which prompt and which role serve what is asked for.
    pub profile: FlowProfile,
    /// What is searched: documents, the literature, the web.
    pub search: Arc<dyn Search>,
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
    /// How often rejected queries are made again before editing by hand is offered.
    pub query_cycles: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { records_per_query: 5, records: 12, record_bytes: 4_000, query_cycles: 5 }
    }
}

impl Resources {
    /// Resources with the built-in prompts and profile and default limits.
    ///
    /// # Errors
    /// None but a fault of this program: prompts and profile are always the same.
    pub fn new(models: Models, search: Arc<dyn Search>, store: Arc<dyn Store>) -> Result<Self, AgentError> {
        let (prompts, profile) = (prompts()?, profile()?);
        Ok(Self { models, prompts, profile, search, store, limits: Limits::default() })
    }

    /// How the model for an action is worked with.
    pub(crate) fn strategy(&self, action: &str) -> Result<Strategy, NodeError> {
        let spec = self.profile.agent(action, WHOLE).map_err(NodeError::terminal)?;
        Ok(Strategy::of(self.models.role(&spec.role).capabilities()))
    }

    /// Asks the model for the whole of what an action makes. The answer is a durable step: it is never asked for twice.
    pub(crate) async fn ask<T>(
        &self,
        cx: &Context<Self>,
        key: &str,
        action: &str,
        args: &(impl Serialize + Sync),
    ) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        let spec = self.profile.agent(action, WHOLE).map_err(NodeError::terminal)?;
        let messages = self.prompts.render(&spec.template, args).map_err(NodeError::terminal)?.messages;
        let params = Params { temperature: spec.temperature, max_tokens: spec.max_tokens, ..Params::default() };
        let model = ToldModel::new(cx, self.models.role(&spec.role), Some(&spec.role));
        let work = async move {
            let request = ChatRequest { messages, params, ..ChatRequest::default() };
            let answer = structured::<T>(&model, request, &StructuredOptions::default()).await?;
            Ok::<_, NodeError>(answer.value)
        };
        logged_step(cx, key, work).await
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
