//! The state of all cases, nodes that log, and what a thread tells of itself.

use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{
    EventKind, Log, Node, NodeError, Outcome, Questions, RunError, Snapshot, State, StateGraph, Table, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `x` is a last value, `log` is appended to; the others are for single cases.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Work {
    pub(crate) x: i64,
    #[state(append)]
    pub(crate) log: Log<String>,
    #[state(add)]
    pub(crate) sum: i64,
    #[state(merge)]
    pub(crate) parts: Table<u64, String>,
    pub(crate) text: String,
    /// The log once more, as one value.
    pub(crate) whole: Vec<String>,
}

/// What a node of the cases returns.
pub(crate) type Worked = Result<WorkUpdate, NodeError>;

impl Work {
    /// The log, with spaces between.
    pub(crate) fn story(&self) -> String {
        self.log.iter().cloned().collect::<Vec<_>>().join(" ")
    }
}

/// The update that logs a line.
pub(crate) fn line(text: impl Into<String>) -> WorkUpdate {
    Work::update().log([text.into()])
}

/// A node that logs its name.
pub(crate) fn says(name: &str) -> impl Fn(Snapshot<Work>) -> Ready<Worked> + Send + Sync + 'static {
    let name = name.to_owned();
    move |_| ready(Ok(line(name.clone())))
}

/// Adds nodes that log their names.
pub(crate) fn add_nodes(graph: &mut StateGraph<Work>, nodes: &[Node]) {
    for node in nodes {
        graph.add_node(node.clone(), says(node.as_str()));
    }
}

/// The nodes of each super-step of the root graph, in commit order, from the journal.
pub(crate) async fn steps(thread: &Thread<Work>) -> Vec<String> {
    let journal = thread.journal(0, usize::MAX).await.expect("the journal reads");
    let committed = journal.into_iter().filter(|event| event.ns.is_empty()).filter_map(|event| match event.kind {
        EventKind::Committed { tasks, .. } if !tasks.is_empty() => Some(tasks),
        _ => None,
    });
    committed
        .map(|tasks| tasks.iter().map(|task| task.split(':').next().unwrap_or("?")).collect::<Vec<_>>().join(" "))
        .collect()
}

/// The warnings in a thread's journal.
pub(crate) async fn warnings(thread: &Thread<Work>) -> Vec<String> {
    let journal = thread.journal(0, usize::MAX).await.expect("the journal reads");
    let warnings = journal.into_iter().filter_map(|event| match event.kind {
        EventKind::Warning { message } => Some(message),
        _ => None,
    });
    warnings.collect()
}

/// A thread's status.
pub(crate) async fn status(thread: &Thread<Work>) -> ThreadStatus {
    thread.state().await.expect("the thread reads").status
}

/// The state of a run that must be done.
pub(crate) fn done(outcome: Result<Outcome<Work>, RunError>) -> Arc<Work> {
    outcome.expect("the run does not fail").done().expect("the run is done")
}

/// The message of a run that must fail.
pub(crate) fn failed(outcome: Result<Outcome<Work>, RunError>) -> String {
    outcome.expect_err("the run fails").to_string()
}

/// The questions of a run that must wait.
pub(crate) fn waiting(outcome: Result<Outcome<Work>, RunError>) -> Questions {
    match outcome.expect("the run does not fail") {
        Outcome::Waiting(questions) => questions,
        other => panic!("the run waits: {other:?}"),
    }
}

/// What happened outside the state, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<String>>>);

impl Calls {
    pub(crate) fn add(&self, call: impl Into<String>) {
        self.0.lock().expect("nobody panics here").push(call.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics here").clone()
    }

    pub(crate) fn count(&self, call: &str) -> usize {
        self.all().iter().filter(|other| *other == call).count()
    }
}
