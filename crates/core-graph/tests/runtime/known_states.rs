//! A thread is read again by what has changed since, and what is read is the same as if it were read whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, FieldRecord, MemoryCheckpointer,
};
use graphloom_core_graph::{
    Answers, App, Context, END, Log, Mode, Node, NodeError, Outcome, RunPolicy, START, Shared, Snapshot, State,
    StateGraph, Task, Thread, Threads,
};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Build, Noted, Work, done, noted};

const GO: Node = Node::named("go");

/// A graph whose runs fold their input and leave a note.
fn noting() -> App<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(GO, |work: Snapshot<Work>| async move { Noted::Ok(noted(format!("{} notes", work.notes.len()))) });
    graph.add_edge(START, GO).add_edge(GO, END);
    graph.built().with_context(())
}

/// Counts the records of fields that are read, and their bytes.
#[derive(Clone, Default)]
struct Reads {
    store: MemoryCheckpointer,
    records: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
}

impl Reads {
    fn count(&self, records: Vec<FieldRecord>) -> Vec<FieldRecord> {
        self.records.fetch_add(records.len(), Ordering::Relaxed);
        let bytes = records.iter().map(|record| record.payload.bytes().len()).sum();
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        records
    }

    /// Records and bytes since this was asked last.
    fn take(&self) -> (usize, usize) {
        (self.records.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }
}

#[async_trait]
impl CheckpointerLayer for Reads {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        Ok(self.count(self.store.field(thread, ns, field, version).await?))
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        Ok(self.count(self.store.field_after(thread, ns, field, version, known).await?))
    }
}

#[tokio::test]
async fn a_turn_of_a_long_conversation_reads_what_the_turn_before_it_wrote() {
    let reads = Reads::default();
    let thread = noting().with_checkpointer(reads.clone()).thread("t");
    let mut bytes = Vec::new();
    for _ in 0..100 {
        reads.take();
        done(thread.run(noted("x".repeat(1000))).await);
        assert_eq!(thread.state().await.unwrap().state.notes.len() % 2, 0);
        bytes.push(reads.take().1);
    }
    let (early, late) = (bytes[10], bytes[99]);
    assert!(late <= early + 200 && late < 5_000, "{early} bytes in turn 10, {late} in turn 99");
    let whole = thread.policy(RunPolicy::default().without(FastPath::KnownStates));
    whole.state().await.unwrap();
    assert!(reads.take().1 > 100_000, "without what is known all is read");
}

#[tokio::test]
async fn states_are_kept_up_to_a_limit() {
    let reads = Reads::default();
    // Of three states two fit into 20 000 bytes: that of the thread which was not read for the longest time goes.
    for (limit, first_is_known, last_is_known) in [(0, false, false), (20_000, false, true), (200_000, true, true)] {
        let threads = noting().with_checkpointer(reads.clone()).with_state_cache(limit);
        let thread = |name: &str| threads.thread(format!("{name}{limit}"));
        for name in ["a", "b", "c"] {
            done(thread(name).run(noted("x".repeat(9_000))).await);
            thread(name).state().await.unwrap();
        }
        for (name, is_known) in [("a", first_is_known), ("c", last_is_known)] {
            reads.take();
            thread(name).state().await.unwrap();
            let read = reads.take().1;
            assert_eq!(read < 1_000, is_known, "{read} bytes of {name} at {limit}");
        }
    }
}

/// What somebody does to a thread.
#[derive(Clone, Debug)]
enum Act {
    /// Runs it, in this process or in another one.
    Run { here: bool, note: String, part: u64, last: Option<String> },
    /// Updates its state at the head.
    Update { note: String },
    /// Goes back to the n-th newest checkpoint, and on from there.
    Fork { back: usize },
    /// Runs it from the n-th newest checkpoint, or from before the first, in this process or in another one.
    RunAt { here: bool, back: usize, note: String },
    /// Looks at it.
    Look,
    /// Deletes it.
    Delete,
}

fn act() -> impl Strategy<Value = Act> {
    let note = || "[a-z]{1,4}";
    prop_oneof![
        5 => (any::<bool>(), note(), 0..4_u64, prop::option::of(note()))
            .prop_map(|(here, note, part, last)| Act::Run { here, note, part, last }),
        1 => note().prop_map(|note| Act::Update { note }),
        2 => (0..6_usize).prop_map(|back| Act::Fork { back }),
        2 => (any::<bool>(), 0..6_usize, note()).prop_map(|(here, back, note)| Act::RunAt { here, back, note }),
        2 => Just(Act::Look),
        1 => Just(Act::Delete),
    ]
}

