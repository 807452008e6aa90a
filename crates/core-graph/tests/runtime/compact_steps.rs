//! Compact steps, as the memory store takes them, read as the commits that any other store gets.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::checkpoint::{
    Checkpointer, CheckpointerLayer, HistoryFilter, MemoryCheckpointer, Retention, Source, fork_thread,
};
use graphloom_core_graph::{
    ChildOutcome, Clock, Compiled, END, Log, Node, NodeError, RunPolicy, START, Snapshot, State, StateGraph, Thread,
    Threads,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::Build;

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const CHILD: Node = Node::named("child");
const LEFT: Node = Node::named("left");
const RIGHT: Node = Node::named("right");
const LAST: Node = Node::named("last");

/// Gets commits: a layer does not pass the compact way on.
struct Commits(MemoryCheckpointer);

#[async_trait]
impl CheckpointerLayer for Commits {
    fn inner(&self) -> &dyn Checkpointer {
        &self.0
    }
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> u64 {
        1_763_000_000_000
    }
}

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Mixed {
    n: u64,
    #[state(add)]
    sum: u64,
    #[state(append)]
    notes: Log<String>,
    text: String,
}

/// Changes one field or several; now and then a text that is too long to be kept in short.
async fn change(state: Snapshot<Mixed>) -> Result<MixedUpdate, NodeError> {
    let n = state.n + 1;
    let mut update = Mixed::update().n(n);
    if n.is_multiple_of(2) {
        update = update.sum(n * 1000);
    }
    if n.is_multiple_of(3) {
        update = update.notes([format!("note {n}")]);
    }
    if n.is_multiple_of(17) {
        update = update.text("x".repeat(usize::try_from(n % 7 * 200).expect("small")));
    }
    Ok(update)
}

/// Two nodes in turn, until `n` is a multiple of `steps`.
fn turns(steps: u64) -> StateGraph<Mixed> {
    let mut graph = StateGraph::<Mixed>::new("turns");
    graph.add_node(A, change);
    graph.add_node(B, change);
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_conditional_edges(B, [A, END], move |state: &Mixed| if state.n.is_multiple_of(steps) { END } else { A });
    graph
}

/// The same, and a join in the end.
fn joined(steps: u64) -> StateGraph<Mixed> {
    let mut graph = StateGraph::<Mixed>::new("joined");
    graph.add_node(A, change);
    graph.add_node(B, change);
    for node in [LEFT, RIGHT, LAST] {
        graph.add_node(node, |_: Snapshot<Mixed>| async { Ok::<_, NodeError>(Mixed::update().sum(1)) });
    }
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_conditional_edges(B, [A, LEFT, RIGHT], move |state: &Mixed| -> Vec<Node> {
        if state.n.is_multiple_of(steps) { vec![LEFT, RIGHT] } else { vec![A] }
    });
    graph.add_join([LEFT, RIGHT], LAST);
    graph
}

/// The turns in a subgraph.
fn inside(steps: u64) -> StateGraph<Mixed> {
    let child: Compiled<Mixed> = turns(steps).built();
    let mut graph = StateGraph::<Mixed>::new("outside");
    graph.add_node(A, change);
    graph.add_node(B, change);
    graph.add_subgraph(
        CHILD,
        child,
        |_: &Mixed| Mixed::update(),
        |child: ChildOutcome<Mixed>| Ok::<_, NodeError>(Mixed::update().sum(child.done()?.sum)),
    );
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, CHILD);
    graph
}

