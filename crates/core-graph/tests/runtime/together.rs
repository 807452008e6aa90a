//! Tasks beside each other commit together, and what is true of a commit stays true of several.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, HistoryFilter, Lease, MemoryCheckpointer, ThreadStatus,
};
use graphloom_core_graph::{
    ChildOutcome, Context, Durability, Node, NodeError, Retry, RunError, RunPolicy, START, Snapshot, StateGraph, Task,
    Thread, Timeout,
};

use crate::log::{Build, Calls, Noted, Work, done, note, noted};
use crate::place::only_in_place;

const PLAN: Node = Node::named("plan");
const FIRST: Node = Node::named("first");
const SECOND: Node = Node::named("second");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

const PARTS: u64 = 20;
/// An input, and a step for each node.
const COMMITS_OF_A_PART: usize = 3;

/// How a store fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fails {
    Refuses,
    Panics,
}

/// Remembers how many commits came at once, and fails at one of them.
#[derive(Clone, Default)]
struct Gathered {
    store: MemoryCheckpointer,
    groups: Arc<Mutex<Vec<usize>>>,
    /// Records of tasks that were written, and that were settled.
    records: Arc<Mutex<(usize, usize)>>,
    /// The commit that fails, counted from 0.
    fails: Arc<Mutex<Option<(usize, Fails)>>>,
}

impl Gathered {
    fn groups(&self) -> Vec<usize> {
        std::mem::take(&mut self.groups.lock().expect("no test panics here"))
    }

    async fn pass(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        let before = {
            let mut groups = self.groups.lock().expect("no test panics here");
            let before: usize = groups.iter().sum();
            groups.push(commits.len());
            before
        };
        let fails = *self.fails.lock().expect("no test panics here");
        for (at, commit) in commits.into_iter().enumerate() {
            let fault = fails.filter(|(failing, _)| *failing == before + at);
            assert_ne!(fault.map(|(_, how)| how), Some(Fails::Panics), "as the test wants it");
            if fault.is_some() {
                return Err(CheckpointError::Full { path: "disk".to_owned(), message: "no room".to_owned() });
            }
            {
                let mut records = self.records.lock().expect("no test panics here");
                *records = (records.0 + commit.tasks.len(), records.1 + commit.settled.len());
            }
            self.store.commit(lease, commit).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl CheckpointerLayer for Gathered {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.pass(lease, vec![commit]).await
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        self.pass(lease, commits).await
    }
}

/// Two nodes, each of which counts one.
fn child(calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("child");
    for node in [FIRST, SECOND] {
        let calls = calls.clone();
        graph.add_node(node, move |_: Snapshot<Work>| {
            calls.add("node");
            async { Noted::Ok(Work::update().count(1)) }
        });
    }
    graph.add_edge(START, FIRST).add_edge(FIRST, SECOND);
    graph
}

/// A fan-out to subgraphs, and a join.
fn fan_out(store: &Gathered, durability: Durability) -> Thread<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    graph.add_subgraph_task(
        PART,
        child(&Calls::default()).built(),
        |part: u64, _: &Work| Work::update().count(i64::try_from(part).unwrap_or(0)),
        |child: ChildOutcome<Work>| Noted::Ok(Work::update().count(child.done()?.count)),
    );
    graph.add_node(LAST, note("last"));
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (1..=PARTS).map(|part| PART.send(part, part)).collect());
    graph.add_edge(PART, LAST);
    open(graph, store, durability)
}

fn open(graph: StateGraph<Work>, store: &Gathered, durability: Durability) -> Thread<Work> {
    let policy = RunPolicy::default().durability(durability);
    graph.built().with_checkpointer(store.clone()).thread("t").policy(policy)
}

fn total() -> i64 {
    (1..=PARTS).map(|part| i64::try_from(part).unwrap_or(0) + 2).sum()
}

#[tokio::test]
async fn a_fan_out_to_subgraphs_commits_each_step_of_all_at_once() {
    if only_in_place("turns of the scheduler are counted") {
        return;
    }
    let store = Gathered::default();
    let thread = fan_out(&store, Durability::Sync);
    let state = done(thread.run(Work::update()).await);
    assert_eq!((state.count, state.story().as_str()), (total(), "plan last"));
    let groups = store.groups();
    let parts = usize::try_from(PARTS).unwrap();
    assert_eq!(groups.iter().filter(|group| **group == parts).count(), COMMITS_OF_A_PART, "{groups:?}");
    let namespaces = store.store.namespaces("t").await.unwrap();
    assert_eq!(namespaces.len(), parts + 1);
    for ns in namespaces.iter().filter(|ns| !ns.is_empty()) {
        let history = store.store.checkpoints("t", ns, &HistoryFilter::default()).await.unwrap();
        assert_eq!(history.len(), COMMITS_OF_A_PART, "each part has its own history: {ns}");
    }
    let seqs: Vec<_> = thread.journal(0, usize::MAX).await.unwrap().iter().filter_map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_a_run_is_told_in_the_order_of_the_journal() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let store = Gathered::default();
        let thread = fan_out(&store, durability);
        let mut run = thread.run(Work::update());
        let mut told = Vec::new();
        while let Some(event) = run.next().await {
            told.extend(event.seq);
        }
        assert_eq!(done(run.await).count, total());
        assert_eq!(told, (1..=told.len() as u64).collect::<Vec<_>>(), "{durability:?}");
    }
}

