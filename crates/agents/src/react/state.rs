//! The state of an agent.

use graphloom_core_graph::{Log, State, Table};
use graphloom_llm::{Message, ToolCall, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallRecord, Compaction, FailedCalls, StopReason, ToolOutcome};

/// The state of an agent: what it was asked, what it said and did, and its answer.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[state(crate = graphloom_core_graph)]
pub struct ReactState {
    /// The messages before the first turn.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub opening: Vec<Message>,
    /// What the model said, turn by turn.
    #[state(append)]
    pub turns: Log<TurnRecord>,
    /// The calls with their outcomes, in their order.
    #[state(append)]
    pub calls: Log<CallRecord>,
    /// The calls of the last turn, while they are made.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub pending: Vec<ToolCall>,
    /// The calls of the last turn that were made, by their place in it.
    #[state(merge)]
    pub made: Table<u32, MadeCall>,
    /// Calls of the last turn that an agent handed on to another, by their place in it.
    #[state(merge)]
    pub handed: Table<u32, Assignment>,
    /// What the program around the agent keeps with it, such as the options that it began with.
    pub origin: serde_json::Value,
    /// What this agent works on for another one; nothing for an agent that works by itself.
    pub assignment: Option<Assignment>,
    /// The summaries of its beginning, each of which stands for what the one before it stood for and more.
    #[state(append)]
    pub compactions: Log<Compaction>,
    /// Which calls failed how often.
    pub repeats: FailedCalls,
    /// The model's last words.
    pub answer: Option<String>,
    /// Why the conversation ended; nothing while it goes on.
    pub stop: Option<StopReason>,
    /// Tokens of all turns.
    #[schemars(with = "serde_json::Value")]
    pub usage: Usage,
}

/// What the model said in one turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TurnRecord {
    /// Its message; nothing where it held neither text nor a call, which it is told.
    #[schemars(with = "Option<serde_json::Value>")]
    pub message: Option<Message>,
    /// What had to be tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A call that was made, and the failures that are known after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MadeCall {
    /// Its outcome.
    pub outcome: ToolOutcome,
    /// Which calls failed how often, as this call knows it.
    pub repeats: FailedCalls,
    /// Tokens of the agent that made it, where one did.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    pub usage: Usage,
}

impl MadeCall {
    /// A call that was made.
    pub fn new(outcome: ToolOutcome, repeats: FailedCalls) -> Self {
        Self { outcome, repeats, usage: Usage::default() }
    }
}

/// A call that an agent of a team answers by its own work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Assignment {
    /// The agent.
    pub agent: String,
    /// What it is to do, in the words of the one who calls it.
    pub task: String,
    /// The call that its answer answers.
    #[schemars(with = "serde_json::Value")]
    pub call: ToolTask,
    /// What had to be tolerated in the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The agents that had it before and handed it on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<String>,
    /// Tokens of those agents.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    pub usage: Usage,
}

/// A call that is to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolTask {
    /// The call.
    pub call: ToolCall,
    /// Its place in its turn, from 0.
    pub place: u32,
    /// Which calls failed how often before it.
    pub repeats: FailedCalls,
}
