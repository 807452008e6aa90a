//! Tasks in the words of the wire.

use std::sync::Arc;

use serde_json::{Value, json};

use super::interrupt;
use super::projection::Facts;
use crate::graph::{namespace, task_id};
use crate::log::{Entry, Interrupt, LogEvent};
use crate::records::RunFailure;

/// A task that has begun.
#[derive(Clone)]
pub(super) struct RunningTask {
    /// Its path.
    pub(super) path: Arc<str>,
    pub(super) node: String,
    /// The super-step that it is of.
    pub(super) step: i64,
    /// Whether it was sent for, with an input of its own.
    pub(super) is_sent: bool,
    /// The entry that has its input: its own start, or the commit before it.
    pub(super) stood: Option<Arc<Entry>>,
}

/// How a task ended.
pub(super) enum TaskEnd<'e> {
    Wrote(&'e Value),
    Failed(&'e str),
    Asked(&'e [Interrupt]),
}

impl RunningTask {
    /// What it was given.
    pub(super) fn input(&self) -> Value {
        let Some(entry) = &self.stood else { return Value::Null };
        match &entry.event {
            LogEvent::TaskStarted { packet: Some(packet), .. } => packet.clone(),
            LogEvent::Commit(commit) => commit.values.clone().into(),
            LogEvent::RunStarted { values: Some(values), .. } => values.clone().into(),
            _ => Value::Null,
        }
    }

    /// What made it run.
    pub(super) fn triggers(&self) -> Value {
        if self.is_sent { json!(["__pregel_push"]) } else { json!([format!("branch:to:{}", self.node)]) }
    }

    /// Where it is in its graph.
    pub(super) fn wire_path(&self) -> Value {
        if !self.is_sent {
            return json!(["__pregel_pull", self.node]);
        }
        let place = self.path.rsplit_once('.').and_then(|(_, place)| place.parse::<u64>().ok());
        json!(["__pregel_push", place.unwrap_or_default(), false])
    }

    /// The data of `tasks` when it begins.
    pub(super) fn start(&self, facts: &Facts) -> Value {
        json!({
            "id": task_id(&facts.thread, &self.path),
            "name": self.node,
            "input": self.input(),
            "triggers": self.triggers(),
            "metadata": facts.metadata(),
        })
    }

    /// The data of `tasks` when it ends.
    pub(super) fn end(&self, facts: &Facts, end: &TaskEnd<'_>) -> Value {
        let failure = |message: &str| RunFailure { error: "NodeError".to_owned(), message: message.to_owned() };
        let (error, result, interrupts) = match end {
            TaskEnd::Wrote(Value::Null) => (None, json!({}), &[][..]),
            TaskEnd::Wrote(values) => (None, (*values).clone(), &[][..]),
            TaskEnd::Failed(message) => (Some(failure(message)), json!({}), &[][..]),
            TaskEnd::Asked(interrupts) => (None, json!({}), *interrupts),
        };
        json!({
            "id": task_id(&facts.thread, &self.path),
            "name": self.node,
            "error": error,
            "result": result,
            "interrupts": interrupts.iter().map(interrupt).collect::<Vec<_>>(),
        })
    }

    /// What is told with the messages of the task.
    pub(super) fn metadata(&self, facts: &Facts) -> Value {
        let mut metadata = facts.metadata();
        let ns = namespace(&facts.thread, &self.path);
        for (key, value) in [
            ("thread_id", json!(facts.thread)),
            ("langgraph_step", json!(self.step)),
            ("langgraph_node", json!(self.node)),
            ("langgraph_triggers", self.triggers()),
            ("langgraph_path", self.wire_path()),
            ("langgraph_checkpoint_ns", json!(ns)),
            ("checkpoint_ns", json!(ns)),
        ] {
            metadata[key] = value;
        }
        metadata
    }
}
