//! What each demo graph does, as clients are promised it.

mod chats;
mod fan_out;
mod loops_and_lines;
mod memories;
mod questions;

use std::fmt::Debug;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Compiled, Event, EventKind, Outcome, Question, Questions, Run, RunError, State, Thread};
use serde_json::Value;

use super::CUSTOM;
use crate::messages::{MESSAGE_EVENT, MessageChunk};

/// What a run told and how it ended.
struct Played<S: State> {
    /// The values of custom events without a name.
    custom: Vec<Value>,
    chunks: Vec<MessageChunk>,
    outcome: Result<Outcome<S>, RunError>,
}

async fn play<S: State>(mut run: Run<S>) -> Played<S> {
    let (mut custom, mut chunks) = (Vec::new(), Vec::new());
    while let Some(Event { kind, .. }) = run.next().await {
        let EventKind::Custom { name, payload } = kind else { continue };
        match name.as_str() {
            CUSTOM => custom.push(payload.json()),
            MESSAGE_EVENT => chunks.push(payload.get::<MessageChunk>().expect("a chunk, as it was emitted").clone()),
            other => panic!("`{other}` is no event of a demo graph"),
        }
    }
    Played { custom, chunks, outcome: run.await }
}

impl<S: State + Debug> Played<S> {
    fn done(self) -> Arc<S> {
        self.outcome.expect("the run does not fail").done().expect("the run is done")
    }

    fn values(self) -> Value {
        values(&*self.done())
    }

    fn waiting(self) -> Questions {
        match self.outcome.expect("the run does not fail") {
            Outcome::Waiting(questions) => questions,
            other => panic!("the run waits, and does not end as {other:?}"),
        }
    }

    fn failed(self) -> RunError {
        self.outcome.expect_err("the run fails")
    }
}

fn values(state: &impl State) -> Value {
    serde_json::to_value(state).expect("a state is JSON")
}

/// A thread in a store of its own.
fn thread<S: State>(graph: &Compiled<S>) -> Thread<S> {
    graph.with_checkpointer(MemoryCheckpointer::new()).thread("t")
}

/// What is asked, in the order of the tasks.
fn asked(questions: &Questions) -> Vec<Value> {
    questions.iter().map(|question: &Question| question.payload.clone()).collect()
}

/// The nodes of each super-step of the root graph.
async fn steps<S: State, Cx: Send + Sync + 'static>(thread: &Thread<S, Cx>) -> Vec<String> {
    let journal = thread.journal(0, usize::MAX).await.expect("the journal reads");
    let committed = journal.into_iter().filter(|event| event.ns.is_empty()).filter_map(|event| match event.kind {
        EventKind::Committed { tasks, .. } if !tasks.is_empty() => Some(tasks),
        _ => None,
    });
    let nodes = |task: &Arc<str>| task.split(':').next().unwrap_or_default().to_owned();
    committed.map(|tasks| tasks.iter().map(nodes).collect::<Vec<_>>().join(" ")).collect()
}
