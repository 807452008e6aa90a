//! What a log holds.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Source, ThreadStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::graph::Fields;
use crate::messages::MessageChunk;
use crate::records::RunFailure;
use crate::usage::ModelCall;

/// One entry of a thread's log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Counts the entries of the thread, from 1.
    pub(crate) seq: u64,
    /// Milliseconds since 1970.
    pub(crate) time: u64,
    /// The run that told it.
    pub(crate) run: Uuid,
    /// The namespace of the runtime: `""` for the root graph.
    pub(crate) ns: Arc<str>,
    /// Super-steps committed in the namespace.
    pub(crate) step: u64,
    pub(crate) event: LogEvent,
}

/// What happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogEvent {
    /// A run began, or goes on after its process died.
    RunStarted {
        graph: String,
        assistant: Uuid,
        /// Counts from 1; more after a crash.
        attempt: u32,
        /// The checkpoint at the head before the run.
        base: Option<u64>,
        /// The state on which a run goes on that begins with no input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        values: Option<Fields>,
        /// What its client asked of its streams, of a run whose record goes with its end.
        #[serde(default, skip_serializing_if = "Fields::is_empty")]
        asked: Fields,
    },
    /// A subgraph began, or goes on.
    SubgraphStarted { graph: String },
    /// A subgraph stopped.
    SubgraphEnded { graph: String, status: ThreadStatus, detail: String },
    /// An attempt of a task began.
    TaskStarted { task: Arc<str>, node: String, attempt: u32, packet: Option<Value> },
    /// A task ended, and was committed: with what it wrote, `null` where it wrote nothing.
    Update { task: Arc<str>, node: String, values: Value },
    /// A task failed, and is tried again after so many milliseconds.
    TaskRetry { task: Arc<str>, node: String, error: String, delay: u64 },
    /// A task failed for good.
    TaskFailed { task: Arc<str>, node: String, error: String },
    /// A task waits for an answer.
    Interrupted { task: Arc<str>, node: String, interrupt: Interrupt },
    /// A task of a branch asked again what the run had brought the answer to.
    AskedAgain { task: Arc<str>, node: String, interrupt: Interrupt },
    /// A node told something.
    Custom { task: Arc<str>, node: String, name: String, payload: Value },
    /// A node called a model.
    ModelCall { task: Arc<str>, node: String, call: ModelCall },
    /// A node told a piece of a message.
    Message { task: Arc<str>, node: String, chunk: MessageChunk },
    /// A commit, and the state after it.
    Commit(CommitOf),
    /// The state of the thread was changed from outside of its runs: of none, by this checkpoint.
    StateUpdated { checkpoint: u64 },
    /// Something that is worth a look.
    Warning { message: String },
    /// Events were lost before they were logged.
    Lost { events: u64 },
    /// The run ended.
    RunEnded {
        /// As the LangGraph wire has it: `success`, `error`, `interrupted`, `timeout`.
        status: String,
        failure: Option<RunFailure>,
        /// What the thread waits for.
        interrupts: Vec<Interrupt>,
    },
}

/// A commit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CommitOf {
    /// The checkpoint's number in its namespace.
    pub(crate) number: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) source: Source,
    /// The fields that changed.
    pub(crate) changed: Vec<Arc<str>>,
    /// The nodes that have tasks now.
    pub(crate) next: Vec<Arc<str>>,
    /// The state, without the fields that nobody wrote.
    pub(crate) values: Fields,
}

/// A question that waits for an answer, as clients see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Interrupt {
    /// 32 hexadecimal digits.
    pub(crate) id: String,
    pub(crate) value: Value,
    /// The key under which the node asked.
    pub(crate) key: String,
    /// The path of the task that asked.
    pub(crate) task: String,
    /// The namespace of that task, as the runtime names it.
    #[serde(default)]
    pub(crate) ns: String,
    /// What an answer looks like, as JSON Schema, where the graph says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) response_schema: Option<Value>,
}

impl Entry {
    /// The number of the checkpoint, where this tells a commit of the root graph.
    pub(crate) fn root_commit(&self) -> Option<u64> {
        match &self.event {
            LogEvent::Commit(commit) if self.ns.is_empty() => Some(commit.number),
            _ => None,
        }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        const BARE: usize = 256;
        let of_what_it_carries = match &self.event {
            LogEvent::Custom { payload: value, .. }
            | LogEvent::Update { values: value, .. }
            | LogEvent::TaskStarted { packet: Some(value), .. } => bytes(value),
            LogEvent::Commit(CommitOf { values, .. }) => bytes_of(values),
            LogEvent::RunStarted { values, asked, .. } => values.as_ref().map_or(0, bytes_of) + bytes_of(asked),
            LogEvent::Message { chunk, .. } => bytes_of_chunk(chunk),
            LogEvent::ModelCall { call, .. } => call.bytes(),
            LogEvent::Interrupted { interrupt, .. } | LogEvent::AskedAgain { interrupt, .. } => {
                bytes_of_interrupt(interrupt)
            }
            LogEvent::RunEnded { failure, interrupts, .. } => {
                let failure = failure.as_ref().map_or(0, |failure| failure.message.len());
                failure + interrupts.iter().map(bytes_of_interrupt).sum::<usize>()
            }
            LogEvent::TaskRetry { error: text, .. }
            | LogEvent::TaskFailed { error: text, .. }
            | LogEvent::Warning { message: text }
            | LogEvent::SubgraphEnded { detail: text, .. } => text.len(),
            LogEvent::TaskStarted { packet: None, .. }
            | LogEvent::SubgraphStarted { .. }
            | LogEvent::StateUpdated { .. }
            | LogEvent::Lost { .. } => 0,
        };
        BARE + of_what_it_carries
    }
}

fn bytes_of_chunk(chunk: &MessageChunk) -> usize {
    let calls = chunk.tool_calls.iter().map(|call| call.args.len());
    chunk.content.len() + chunk.reasoning.as_ref().map_or(0, String::len) + calls.sum::<usize>()
}

fn bytes_of_interrupt(interrupt: &Interrupt) -> usize {
    bytes(&interrupt.value) + interrupt.response_schema.as_ref().map_or(0, bytes)
}

fn bytes(value: &Value) -> usize {
    const PLAIN: usize = 32;
    PLAIN
        + match value {
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(bytes).sum(),
            Value::Object(fields) => bytes_of(fields),
            _ => 0,
        }
}

fn bytes_of(fields: &Fields) -> usize {
    fields.iter().map(|(name, value)| name.len() + bytes(value)).sum()
}