async fn carry_out(act: &Act, here: &Thread<Work>, there: &Thread<Work>, store: &MemoryCheckpointer) {
    match act {
        Act::Run { here: is_here, note, part, last } => {
            let thread = if *is_here { here } else { there };
            let mut input = noted(note.as_str()).parts([(*part, note.clone())]).count(1);
            if let Some(last) = last {
                input = input.last(last.clone());
            }
            done(thread.abandon().run(input).await);
        }
        Act::Update { note } => drop(here.update_state(GO, noted(note.as_str())).await),
        Act::Fork { back } => {
            let history = here.history(&Default::default()).await.unwrap_or_default();
            if let Some(row) = history.get(*back) {
                here.at(row.number).fork().await.expect("it forks");
            }
        }
        Act::RunAt { here: is_here, back, note } => {
            let thread = if *is_here { here } else { there };
            let history = thread.history(&Default::default()).await.unwrap_or_default();
            let number = history.get(*back).map_or(0, |row| row.number);
            done(thread.at(number).run(noted(note.as_str()).count(1)).await);
        }
        Act::Look => drop(here.state().await),
        Act::Delete => store.delete_thread("t").await.unwrap_or_default(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_read_is_the_same_as_if_it_were_read_whole(acts in prop::collection::vec(act(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let store = MemoryCheckpointer::new();
            let threads = |kept: bool| -> Threads<Work> {
                let threads = noting().with_checkpointer(store.clone());
                if kept { threads.with_small_states_kept() } else { threads.with_state_cache(0) }
            };
            let (here, there, whole) = (threads(true).thread("t"), threads(true).thread("t"), threads(false).thread("t"));
            for act in &acts {
                carry_out(act, &here, &there, &store).await;
                let (known, whole) = (here.state().await.unwrap(), whole.state().await.unwrap());
                assert_eq!(*known.state, *whole.state, "after {act:?}");
                assert_eq!(known.checkpoint, whole.checkpoint);
            }
        });
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Large {
    #[state(append)]
    found: Log<u64>,
    document: Shared<String>,
    #[state(append)]
    log: Log<String>,
}

const SPLIT: Node = Node::named("split");
const WAIT: Task<u64> = Task::named("wait");
const NEXT: Task<u64> = Task::named("next");

/// Each task of a chain sends one that asks, so that each of those has a dispatch version of its own.
fn asking(tasks: u64) -> App<Large> {
    let mut graph = StateGraph::<Large>::new("large");
    graph.mode(Mode::Eager);
    graph.add_node(SPLIT, |_: Snapshot<Large>| async { Ok::<_, NodeError>(Large::update()) });
    graph
        .add_task(WAIT, |at: u64, large: Snapshot<Large>, cx: Context| async move {
            let go: u64 = cx.ask("go", &at).await?;
            let seen = large.log.iter().next().map_or(0, String::len) as u64;
            Ok::<_, NodeError>(Large::update().found([at * go + large.found.len() as u64 + seen]))
        })
        .asks::<u64>("go");
    graph.add_task(NEXT, |at: u64, _: Snapshot<Large>| async move { Ok::<_, NodeError>(Large::update().found([at])) });
    graph.add_edge(START, SPLIT);
    graph.add_sends(SPLIT, NEXT, |_: &Large| vec![NEXT.send(0, 0)]);
    graph.add_sends(NEXT, WAIT, |large: &Large| vec![WAIT.send(large.found.len() as u64, large.found.len() as u64)]);
    graph.add_sends(NEXT, NEXT, move |large: &Large| {
        let at = large.found.len() as u64;
        if at < tasks { vec![NEXT.send(at, at)] } else { Vec::new() }
    });
    graph.built().with_context(())
}

#[tokio::test]
async fn tasks_of_many_dispatch_versions_are_read_by_what_differs() {
    let reads = Reads::default();
    let thread = || asking(200).with_checkpointer(reads.clone()).thread("t");
    let letters = 100_000;
    let input = Large::update().log(["x".repeat(letters)]).document("y".repeat(letters));
    let Outcome::Waiting(questions) = thread().run(input).await.unwrap() else { panic!("it waits") };
    assert_eq!(questions.iter().count(), 200);
    reads.take();
    let answered = questions
        .iter()
        .fold(Answers::new(), |answers, question| answers.and(&question.id, 1).expect("it is a number"));
    let Outcome::Done(large) = thread().resume(answered).await.unwrap() else { panic!("it ends") };
    let read = reads.take().1;
    assert!(read < 8 * letters, "{read} bytes were read for a state of {letters} twice");
    assert_eq!(large.found.len(), 400);
    // Each saw the state as it was when it was sent.
    let mut seen: Vec<u64> = large.found.iter().copied().filter(|found| *found >= letters as u64).collect();
    seen.sort_unstable();
    let expected: Vec<u64> = (1..=200).map(|at| 2 * at + letters as u64).collect();
    assert_eq!(seen, expected);
}
