//! Three levels of subgraphs, each kept per call or per thread: questions, time travel, crashes, budget, stops, events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, ThreadStatus};
use graphloom_core_graph::simulate::Simulator;
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Durability, EventKind, Mode, Node, NodeError, Outcome, Persistence, RunError,
    RunPolicy, START, Snapshot, StateGraph, Task, Thread, Threads,
};
use tokio::sync::Notify;

use crate::log::{Build, Calls, Gate, Memory, MemoryUpdate, Noted, Work, done, failed, note, noted, threads};
use crate::place::only_in_place;

const COUNT: Node = Node::named("count");
const SAY: Node = Node::named("say");
const TELL: Node = Node::named("tell");
const LAST: Node = Node::named("last");
const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const PART: Task<u64> = Task::named("part");

type Kept = [Persistence; 3];

/// Each level per call or per thread, from the outside in.
fn every_kind() -> Vec<Kept> {
    let kinds = [Persistence::PerCall, Persistence::PerThread];
    let pairs = kinds.into_iter().flat_map(|a| kinds.into_iter().map(move |b| (a, b)));
    pairs.flat_map(|(a, b)| kinds.into_iter().map(move |c| [a, b, c])).collect()
}

/// What a level has counted to at its call of this number.
fn count(persistence: Persistence, call: u64) -> u64 {
    if persistence == Persistence::PerThread { call } else { 1 }
}

/// What the root notes at the call of this number: the counts of the three levels.
fn counts([a, b, c]: Kept, call: u64) -> String {
    format!("{}/{}/{}", count(a, call), count(b, call), count(c, call))
}

fn story(kept: Kept, calls: u64) -> String {
    (1..=calls).map(|call| counts(kept, call)).collect::<Vec<_>>().join(" ")
}

async fn one(_: Snapshot<Memory>) -> Result<MemoryUpdate, NodeError> {
    Ok(Memory::update().n(1))
}

/// The innermost level: counts, and then does what it is told.
fn leaf<F, Fut>(say: F) -> Compiled<Memory>
where
    F: Fn(Snapshot<Memory>, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<MemoryUpdate, NodeError>> + Send + 'static,
{
    let mut graph = StateGraph::<Memory>::new("leaf");
    graph.add_node(COUNT, one);
    graph.add_node(SAY, say).asks::<String>("word");
    graph.add_edge(START, COUNT).add_edge(COUNT, SAY);
    graph.built()
}

async fn say(memory: Snapshot<Memory>, _: Context) -> Result<MemoryUpdate, NodeError> {
    Ok(Memory::update().topic(memory.n.to_string()))
}

async fn ask(memory: Snapshot<Memory>, cx: Context) -> Result<MemoryUpdate, NodeError> {
    let word: String = cx.ask("word", &memory.n).await?;
    Ok(Memory::update().topic(format!("{}{word}", memory.n)))
}

fn topic(child: ChildOutcome<Memory>) -> Result<MemoryUpdate, NodeError> {
    Ok(Memory::update().topic(child.done()?.topic.clone()))
}

/// A level around another: counts, calls it, and puts its own count before what that says.
fn around(
    key: Node,
    inner: Compiled<Memory>,
    persistence: Persistence,
    mode: Mode,
    map_out: fn(ChildOutcome<Memory>) -> Result<MemoryUpdate, NodeError>,
) -> Compiled<Memory> {
    let mut graph = StateGraph::<Memory>::new("middle");
    graph.mode(mode);
    graph.add_node(COUNT, one);
    graph.add_subgraph(key.clone(), inner, |_: &Memory| Memory::update(), map_out).persistence(persistence);
    graph.add_node(TELL, |memory: Snapshot<Memory>| async move {
        Ok::<_, NodeError>(Memory::update().topic(format!("{}/{}", memory.n, memory.topic)))
    });
    graph.add_edge(START, COUNT).add_edge(COUNT, key.clone()).add_edge(key, TELL);
    graph.built()
}

/// `a`, in it `b`, in it `c`, in it the leaf's nodes; called as often in a run as `loops` says.
fn levels([a, b, c]: Kept, leaf: Compiled<Memory>, mode: Mode, loops: usize) -> StateGraph<Work> {
    let inside = around(B, around(C, leaf, c, mode, topic), b, mode, topic);
    let mut graph = StateGraph::<Work>::new("root");
    graph.mode(mode);
    graph
        .add_subgraph(
            A,
            inside,
            |_: &Work| Memory::update(),
            |child: ChildOutcome<Memory>| Noted::Ok(noted(child.done()?.topic.clone())),
        )
        .persistence(a);
    graph.add_node(LAST, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, A);
    graph.add_conditional_edges(
        A,
        [A, LAST],
        move |work: &Work| {
            if work.notes.len().is_multiple_of(loops) { LAST } else { A }
        },
    );
    graph
}

fn stored(graph: StateGraph<Work>) -> (Thread<Work>, Arc<dyn Checkpointer>) {
    let threads: Threads<Work> = threads(graph);
    (threads.thread("t"), Arc::clone(threads.checkpointer()))
}

#[tokio::test]
async fn every_level_is_kept_as_it_says() {
    for kept in every_kind() {
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            for mode in [Mode::Barrier, Mode::Eager] {
                let (thread, store) = stored(levels(kept, leaf(say), mode, 2));
                let thread = thread.policy(RunPolicy::default().durability(durability));
                for turn in 1..=3 {
                    let told = done(thread.run(Work::update()).await).story();
                    assert_eq!(told, story(kept, 2 * turn), "{kept:?} {durability:?} {mode:?}");
                }
                let names = store.namespaces("t").await.unwrap();
                let stable = names.into_iter().filter(|ns| !ns.is_empty() && !ns.contains(':')).collect::<Vec<_>>();
                let expected: Vec<_> = ["a", "a/b", "a/b/c"]
                    .into_iter()
                    .zip(kept)
                    .filter(|(_, kept)| *kept == Persistence::PerThread)
                    .map(|(ns, _)| ns)
                    .collect();
                assert_eq!(stable, expected, "{kept:?} {durability:?} {mode:?}");
            }
        }
    }
    let stateless = [Persistence::Stateless, Persistence::PerCall, Persistence::Stateless];
    let mut silent = StateGraph::<Memory>::new("leaf");
    silent.add_node(SAY, |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().topic("s".to_owned())) });
    silent.add_edge(START, SAY);
    let (thread, store) = stored(levels(stateless, silent.built(), Mode::Barrier, 1));
    done(thread.run(Work::update()).await);
    assert_eq!(done(thread.run(Work::update()).await).story(), "1/1/s 1/1/s");
    assert_eq!(store.namespaces("t").await.unwrap(), [""], "nor do calls inside of it leave anything");
}