#[tokio::test]
async fn results_of_durable_steps_beside_each_other_are_kept_together() {
    if only_in_place("turns of the scheduler are counted") {
        return;
    }
    let store = Gathered::default();
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    let counted = calls.clone();
    graph.add_task(PART, move |part: u64, _: Snapshot<Work>, context: Context| {
        let calls = counted.clone();
        async move {
            let effect = async {
                calls.add("effect");
                // The others begin theirs meanwhile.
                tokio::task::yield_now().await;
                Ok::<_, NodeError>(part)
            };
            Noted::Ok(noted(context.once("effect", effect).await?.to_string()))
        }
    });
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (1..=PARTS).map(|part| PART.send(part, part)).collect());
    let thread = open(graph, &store, Durability::Sync);
    assert_eq!(done(thread.run(Work::update()).await).notes.len() as u64, PARTS + 1);
    assert_eq!(calls.count("effect") as u64, PARTS);
    let groups = store.groups();
    assert!(groups.iter().any(|group| *group as u64 == PARTS), "{groups:?}");
}

#[tokio::test(start_paused = true)]
async fn tasks_whose_step_is_complete_at_once_are_kept_by_its_commit_alone() {
    for (slow, records) in [(false, (0, 0)), (true, (1, 1))] {
        let store = Gathered::default();
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(PLAN, note("plan"));
        graph.add_task(PART, move |part: u64, _: Snapshot<Work>| async move {
            if slow && part > 1 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Noted::Ok(noted(part.to_string()))
        });
        graph.add_edge(START, PLAN);
        graph.add_sends(PLAN, PART, |_: &Work| (1..=2).map(|part| PART.send(part, part)).collect());
        let thread = open(graph, &store, Durability::Sync);
        assert_eq!(done(thread.run(Work::update()).await).story(), "plan 1 2");
        assert_eq!(*store.records.lock().unwrap(), records, "written and settled, slow: {slow}");
    }
}

#[tokio::test]
async fn who_is_alone_waits_for_nobody() {
    let store = Gathered::default();
    let thread = open(child(&Calls::default()), &store, Durability::Sync);
    assert_eq!(done(thread.run(Work::update()).await).count, 2);
    assert_eq!(store.groups(), [1, 1, 1]);
}

#[tokio::test]
async fn nothing_follows_a_commit_that_failed_and_the_thread_goes_on() {
    let whole = Gathered::default();
    done(fan_out(&whole, Durability::Sync).run(Work::update()).await);
    let commits: usize = whole.groups().iter().sum();
    // Each step of the parts, in the middle of a group, and the ends.
    for fails in [0, 1, 2, 10, 21, 22, 40, 45, 61, 62, commits - 1] {
        for durability in [Durability::Sync, Durability::Async] {
            let store = Gathered::default();
            *store.fails.lock().unwrap() = Some((fails, Fails::Refuses));
            let thread = fan_out(&store, durability);
            let ended = thread.run(Work::update()).await;
            let Err(error) = ended else {
                // Tasks that are held up commit together with others, and the run has fewer commits than the first one had.
                let came: usize = store.groups().iter().sum();
                assert!(came <= fails, "{durability:?} {fails}: {came} commits came");
                continue;
            };
            let is_full = matches!(error, RunError::Checkpoint(CheckpointError::Full { .. }));
            assert!(is_full, "{durability:?} {fails}: {error}");
            *store.fails.lock().unwrap() = None;
            let again = match thread.state().await.unwrap().status {
                ThreadStatus::New => thread.run(Work::update()),
                status => {
                    assert_eq!(status, ThreadStatus::Running, "{durability:?} {fails}");
                    thread.continue_()
                }
            };
            let state = done(again.await);
            assert_eq!((state.count, state.story().as_str()), (total(), "plan last"), "{durability:?} {fails}");
            let seqs: Vec<_> =
                thread.journal(0, usize::MAX).await.unwrap().iter().filter_map(|event| event.seq).collect();
            assert!(seqs.is_sorted_by(|one, next| one < next), "{durability:?} {fails}: {seqs:?}");
        }
    }
}

