//! What the nodes work with beside the state.

use std::fmt;
use std::sync::Arc;

use graphloom_llm::ChatModel;

use crate::{ConverseOptions, Prompts, Risk, ToolRegistry};

/// What the nodes of the agent work with beside its state.
#[derive(Clone)]
#[non_exhaustive]
pub struct ReactResources {
    /// The model that is asked.
    pub model: Arc<dyn ChatModel>,
    /// The tools that it can use. Their own [`Confirm`](crate::Confirm) is not asked: approvals are questions of the run.
    pub tools: ToolRegistry,
    /// The templates, of which those under `agents/` are used.
    pub prompts: Arc<Prompts>,
    /// Limits and settings of the turns. `parallel`, `key` and `repeats` are not read: the graph has its own.
    pub options: ConverseOptions,
    /// From which risk on a person is asked before a call; [`Risk::Write`] unless set.
    pub approve_from: Risk,
}

impl ReactResources {
    /// Resources with the default options.
    pub fn new(model: Arc<dyn ChatModel>, tools: ToolRegistry, prompts: Arc<Prompts>) -> Self {
        Self { model, tools, prompts, options: ConverseOptions::default(), approve_from: Risk::Write }
    }
}

impl fmt::Debug for ReactResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReactResources")
            .field("model", &self.model.id().to_string())
            .field("tools", &self.tools)
            .field("options", &self.options)
            .field("approve_from", &self.approve_from)
            .finish_non_exhaustive()
    }
}