#[tokio::test]
async fn questions_of_the_third_level_surface_and_each_level_goes_on() {
    for kept in every_kind() {
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            let (thread, _) = stored(levels(kept, leaf(ask), Mode::Barrier, 1));
            let thread = thread.policy(RunPolicy::default().durability(durability));
            for (turn, word) in (1..).zip(["x", "y", "z"]) {
                let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
                let question = questions.iter().next().unwrap();
                assert_eq!(question.path, ["a", "b", "c", "say"]);
                assert_eq!(question.payload, count(kept[2], turn), "{kept:?}");
                assert_eq!(thread.questions().await.unwrap(), questions, "read from the store");
                assert!(questions.answer("word", 7).is_err(), "checked by the innermost declaration");
                let work = done(thread.resume(questions.answer("word", word).unwrap()).await);
                let told = work.notes.iter().next_back().unwrap();
                assert_eq!(*told, format!("{}{word}", counts(kept, turn)), "{kept:?} {durability:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_states_of_every_level_can_be_read_while_it_waits_and_after() {
    for kept in every_kind() {
        let leaf = leaf(ask);
        let (thread, store) = stored(levels(kept, leaf.clone(), Mode::Barrier, 1));
        let read = async |thread: &Thread<Work>| {
            let mut found = Vec::new();
            for ns in store.namespaces(thread.id()).await.unwrap().into_iter().filter(|ns| !ns.is_empty()) {
                // All levels have the same fields.
                let state = thread.subgraph_state(&leaf, &ns).await.unwrap();
                found.extend(state.map(|state| (ns, state.n)));
            }
            found
        };
        let mut ends = Vec::new();
        for turn in 1..=2 {
            let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
            let waiting: Vec<u64> = {
                let task = &questions.iter().next().unwrap().task;
                let open = read(&thread).await.into_iter().filter(|(ns, _)| !ns.contains(':') || task.starts_with(ns));
                let mut open: Vec<_> = open.collect();
                open.sort_by_key(|(ns, _)| ns.matches('/').count());
                open.into_iter().map(|(_, n)| n).collect()
            };
            assert_eq!(waiting, kept.map(|level| count(level, turn)), "{kept:?}");
            done(thread.resume(questions.answer("word", "!").unwrap()).await);
            ends.push(thread.state().await.unwrap().checkpoint.unwrap().number);
        }
        thread.at(ends[0]).fork().await.unwrap();
        let stand: Vec<_> = read(&thread).await.into_iter().filter(|(ns, _)| !ns.contains(':')).collect();
        assert!(stand.iter().all(|(_, n)| *n == 1), "{kept:?} {stand:?}: where it stood at the fork");
        thread.at(1).fork().await.unwrap();
        assert!(read(&thread).await.iter().all(|(ns, _)| ns.contains(':')), "{kept:?}: before the first call");
        assert_eq!(thread.subgraph_state(&leaf, "nobody").await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_fork_has_every_level_where_it_stood() {
    for kept in every_kind() {
        let (thread, _) = stored(levels(kept, leaf(say), Mode::Barrier, 2));
        for _ in 0..3 {
            done(thread.run(Work::update()).await);
        }
        for row in thread.history(&HistoryFilter::default()).await.unwrap() {
            thread.at(row.number).fork().await.unwrap();
            let state = thread.state().await.unwrap();
            let before = state.state.notes.len();
            let work = match state.status {
                ThreadStatus::Done => done(thread.run(Work::update()).await),
                _ => done(thread.continue_().await),
            };
            let after = work.notes.len() as u64;
            assert!(after > before as u64 || state.next == ["last"], "{state:?}");
            assert_eq!(work.story(), story(kept, after), "{kept:?} from checkpoint {}", row.number);
        }
        let history = thread.history(&HistoryFilter::default()).await.unwrap();
        let begin = history.last().unwrap().number;
        assert_eq!(done(thread.at(begin).replay().await).story(), story(kept, 2), "{kept:?}");
        assert_eq!(done(thread.run(Work::update()).await).story(), story(kept, 4), "{kept:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_every_commit_of_every_level() {
    for (kept, mode) in every_kind().into_iter().flat_map(|kept| [(kept, Mode::Barrier), (kept, Mode::Eager)]) {
        let graph = levels(kept, leaf(ask), mode, 2).built();
        let simulator = |durability| {
            let policy = RunPolicy::default().durability(durability);
            Simulator::new(&graph).policy(policy).answer("word", "!").unwrap()
        };
        let mut reports = Vec::new();
        // Where the innermost is kept per thread there is most to lose.
        if kept[2] == Persistence::PerThread {
            let durability = if mode == Mode::Barrier { Durability::Sync } else { Durability::Exit };
            reports.extend(simulator(durability).crash_everywhere(Work::update()).await.unwrap());
        }
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            for seed in 0..2 {
                let dying = simulator(durability).seed(seed).crash_between_any();
                reports.push(dying.run(Work::update()).await.unwrap());
            }
        }
        let expected: Vec<_> = (1..=2).map(|call| format!("{}!", counts(kept, call))).collect();
        for report in reports {
            let told = || format!("{kept:?} {mode:?} {report:#?}");
            assert!(report.violations.is_empty(), "{}", told());
            assert_eq!(report.status, ThreadStatus::Done, "{}", told());
            assert_eq!((report.state.story(), report.state.count), (expected.join(" "), 1), "{}", told());
        }
    }
}

#[tokio::test]
async fn the_budget_is_counted_at_the_root() {
    // `a` and `last`; `count`, `b` and `tell`; `count`, `c` and `tell`; `count` and `say`.
    const TASKS: u64 = 2 + 3 + 3 + 2;
    for kept in every_kind() {
        for mode in [Mode::Barrier, Mode::Eager] {
            for budget in 0..TASKS {
                let (thread, _) = stored(levels(kept, leaf(say), mode, 1));
                let limited = |budget| thread.policy(RunPolicy::default().budget(budget));
                for turn in 1..=2 {
                    let told = format!("{kept:?} {mode:?} {budget} turn {turn}");
                    let outcome = limited(budget).run(Work::update()).await.unwrap();
                    assert!(matches!(outcome, Outcome::BudgetSpent { .. }), "{told}: {outcome:?}");
                    let outcome = limited(TASKS - 1).continue_().await.unwrap();
                    assert!(matches!(outcome, Outcome::BudgetSpent { .. }), "{told}: {outcome:?}");
                    assert_eq!(done(limited(TASKS).continue_().await).story(), story(kept, turn), "{told}");
                    assert_eq!(thread.state().await.unwrap().checkpoint.unwrap().executed, TASKS, "{told}");
                }
            }
        }
    }
}

#[derive(Clone, Default)]
struct Door {
    started: Arc<Notify>,
    open: Arc<Notify>,
    calls: Calls,
}

struct TellsDrop(Calls);

impl Drop for TellsDrop {
    fn drop(&mut self) {
        self.0.add("dropped");
    }
}

/// A leaf that tells that it has begun, and waits to be let through.
fn gated(gate: &Door) -> Compiled<Memory> {
    let gate = gate.clone();
    leaf(move |memory: Snapshot<Memory>, cx: Context| {
        let gate = gate.clone();
        async move {
            let _tells = TellsDrop(gate.calls.clone());
            gate.calls.add("say");
            cx.emit("begun", memory.n).await;
            gate.started.notify_one();
            gate.open.notified().await;
            say(memory, cx).await
        }
    })
}

#[tokio::test]
async fn a_cancel_reaches_the_third_level_and_a_drain_lets_it_finish() {
    for kept in every_kind() {
        for drains in [false, true] {
            let gate = Door::default();
            let (thread, _) = stored(levels(kept, gated(&gate), Mode::Barrier, 1));
            let run = tokio::spawn(thread.run(Work::update()).into_future());
            gate.started.notified().await;
            if drains {
                thread.drain();
                gate.open.notify_one();
                assert!(matches!(run.await.unwrap().unwrap(), Outcome::Drained { .. }));
            } else {
                thread.cancel();
                assert!(matches!(run.await.unwrap().unwrap(), Outcome::Cancelled { .. }));
                gate.calls.until("dropped").await;
                assert_eq!(gate.calls.all(), ["say", "dropped"]);
                gate.open.notify_one();
            }
            assert_eq!(done(thread.continue_().await).story(), counts(kept, 1), "{kept:?}");
            assert_eq!(gate.calls.count("say"), if drains { 1 } else { 2 });
            gate.open.notify_one();
            assert_eq!(done(thread.run(Work::update()).await).story(), story(kept, 2), "{kept:?}");
        }
    }
}

#[tokio::test]
async fn case_64_events_of_a_child_are_live_and_tagged_with_its_namespace() {
    for kept in every_kind() {
        let gate = Door::default();
        let (thread, _) = stored(levels(kept, gated(&gate), Mode::Barrier, 1));
        let mut run = thread.run(Work::update());
        let mut told = Vec::new();
        while let Some(event) = run.next().await {
            match event.kind {
                EventKind::Custom { payload, .. } => {
                    assert_eq!(payload.json(), 1);
                    assert!(!told.contains(&"a".to_owned()), "told while its node runs");
                    let names: Vec<_> = event.ns.split('/').map(|part| part.split(':').next().unwrap()).collect();
                    assert_eq!(names, ["a", "b", "c"]);
                    let by_call = event.ns.contains(':');
                    assert_eq!(by_call, kept[2] == Persistence::PerCall, "{}", event.ns);
                    gate.open.notify_one();
                }
                EventKind::Committed { tasks, .. } => {
                    let last = tasks.iter().filter_map(|task| task.rsplit('/').next());
                    told.extend(last.filter_map(|task| Some(task.split(':').next()?.to_owned())));
                }
                _ => {}
            }
        }
        assert_eq!(told, ["count", "count", "count", "say", "c", "tell", "b", "tell", "a", "last"]);
        assert_eq!(done(run.await).story(), counts(kept, 1));
    }
}

#[tokio::test]
async fn case_65_durability_on_exit_is_inherited() {
    for kept in every_kind() {
        let (thread, store) = stored(levels(kept, leaf(say), Mode::Barrier, 2));
        let thread = thread.policy(RunPolicy::default().durability(Durability::Exit));
        done(thread.run(Work::update()).await);
        for ns in store.namespaces("t").await.unwrap() {
            let rows = store.checkpoints("t", &ns, &HistoryFilter::default()).await.unwrap();
            assert_eq!(rows.len(), 1, "{kept:?}: one checkpoint for `{ns}`: {rows:?}");
            assert!(!ns.contains(':'), "calls that ended leave none: {ns}");
        }
        assert_eq!(done(thread.run(Work::update()).await).story(), story(kept, 4), "{kept:?}");
    }
}

#[tokio::test]
async fn a_failure_escalates_level_by_level_until_one_accepts_it() {
    for kept in every_kind() {
        let broken = Arc::new(AtomicBool::new(true));
        let fault = Arc::clone(&broken);
        let fails = leaf(move |memory: Snapshot<Memory>, cx: Context| {
            let broken = fault.load(Ordering::SeqCst);
            async move { if broken { Err(NodeError::terminal("no ink")) } else { say(memory, cx).await } }
        });
        let (thread, _) = stored(levels(kept, fails.clone(), Mode::Barrier, 1));
        let error = failed(thread.run(Work::update()).await);
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"node `a` failed: node `b` failed: node `c` failed: node `say` failed: no ink");
        }
        let mut graph = StateGraph::<Work>::new("root");
        let accepts: fn(ChildOutcome<Memory>) -> Result<MemoryUpdate, NodeError> = |child| match child {
            ChildOutcome::Failed { .. } => Ok(Memory::update().topic("-".to_owned())),
            other => topic(other),
        };
        let inside = around(B, around(C, fails, kept[2], Mode::Barrier, topic), kept[1], Mode::Barrier, accepts);
        let out = |child: ChildOutcome<Memory>| Noted::Ok(noted(child.done()?.topic.clone()));
        graph.add_subgraph(A, inside, |_: &Work| Memory::update(), out).persistence(kept[0]);
        graph.add_edge(START, A);
        let (accepting, _) = stored(graph);
        assert_eq!(done(accepting.run(Work::update()).await).story(), "1/-", "{kept:?}");

        broken.store(false, Ordering::SeqCst);
        assert_eq!(
            done(thread.continue_().await).story(),
            counts(kept, 1),
            "{kept:?}: what had finished was not repeated"
        );
        // `c` escalated, so that its call came to nothing; `b` was accepted as it was, with what it had counted.
        let inner = [kept[0], kept[1], Persistence::PerCall];
        let work = done(accepting.run(Work::update()).await);
        assert_eq!(work.story(), format!("1/- {}", counts(inner, 2)), "{kept:?}");
    }
}

/// Two sends to a level that is kept per call, with one inside that is kept per thread.
fn shared_leaf(leaf: Compiled<Memory>) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("root");
    graph.add_node(COUNT, note("begin"));
    let out = |child: ChildOutcome<Memory>| Noted::Ok(noted(child.done()?.topic.clone()));
    let middle = around(C, leaf, Persistence::PerThread, Mode::Barrier, topic);
    graph.add_subgraph_task(PART, middle, |_: u64, _: &Work| Memory::update(), out);
    graph.add_edge(START, COUNT);
    graph.add_sends(COUNT, PART, |_: &Work| (0..2).map(|at| PART.send(at, at)).collect());
    graph
}

#[tokio::test]
async fn below_calls_that_run_together_a_child_belongs_to_one_of_them() {
    let gate = Gate::default();
    let held = gate.clone();
    let waits = leaf(move |memory: Snapshot<Memory>, cx: Context| {
        let gate = held.clone();
        async move {
            gate.pass().await;
            say(memory, cx).await
        }
    });
    let (thread, store) = stored(shared_leaf(waits));
    let error = gate.open_when_refused(thread.run(Work::update())).await.unwrap_err();
    assert!(matches!(&error, RunError::SubgraphBusy { node, .. } if node == "part/c"), "{error}");
    let first = done(thread.continue_().await).story();
    let is_second_before = only_in_place("which of two calls is first is chance") && first == "begin 1/2 1/1";
    assert!(is_second_before || first == "begin 1/1 1/2", "{first}");
    let thread = thread.policy(RunPolicy::default().max_concurrency(1));
    assert_eq!(done(thread.run(Work::update()).await).story(), format!("{first} begin 1/3 1/4"));
    assert!(store.namespaces("t").await.unwrap().contains(&"part/c".to_owned()));
}

#[tokio::test]
async fn a_busy_child_deep_inside_is_a_typed_error_of_the_run() {
    let (thread, _) = stored(shared_leaf(leaf(ask)));
    let error = thread.run(Work::update()).await.unwrap_err();
    let RunError::SubgraphBusy { node, call, other } = error else { panic!("{error}") };
    assert_eq!(node, "part/c");
    let mut calls = [call, other];
    if only_in_place("which of two calls is first is chance") {
        calls.sort_unstable();
        calls.reverse();
    }
    assert_eq!(calls, ["part:2.1/c:2.0", "part:2.0/c:2.0"]);
}
