//! A state that every test understands, nodes that leave a note, and the execution log of a thread.

use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{
    Compiled, EntryPoint, EntryState, EntryValue, EventKind, Log, NodeError, Outcome, Run, RunError, RunPolicy,
    Snapshot, State, StateGraph, Table, Thread, Threads,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::place::{as_it_is_run, only_in_place};

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Work {
    #[state(append)]
    pub(crate) notes: Log<String>,
    #[state(add)]
    pub(crate) count: i64,
    #[state(merge)]
    pub(crate) parts: Table<u64, String>,
    pub(crate) last: String,
    pub(crate) other: String,
    #[state(reduce_with = burst_at_13)]
    pub(crate) fragile: u32,
}

fn burst_at_13(value: &mut u32, by: u32) {
    assert!(by != 13, "the reducer dislikes 13");
    *value += by;
}

impl Work {
    /// The notes, with spaces between.
    pub(crate) fn story(&self) -> String {
        self.notes.iter().cloned().collect::<Vec<_>>().join(" ")
    }
}

/// The state of a subgraph that counts.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Memory {
    pub(crate) topic: String,
    #[state(add)]
    pub(crate) n: u64,
    #[state(append)]
    pub(crate) lines: Log<String>,
}

impl Memory {
    /// The lines, joined.
    pub(crate) fn said(&self) -> String {
        self.lines.iter().cloned().collect::<Vec<_>>().join("+")
    }
}

/// What a node of these tests returns.
pub(crate) type Noted = Result<WorkUpdate, NodeError>;

/// The update that leaves a note.
pub(crate) fn noted(note: impl Into<String>) -> WorkUpdate {
    Work::update().notes([note.into()])
}

/// A node that leaves its name.
pub(crate) fn note(name: &'static str) -> impl Fn(Snapshot<Work>) -> Ready<Noted> + Send + Sync + 'static {
    move |_| ready(Ok(noted(name)))
}

/// How the tests compile a graph that is right.
pub(crate) trait Build<S: State> {
    /// The graph as it is run: its tasks may be executed elsewhere.
    fn built(self) -> Compiled<S>;
}

impl<S: State> Build<S> for StateGraph<S> {
    fn built(self) -> Compiled<S> {
        as_it_is_run(self.compile().expect("the graph is right"))
    }
}

impl<I: EntryValue + Clone, O: EntryValue, P: EntryValue> Build<EntryState<I, O, P>> for EntryPoint<I, O, P> {
    fn built(self) -> Compiled<EntryState<I, O, P>> {
        as_it_is_run(self.compile().expect("the function is right"))
    }
}

/// Threads of a graph in a new memory store.
pub(crate) fn threads(graph: StateGraph<Work>) -> Threads<Work> {
    graph.built().with_checkpointer(MemoryCheckpointer::new())
}

/// One thread of a graph in a new memory store.
pub(crate) fn thread(graph: StateGraph<Work>) -> Thread<Work> {
    threads(graph).thread("t")
}

/// The same thread, whose tasks end in the order in which they begin: in place short ones do, elsewhere where there is one at a time.
pub(crate) fn in_order<S: State>(thread: Thread<S>) -> Thread<S> {
    if only_in_place("tasks beside each other end as they may") {
        return thread.policy(RunPolicy::default().max_concurrency(1));
    }
    thread
}

/// The nodes of each super-step of the root graph, from the journal: one text per step, in commit order.
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

/// The state of a run that must be done.
pub(crate) fn done(outcome: Result<Outcome<Work>, RunError>) -> Arc<Work> {
    outcome.expect("the run does not fail").done().expect("the run is done")
}

/// The message of a run that must fail.
pub(crate) fn failed(outcome: Result<Outcome<Work>, RunError>) -> String {
    outcome.expect_err("the run fails").to_string()
}

/// Counts and orders what happened outside the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<String>>>);

impl Calls {
    pub(crate) fn add(&self, call: impl Into<String>) {
        self.0.lock().expect("no test panics here").push(call.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("no test panics here").clone()
    }

    pub(crate) fn count(&self, call: &str) -> usize {
        self.all().iter().filter(|other| *other == call).count()
    }

    /// Waits until this call was made: a task that is executed elsewhere hears only after its run has ended that it is over.
    pub(crate) async fn until(&self, call: &str) {
        while self.count(call) == 0 {
            tokio::task::yield_now().await;
        }
    }
}

/// Holds nodes back until it is opened, and then no more.
#[derive(Clone, Debug)]
pub(crate) struct Gate(Arc<tokio::sync::watch::Sender<bool>>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(tokio::sync::watch::Sender::new(false)))
    }
}

impl Gate {
    pub(crate) async fn pass(&self) {
        self.0.subscribe().wait_for(|open| *open).await.expect("the gate outlives who waits");
    }

    /// Lets everybody through.
    pub(crate) fn open(&self) {
        self.0.send_replace(true);
    }

    /// Lets everybody through once an attempt of the run has failed; how the run ends.
    pub(crate) async fn open_when_refused(&self, mut run: Run<Work>) -> Result<Outcome<Work>, RunError> {
        while let Some(event) = run.next().await {
            if event.ns.is_empty() && matches!(event.kind, EventKind::TaskFailed { .. } | EventKind::TaskRetry { .. }) {
                self.open();
            }
        }
        run.await
    }
}