/// All that a store answers of a thread.
async fn answers(store: &dyn Checkpointer, thread: &str) -> Vec<String> {
    let mut all = vec![format!("{:?} {:?}", store.thread(thread).await, store.last_seq(thread).await)];
    for ns in store.namespaces(thread).await.expect("the store answers") {
        let rows = store.checkpoints(thread, &ns, &HistoryFilter::default()).await.expect("the store answers");
        for row in &rows {
            all.push(format!("{ns} {row:?}"));
            assert_eq!(
                store.checkpoint(thread, &ns, Some(row.number)).await.expect("the store answers").as_ref(),
                Some(row)
            );
            for (field, version) in row.fields.iter() {
                all.push(format!("{:?}", store.field(thread, &ns, field, version).await));
            }
        }
        let filter = |before, source, limit| {
            let mut filter = HistoryFilter::default();
            (filter.before, filter.source, filter.limit) = (before, source, limit);
            filter
        };
        let steps = Some(Source::Step);
        for filter in [filter(Some(40), None, Some(7)), filter(None, steps, Some(30)), filter(Some(9), steps, None)] {
            all.push(format!("{:?}", store.checkpoints(thread, &ns, &filter).await));
        }
        all.push(format!("{:?}", store.outline(thread, &ns).await));
        all.push(format!(
            "{:?} {:?}",
            store.checkpoint(thread, &ns, None).await,
            store.task_records(thread, &ns).await
        ));
    }
    let journal = store.journal(thread, 0, usize::MAX).await.expect("the store answers");
    for from in [0, 1, journal.len() / 2, journal.len()] {
        let some = store.journal(thread, from as u64, 50).await.expect("the store answers");
        assert_eq!(some, journal.iter().skip(from).take(50).cloned().collect::<Vec<_>>());
    }
    all.extend(journal.iter().map(|row| format!("{} {:?}", row.seq, row.event.read().expect("the store answers"))));
    all
}

/// What is done to the threads of a store, and what it answers after each part.
async fn story(
    graph: StateGraph<Mixed>,
    branch: u64,
    store: Arc<dyn Checkpointer>,
    policy: RunPolicy,
) -> Vec<Vec<String>> {
    let app = graph.built().with_context(());
    let threads: Threads<Mixed> = app.with_shared_checkpointer(Arc::clone(&store)).with_clock(Arc::new(Noon));
    let thread: Thread<Mixed> = threads.thread("t").policy(policy.clone());
    let mut told = Vec::new();
    for _ in 0..2 {
        thread.run(Mixed::update()).await.expect("nothing fails");
        told.push(answers(&*store, "t").await);
    }
    thread.at(branch).replay().await.expect("nothing fails");
    told.push(answers(&*store, "t").await);
    thread.copy_to("copy").await.expect("nothing fails");
    fork_thread(&*store, "t", branch, "fork", false).await.expect("nothing fails");
    Retention::default().keep_last(40).prune(&*store, "t", u64::MAX / 2).await.expect("nothing fails");
    for id in ["t", "copy", "fork"] {
        told.push(answers(&*store, id).await);
        let thread = threads.thread(id).policy(policy.clone());
        let run = if id == "fork" { thread.continue_() } else { thread.run(Mixed::update()) };
        run.await.expect("nothing fails");
        told.push(answers(&*store, id).await);
    }
    let stats = store.stats().await.expect("nothing fails");
    told.push(vec![format!("{stats:?}")]);
    told
}

#[tokio::test]
async fn a_plain_step_reads_as_its_commit() {
    type Graph = fn(u64) -> StateGraph<Mixed>;
    let graphs: [(&str, Graph, u64); 3] = [("turns", turns, 100), ("joined", joined, 100), ("inside", inside, 3)];
    for (name, graph, branch) in graphs {
        let memory = || Arc::new(MemoryCheckpointer::new());
        let compact = story(graph(300), branch, memory(), RunPolicy::default()).await;
        let layered = Arc::new(Commits(MemoryCheckpointer::new()));
        let layered = story(graph(300), branch, layered, RunPolicy::default()).await;
        let without = RunPolicy::default().without(FastPath::CompactSteps);
        let without = story(graph(300), branch, memory(), without).await;
        for commits in [layered, without] {
            assert_eq!(compact.len(), commits.len());
            for (part, (compact, commits)) in compact.iter().zip(commits).enumerate() {
                for (compact, commit) in compact.iter().zip(&commits) {
                    assert_eq!(compact, commit, "{name}, part {part}");
                }
                assert_eq!(compact.len(), commits.len(), "{name}, part {part}");
            }
        }
    }
}