#[tokio::test]
async fn a_store_that_panics_ends_the_run_and_the_thread_goes_on() {
    let whole = Gathered::default();
    done(fan_out(&whole, Durability::Sync).run(Work::update()).await);
    let groups = whole.groups();
    // Where the parts commit together.
    let first = groups.iter().take_while(|group| **group == 1).count();
    let parts = usize::try_from(PARTS).unwrap();
    for durability in [Durability::Sync, Durability::Async] {
        for fails in [first, first + parts - 1, first + 2 * parts + 3] {
            let store = Gathered::default();
            *store.fails.lock().unwrap() = Some((fails, Fails::Panics));
            let thread = fan_out(&store, durability);
            let error = thread.run(Work::update()).await.unwrap_err();
            let is_told = matches!(error, RunError::Checkpoint(CheckpointError::Store { .. }));
            assert!(is_told && error.to_string().contains("panicked"), "{durability:?} {fails}: {error}");
            *store.fails.lock().unwrap() = None;
            let state = done(thread.continue_().await);
            assert_eq!((state.count, state.story().as_str()), (total(), "plan last"), "{durability:?} {fails}");
        }
    }
}

/// Takes its time for some commits.
#[derive(Clone)]
struct Slow {
    store: MemoryCheckpointer,
    delay: Duration,
    /// Those that it takes its time for, counted from 0.
    slow: Range<usize>,
    commits: Arc<Mutex<usize>>,
}

impl Slow {
    fn new(delay: Duration, slow: Range<usize>) -> Self {
        Self { store: MemoryCheckpointer::new(), delay, slow, commits: Arc::default() }
    }
}

#[async_trait]
impl CheckpointerLayer for Slow {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let at = {
            let mut commits = self.commits.lock().expect("no test panics here");
            *commits += 1;
            *commits - 1
        };
        if self.slow.contains(&at) {
            tokio::time::sleep(self.delay).await;
        }
        self.store.commit(lease, commit).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_that_is_stopped_while_its_commit_waits_goes_on_where_it_stood() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    graph
        .add_subgraph_task(
            PART,
            child(&calls).built(),
            |_: u64, _: &Work| Work::update(),
            |child: ChildOutcome<Work>| Noted::Ok(Work::update().count(child.done()?.count)),
        )
        .timeout(Timeout::attempt(Duration::from_millis(700)))
        .retry(Retry::exponential(5));
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (1..=PARTS).map(|part| PART.send(part, part)).collect());
    // After the input and the plan, and two commits of each part.
    let last = 2 + 2 * usize::try_from(PARTS).unwrap();
    let store = Slow::new(Duration::from_secs(3), last..last + 1);
    let thread = graph.built().with_checkpointer(store).thread("t");
    let state = done(thread.run(Work::update()).await);
    assert_eq!(state.count, 2 * i64::try_from(PARTS).unwrap());
    assert_eq!(calls.count("node") as u64, 2 * PARTS, "what waited when an attempt ended is there for the next");
}

#[tokio::test(start_paused = true)]
async fn commits_that_waited_for_the_end_are_not_lost_with_the_task_that_writes_them() {
    let calls = Calls::default();
    let counted = calls.clone();
    let mut inner = StateGraph::<Work>::new("inner");
    let node = move |_: Snapshot<Work>, context: Context| {
        let calls = counted.clone();
        async move {
            let effect = async {
                calls.add("effect");
                Ok::<_, NodeError>(1)
            };
            Noted::Ok(Work::update().count(context.once("effect", effect).await?))
        }
    };
    let limit = Timeout::attempt(Duration::from_millis(700));
    inner.add_node(FIRST, node.clone()).timeout(limit).retry(Retry::exponential(5));
    inner.add_node(SECOND, node);
    inner.add_edge(START, FIRST).add_edge(FIRST, SECOND);
    let mut graph = StateGraph::<Work>::new("g");
    let out = |child: ChildOutcome<Work>| Noted::Ok(Work::update().count(child.done()?.count));
    graph.add_subgraph(LAST, inner.built(), |_: &Work| Work::update(), out);
    graph.add_edge(START, LAST);
    let policy = RunPolicy::default().durability(Durability::Exit);
    // The commits of both graphs do not fit into one attempt.
    let store = Slow::new(Duration::from_millis(500), 0..2);
    let thread = graph.built().with_checkpointer(store).thread("t").policy(policy);
    assert_eq!(done(thread.run(Work::update()).await).count, 2);
    assert!(calls.count("effect") <= 3, "a result that was on its way is there, or is made once more");
    assert_eq!(thread.state().await.unwrap().state.count, 2);
}
