//! Requests about runs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::request;
use crate::{Checkpoint, RunStatus};

/// What a run tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StreamMode {
    /// The state after each super-step.
    Values,
    /// What each task wrote.
    Updates,
    /// Messages of models, piece by piece, each with what it belongs to.
    MessagesTuple,
    /// Messages of models, each time as far as they have come.
    Messages,
    /// What nodes tell.
    Custom,
    /// Tasks as they begin and end.
    Tasks,
    /// Checkpoints as they are made.
    Checkpoints,
    /// Tasks and checkpoints in more detail.
    Debug,
    /// Events of the callbacks of `LangChain`.
    Events,
}

/// What becomes of a run whose thread is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MultitaskStrategy {
    /// It is refused with 409.
    Reject,
    /// It waits.
    Enqueue,
    /// It takes the place of the other, and goes on from what that has done.
    Interrupt,
    /// It takes the place of the other, as if that had not been.
    Rollback,
}

/// What becomes of a run on a thread that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IfThreadMissing {
    /// It is refused with 404.
    Reject,
    /// The thread is made.
    Create,
}

/// What becomes of a run whose reader goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DisconnectMode {
    /// It is cancelled.
    Cancel,
    /// It goes on.
    Continue,
}

/// When checkpoints are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Before the next super-step begins.
    Sync,
    /// While the next super-step runs.
    Async,
    /// At the end of the run.
    Exit,
}

/// What is done with a run that is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelAction {
    /// What it has done is kept.
    Interrupt,
    /// It and its checkpoints are deleted.
    Rollback,
}

impl CancelAction {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt",
            Self::Rollback => "rollback",
        }
    }
}

/// Nodes of a graph, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Nodes {
    /// One, or all of them as `*`.
    One(String),
    /// Several.
    Some(Vec<String>),
}

impl From<&str> for Nodes {
    fn from(node: &str) -> Self {
        Self::One(node.to_owned())
    }
}

impl<const N: usize> From<[&str; N]> for Nodes {
    fn from(nodes: [&str; N]) -> Self {
        Self::Some(nodes.map(str::to_owned).to_vec())
    }
}

/// Where a run goes on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Goto {
    /// At a node.
    Node(String),
    /// At a node with an input of its own.
    Send {
        /// The node.
        node: String,
        /// Its input.
        input: Value,
    },
    /// At several.
    Each(Vec<Self>),
}

/// What a run is given in the place of an input, to go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[must_use]
pub struct Command {
    #[serde(skip_serializing_if = "Option::is_none")]
    resume: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goto: Option<Goto>,
}

impl Command {
    /// The answer to the only open question.
    pub fn resume(answer: impl Into<Value>) -> Self {
        Self { resume: Some(answer.into()), ..Self::default() }
    }

    /// Answers by the ids of their questions. What is not answered stays open.
    pub fn answers(answers: impl IntoIterator<Item = (String, Value)>) -> Self {
        let answers: BTreeMap<_, _> = answers.into_iter().collect();
        Self::resume(Value::Object(answers.into_iter().collect()))
    }

    /// A jump to nodes.
    pub fn goto(goto: Goto) -> Self {
        Self { goto: Some(goto), ..Self::default() }
    }

    /// The same with an update of the state.
    pub fn and_update(mut self, update: impl Into<Value>) -> Self {
        self.update = Some(update.into());
        self
    }

    /// The same with a jump to nodes.
    pub fn and_goto(mut self, goto: Goto) -> Self {
        self.goto = Some(goto);
        self
    }
}

request! {
    /// A run to be started, of an assistant by its id or of a graph by its name.
    NewRun(assistant_id: String) {
        /// What it begins with. `null` goes on with what is unfinished.
        input: Value,
        /// What it goes on with, in the place of an input.
        command: Command,
        /// `tags`, `recursion_limit`, `configurable`.
        config: Value,
        /// What it is given beside its input.
        context: Value,
        /// What is noted about it.
        metadata: Value,
        /// The checkpoint that it goes on from; the newest unless set. Another makes a branch.
        checkpoint: Checkpoint,
        /// Stops before these nodes.
        interrupt_before: Nodes,
        /// Stops after these nodes.
        interrupt_after: Nodes,
        /// What it tells.
        stream_mode: Vec<StreamMode>,
        /// Whether subgraphs tell as well.
        stream_subgraphs: bool,
        /// Whether the server keeps what it told, so that a stream that breaks off can go on. Streams of this client ask
        /// for it unless it is set.
        stream_resumable: bool,
        /// What becomes of it while another runs on the thread.
        multitask_strategy: MultitaskStrategy,
        /// What becomes of it when the thread is not there.
        if_not_exists: IfThreadMissing,
        /// What becomes of it when its reader goes away.
        on_disconnect: DisconnectMode,
        /// `keep` or `delete` for the thread of a run that has none of its own.
        on_completion: String,
        /// An address that is told of its end.
        webhook: String,
        /// Begins so many seconds later.
        after_seconds: f64,
        /// When its checkpoints are stored.
        durability: Durability,
        /// Whether an answer to a question that is not open is refused.
        strict_resume: bool,
    }
}

request! {
    /// Which runs of a thread are wanted, newest first.
    RunSearch() {
        /// Those of this status.
        status: RunStatus,
        /// At most so many.
        limit: u64,
        /// After so many.
        offset: u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_says_what_was_set_and_no_more() {
        let run = NewRun::new("pipeline").input(json!({"topic": "hills"})).stream_mode([StreamMode::MessagesTuple]);
        let body = json!({"assistant_id": "pipeline", "input": {"topic": "hills"}, "stream_mode": ["messages-tuple"]});
        assert_eq!(serde_json::to_value(run).unwrap(), body);
        // `null` is an input that says something: go on.
        let body = json!({"assistant_id": "pipeline", "input": null});
        assert_eq!(serde_json::to_value(NewRun::new("pipeline").input(Value::Null)).unwrap(), body);
    }

    #[test]
    fn commands_have_the_form_of_the_protocol() {
        let send = Goto::Send { node: "worker".into(), input: json!(1) };
        let command = Command::answers([("b".into(), json!("yes")), ("a".into(), Value::Null)])
            .and_update(json!({"log": ["x"]}))
            .and_goto(Goto::Each(vec![Goto::Node("plan".into()), send]));
        let expected = json!({
            "resume": {"a": null, "b": "yes"},
            "update": {"log": ["x"]},
            "goto": ["plan", {"node": "worker", "input": 1}],
        });
        assert_eq!(serde_json::to_value(command).unwrap(), expected);
    }
}
