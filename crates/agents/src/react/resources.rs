//! What the nodes work with beside the state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::NodeError;
use graphloom_llm::ChatModel;

use super::ReactState;
use crate::{CompactionOptions, ConverseOptions, Prompts, Risk, ToolRegistry};

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
    /// When the beginning of the conversation is summarised.
    pub compaction: CompactionOptions,
    /// Tools whose success ends the conversation, with [`StopReason::Ended`](crate::StopReason::Ended).
    pub ending: BTreeSet<String>,
    /// The agents of a team, by their names, which are those of the tools that call them.
    pub(crate) agents: Arc<BTreeMap<String, ReactResources>>,
}

impl ReactResources {
    /// Resources with the default options.
    pub fn new(model: Arc<dyn ChatModel>, tools: ToolRegistry, prompts: Arc<Prompts>) -> Self {
        Self {
            model,
            tools,
            prompts,
            options: ConverseOptions::default(),
            approve_from: Risk::Write,
            compaction: CompactionOptions::default(),
            ending: BTreeSet::new(),
            agents: Arc::default(),
        }
    }

    /// What the agent works with whose state this is: one of a team, or the only one.
    pub(crate) fn of(&self, state: &ReactState) -> Result<&Self, NodeError> {
        let Some(assignment) = &state.assignment else { return Ok(self) };
        self.agents.get(&assignment.agent).ok_or_else(|| {
            let known: Vec<&str> = self.agents.keys().map(String::as_str).collect();
            let message = format!("the team has no agent `{}` any more; it has {}", assignment.agent, known.join(", "));
            NodeError::terminal(message)
        })
    }
}

impl fmt::Debug for ReactResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReactResources")
            .field("model", &self.model.id().to_string())
            .field("tools", &self.tools)
            .field("options", &self.options)
            .field("approve_from", &self.approve_from)
            .field("agents", &self.agents.keys())
            .finish_non_exhaustive()
    }
}
