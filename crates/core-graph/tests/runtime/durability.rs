//! When commits are durable, and what a failing store does to a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, HistoryFilter, Lease, MemoryCheckpointer, ThreadStatus,
};
use graphloom_core_graph::{
    ChildOutcome, Context, Durability, Node, NodeError, Outcome, RunError, RunPolicy, START, Snapshot, StateGraph,
    Thread,
};

use crate::log::{Build, Calls, Gate, Noted, Work, done, note, noted, steps};
use crate::place::only_in_place;

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

/// Counts commits, and refuses one of them.
#[derive(Clone, Default)]
struct Counted {
    store: MemoryCheckpointer,
    commits: Arc<AtomicI64>,
    /// The number of the commit that fails, from 1; 0 for none.
    fails: Arc<AtomicI64>,
}

#[async_trait]
impl CheckpointerLayer for Counted {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let number = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.fails.load(Ordering::SeqCst) {
            return Err(CheckpointError::Full { path: "disk".to_owned(), message: "no room".to_owned() });
        }
        self.store.commit(lease, commit).await
    }
}

fn chain() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
    graph
}

fn open(graph: StateGraph<Work>, store: &Counted, durability: Durability) -> Thread<Work> {
    let policy = RunPolicy::default().durability(durability);
    graph.built().with_checkpointer(store.clone()).thread("t").policy(policy)
}

#[tokio::test]
async fn each_durability_writes_as_often_as_it_says() {
    for (durability, commits, checkpoints) in
        [(Durability::Sync, 4, 4), (Durability::Async, 4, 4), (Durability::Exit, 1, 1)]
    {
        let store = Counted::default();
        let thread = open(chain(), &store, durability);
        assert_eq!(done(thread.run(Work::update()).await).story(), "a b c");
        assert_eq!(store.commits.load(Ordering::SeqCst), commits, "{durability:?}: an input and three steps");
        assert_eq!(thread.history(&HistoryFilter::default()).await.unwrap().len(), checkpoints);
        let state = thread.state().await.unwrap();
        assert_eq!((state.status, state.state.story().as_str()), (ThreadStatus::Done, "a b c"));
        assert_eq!(steps(&thread).await, ["a", "b", "c"], "the journal is whole in every durability");
        assert_eq!(done(thread.run(Work::update()).await).story(), "a b c a b c");
        assert_eq!(thread.state().await.unwrap().state.story(), "a b c a b c");
    }
}

#[tokio::test]
async fn subgraphs_are_durable_in_every_durability() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let store = Counted::default();
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(A, note("a"));
        graph.add_subgraph(
            B,
            chain().built(),
            |_: &Work| Work::update(),
            |child: ChildOutcome<Work>| Noted::Ok(noted(child.done()?.story())),
        );
        graph.add_edge(START, A).add_edge(A, B);
        let thread = open(graph, &store, durability);
        assert_eq!(done(thread.run(Work::update()).await).story(), "a a b c", "{durability:?}");
        let journal = thread.journal(0, usize::MAX).await.unwrap();
        let seqs: Vec<_> = journal.iter().filter_map(|event| event.seq).collect();
        assert_eq!(seqs, (1..=journal.len() as u64).collect::<Vec<_>>());
        assert_eq!(done(thread.run(Work::update()).await).story(), "a a b c a a b c");
    }
}

#[tokio::test]
async fn a_store_that_fails_ends_the_run_and_the_thread_goes_on_from_its_last_commit() {
    for durability in [Durability::Sync, Durability::Async] {
        for fails in 1..=4 {
            let store = Counted::default();
            store.fails.store(fails, Ordering::SeqCst);
            let thread = open(chain(), &store, durability);
            let error = thread.run(Work::update()).await.unwrap_err();
            assert!(
                matches!(error, RunError::Checkpoint(CheckpointError::Full { .. })),
                "{durability:?} {fails}: {error}"
            );
            let again = match thread.state().await.unwrap().status {
                ThreadStatus::New => thread.run(Work::update()),
                status => {
                    assert_eq!(status, ThreadStatus::Running);
                    thread.continue_()
                }
            };
            assert_eq!(done(again.await).story(), "a b c", "{durability:?} {fails}");
        }
    }
}

#[tokio::test]
async fn a_large_value_is_stored_and_read_back() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(Work::update().last("x".repeat(300_000))) });
    graph.add_edge(START, A);
    let thread = open(graph, &Counted::default(), Durability::Sync);
    done(thread.run(Work::update()).await);
    assert_eq!(thread.state().await.unwrap().state.last.len(), 300_000);
}

/// A store whose commits wait at a gate once there is one.
#[derive(Clone, Default)]
struct Gated {
    store: MemoryCheckpointer,
    gate: Arc<std::sync::OnceLock<Gate>>,
}

#[async_trait]
impl CheckpointerLayer for Gated {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        if let Some(gate) = self.gate.get() {
            gate.pass().await;
        }
        self.store.commit(lease, commit).await
    }
}

#[tokio::test]
async fn a_durable_step_that_is_done_is_kept_when_its_run_is_cancelled() {
    if only_in_place("turns of the scheduler are counted") {
        return;
    }
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (calls, store) = (Calls::default(), Gated::default());
        let mut graph = StateGraph::<Work>::new("g");
        for (node, name) in [(A, "a"), (B, "b")] {
            let (calls, store) = (calls.clone(), store.clone());
            graph.add_node(node, move |_: Snapshot<Work>, cx: Context| {
                let (calls, store) = (calls.clone(), store.clone());
                async move {
                    let effect = async {
                        store.gate.get_or_init(Gate::default);
                        calls.add(name);
                        Ok::<_, NodeError>(())
                    };
                    cx.once("effect", effect).await?;
                    Noted::Ok(noted(name))
                }
            });
        }
        graph.add_edge(START, A).add_edge(START, B);
        let threads = graph.built().with_checkpointer(store.clone());
        let thread = threads.thread("t").policy(RunPolicy::default().durability(durability));
        let run = thread.run(Work::update()).start();
        while calls.all().len() < 2 {
            tokio::task::yield_now().await;
        }
        // Both effects have been made. No record is stored: one waits for the store, and the other for that one.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        assert!(thread.cancel());
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        store.gate.get().unwrap().open();
        assert!(matches!(run.await.unwrap(), Outcome::Cancelled { .. }), "{durability:?}");
        assert_eq!(done(thread.continue_().await).story(), "a b", "{durability:?}");
        if durability == Durability::Exit {
            assert_eq!((calls.count("a"), calls.count("b")), (1, 1), "the run's end has stored what was done");
        }
    }
}
