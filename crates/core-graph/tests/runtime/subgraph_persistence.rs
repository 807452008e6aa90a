//! What is kept of a subgraph: per call, per thread, or nothing; one level down.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, Cut, HistoryFilter, MemoryCheckpointer, Pruning, Retention, delete_runs,
    fork_thread, runs,
};
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Durability, Failure, Mode, Node, NodeError, Outcome, Persistence, Retry, RunError,
    RunPolicy, START, Snapshot, StateGraph, Task, Thread, Threads,
};
use proptest::prelude::*;

use crate::log::{Calls, Gate, Memory, MemoryUpdate, Noted, Work, WorkUpdate, done, failed, note, noted, threads};

const COUNT: Node = Node::named("count");
const SAY: Node = Node::named("say");
const CHILD: Node = Node::named("child");
const TWIN: Node = Node::named("twin");
const LAST: Node = Node::named("last");
const PART: Task<String> = Task::named("part");

const MODES: [Persistence; 3] = [Persistence::PerCall, Persistence::PerThread, Persistence::Stateless];

/// Counts one up, then says the number it has come to.
fn counter() -> Compiled<Memory> {
    counter_that(|memory: Snapshot<Memory>, _: Context| async move { said(&memory) })
}

fn said(memory: &Memory) -> Result<MemoryUpdate, NodeError> {
    Ok(Memory::update().lines([format!("{}{}", memory.topic, memory.n)]))
}

/// The same, with another second node.
fn counter_that<F, Fut>(say: F) -> Compiled<Memory>
where
    F: Fn(Snapshot<Memory>, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<MemoryUpdate, NodeError>> + Send + 'static,
{
    let mut graph = StateGraph::<Memory>::new("counter");
    graph.add_node(COUNT, |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().n(1)) });
    graph.add_node(SAY, say).asks::<String>("word");
    graph.add_edge(START, COUNT).add_edge(COUNT, SAY);
    graph.compile().expect("the child is right")
}

/// The same without a question.
fn quiet() -> Compiled<Memory> {
    let mut graph = StateGraph::<Memory>::new("counter");
    graph.add_node(COUNT, |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().n(1)) });
    graph.add_node(SAY, |memory: Snapshot<Memory>| async move { said(&memory) });
    graph.add_edge(START, COUNT).add_edge(COUNT, SAY);
    graph.compile().expect("the child is right")
}

fn topic(work: &Work) -> MemoryUpdate {
    Memory::update().topic(work.last.clone())
}

/// All that the child has said.
fn out(child: ChildOutcome<Memory>) -> Noted {
    Ok(noted(child.done()?.said()))
}

fn parent(child: Compiled<Memory>, persistence: Persistence) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("work");
    graph.add_subgraph(CHILD, child, topic, out).persistence(persistence);
    graph.add_edge(START, CHILD);
    graph
}

fn stored(graph: StateGraph<Work>) -> (Thread<Work>, Arc<dyn Checkpointer>) {
    let threads: Threads<Work> = threads(graph);
    (threads.thread("t"), Arc::clone(threads.checkpointer()))
}

async fn turn(thread: &Thread<Work>) -> String {
    done(thread.run(Work::update()).await).story()
}

#[tokio::test]
async fn case_61_a_child_begins_anew_or_goes_on_or_leaves_nothing() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        for (persistence, story, namespaces) in [
            (Persistence::PerCall, "1 1 1", vec!["", "child:1.0", "child:3.0", "child:5.0"]),
            (Persistence::PerThread, "1 1+2 1+2+3", vec!["", "child"]),
            (Persistence::Stateless, "1 1 1", vec![""]),
        ] {
            let (thread, store) = stored(parent(quiet(), persistence));
            let thread = thread.policy(RunPolicy::default().durability(durability));
            turn(&thread).await;
            turn(&thread).await;
            assert_eq!(turn(&thread).await, story, "{persistence:?} {durability:?}");
            let found = store.namespaces("t").await.unwrap();
            if durability == Durability::Exit && persistence == Persistence::PerCall {
                assert_eq!(found, [""], "calls that ended were never written");
            } else {
                assert_eq!(found, namespaces, "{persistence:?} {durability:?}");
            }
        }
    }
}

#[tokio::test]
async fn case_61_children_under_different_names_do_not_mix() {
    let mut graph = StateGraph::<Work>::new("work");
    for node in [CHILD, TWIN] {
        graph.add_subgraph(node, quiet(), topic, out).persistence(Persistence::PerThread);
    }
    graph.add_node(LAST, note("|"));
    graph.add_conditional_edges(
        START,
        [CHILD, TWIN],
        |work: &Work| {
            if work.last == "both" { vec![CHILD, TWIN] } else { vec![TWIN] }
        },
    );
    graph.add_edge(CHILD, LAST).add_edge(TWIN, LAST);
    let (thread, store) = stored(graph);
    done(thread.run(Work::update().last("both".to_owned())).await);
    done(thread.run(Work::update().last("-".to_owned())).await);
    let story = done(thread.run(Work::update().last("both".to_owned())).await).story();
    assert_eq!(story, "both1 both1 | both1+-2 | both1+both2 both1+-2+both3 |");
    assert_eq!(store.namespaces("t").await.unwrap(), ["", "child", "twin"]);
}

/// The child, again and again, until it has said enough.
fn looping(persistence: Persistence, mode: Mode) -> StateGraph<Work> {
    let mut graph = parent(quiet(), persistence);
    graph.mode(mode);
    graph.add_node(LAST, note("|"));
    graph.add_conditional_edges(CHILD, [CHILD, LAST], |work: &Work| {
        if work.notes.iter().rev().take_while(|note| *note != "|").count() < 3 { CHILD } else { LAST }
    });
    graph
}

#[tokio::test]
async fn calls_of_one_run_follow_each_other_with_and_without_a_store() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let (first, second) = ("1 1+2 1+2+3 |", "1+2+3+4 1+2+3+4+5 1+2+3+4+5+6 |");
        let graph = looping(Persistence::PerThread, mode).compile().unwrap();
        assert_eq!(done(graph.run_once(Work::update()).await).story(), first);
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            let policy = RunPolicy::default().durability(durability);
            let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").policy(policy);
            assert_eq!(turn(&thread).await, first);
            assert_eq!(turn(&thread).await, format!("{first} {second}"));
        }
        for persistence in [Persistence::PerCall, Persistence::Stateless] {
            let (thread, _) = stored(looping(persistence, mode));
            assert_eq!(turn(&thread).await, "1 1 1 |", "{persistence:?}");
        }
    }
}

/// Two sends to one child, whose calls wait at a gate.
fn two_calls(mode: Mode, attempts: u32, gate: &Gate) -> StateGraph<Work> {
    let gate = gate.clone();
    let child = counter_that(move |memory: Snapshot<Memory>, _: Context| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            said(&memory)
        }
    });
    let mut graph = StateGraph::<Work>::new("work");
    graph.mode(mode);
    graph.add_node(COUNT, note("begin"));
    graph
        .add_subgraph_task(PART, child, |topic: String, _: &Work| Memory::update().topic(topic), out)
        .persistence(Persistence::PerThread)
        .retry(Retry::exponential(attempts));
    graph.add_edge(START, COUNT);
    graph.add_sends(COUNT, PART, |_: &Work| ["x", "y"].map(|topic| PART.send(topic, topic.to_owned())).to_vec());
    graph
}

#[tokio::test]
async fn the_same_child_twice_at_a_time_is_busy() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let gate = Gate::default();
        let (thread, _) = stored(two_calls(mode, 1, &gate));
        let error = gate.open_when_refused(thread.run(Work::update())).await.unwrap_err();
        assert!(matches!(&error, RunError::SubgraphBusy { node, .. } if node == "part"), "{error:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"subgraph `part` is kept per thread and has one call at a time: `part:2.1` came while `part:2.0` is unfinished; run them one after the other, retry, or keep the subgraph per call");
        }
        let story = done(thread.continue_().await).story();
        assert_eq!(story, "begin x1 x1+y2", "the other call ended, and the refused one goes on from there");
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_for_the_child_and_one_at_a_time_never_meets_it() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let gate = Gate::default();
        let (thread, _) = stored(two_calls(mode, 3, &gate));
        assert_eq!(done(gate.open_when_refused(thread.run(Work::update())).await).story(), "begin x1 x1+y2");
        let thread = thread.policy(RunPolicy::default().max_concurrency(1));
        assert_eq!(turn(&thread).await, "begin x1 x1+y2 begin x1+y2+x3 x1+y2+x3+y4", "one after the other in one step");
    }
}

/// Asks for a word once it has counted to `from`.
fn asking(from: u64) -> Compiled<Memory> {
    counter_that(move |memory: Snapshot<Memory>, cx: Context| async move {
        if memory.n < from {
            return said(&memory);
        }
        let word: String = cx.ask("word", &memory.n).await?;
        Ok(Memory::update().lines([word]))
    })
}

#[tokio::test]
async fn a_call_that_waits_is_gone_on_with_by_another_process() {
    let store = Arc::new(MemoryCheckpointer::new());
    let thread = || {
        let graph = parent(asking(2), Persistence::PerThread).compile().unwrap().with_context(());
        graph.with_shared_checkpointer(Arc::clone(&store) as Arc<dyn Checkpointer>).thread("t")
    };
    assert_eq!(turn(&thread()).await, "1");
    let Outcome::Waiting(questions) = thread().run(Work::update()).await.unwrap() else { panic!("it asks") };
    assert_eq!(questions.iter().next().unwrap().path, ["child", "say"]);
    assert_eq!(questions.iter().next().unwrap().payload, 2);
    assert_eq!(thread().questions().await.unwrap(), questions);
    assert!(questions.answer("word", 7).is_err());
    let story = done(thread().resume(questions.answer("word", "Ada").unwrap()).await).story();
    assert_eq!(story, "1 1+Ada", "the input was not folded a second time");
    let records = store.task_records("t", "").await.unwrap();
    assert_eq!(records, [], "answers go with the call");
    let Outcome::Waiting(questions) = thread().run(Work::update()).await.unwrap() else { panic!("it asks again") };
    assert_eq!(questions.iter().next().unwrap().payload, 3);
}

#[tokio::test]
async fn a_call_that_waits_and_is_abandoned_leaves_the_state_as_it_was() {
    let (thread, _) = stored(parent(asking(2), Persistence::PerThread));
    assert_eq!(turn(&thread).await, "1");
    for _ in 0..3 {
        let Outcome::Waiting(questions) = thread.clone().abandon().run(Work::update()).await.unwrap() else {
            panic!("it asks")
        };
        assert_eq!(questions.iter().next().unwrap().payload, 2, "each call begins where the first turn ended");
    }
    thread.update_state(CHILD, noted("edited")).await.unwrap();
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
    assert_eq!(questions.iter().next().unwrap().payload, 2);
    let story = done(thread.resume(questions.answer("word", "Bo").unwrap()).await).story();
    assert_eq!(story, "1 edited 1+Bo");
}

#[tokio::test]
async fn two_calls_that_wait_for_one_child_are_busy_after_a_restart_too() {
    let child = asking(1);
    let mut graph = StateGraph::<Work>::new("work");
    graph.mode(Mode::Eager);
    graph.add_node(COUNT, note("begin"));
    graph
        .add_subgraph_task(PART, child, |topic: String, _: &Work| Memory::update().topic(topic), out)
        .persistence(Persistence::PerThread);
    graph.add_edge(START, COUNT);
    graph.add_sends(COUNT, PART, |_: &Work| ["x", "y"].map(|topic| PART.send(topic, topic.to_owned())).to_vec());
    let (thread, _) = stored(graph);
    for _ in 0..2 {
        let error = if thread.state().await.unwrap().checkpoint.is_none() {
            thread.run(Work::update()).await.unwrap_err()
        } else {
            thread.continue_().await.unwrap_err()
        };
        let RunError::SubgraphBusy { call, other, .. } = error else { panic!("{error}") };
        assert_eq!((call.as_str(), other.as_str()), ("part:2.1", "part:2.0"));
    }
}

#[tokio::test]
async fn a_fork_or_a_replay_has_the_child_where_it_stood() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (thread, _) = stored(parent(quiet(), Persistence::PerThread));
        let thread = thread.policy(RunPolicy::default().durability(durability));
        let mut ends = Vec::new();
        for _ in 0..3 {
            turn(&thread).await;
            ends.push(thread.state().await.unwrap().checkpoint.unwrap().number);
        }
        thread.at(ends[0]).fork().await.unwrap();
        assert_eq!(turn(&thread).await, "1 1+2", "the turns after the fork are unknown to the branch");
        let branch = thread.state().await.unwrap().checkpoint.unwrap().number;
        assert_eq!(turn(&thread).await, "1 1+2 1+2+3");
        thread.at(ends[2]).fork().await.unwrap();
        assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4", "the branch that was left is as it was");
        thread.at(branch).fork().await.unwrap();
        assert_eq!(turn(&thread).await, "1 1+2 1+2+3");
        if durability == Durability::Exit {
            continue;
        }
        for _ in 0..2 {
            let replayed = done(thread.at(ends[1] - 1).replay().await).story();
            assert_eq!(replayed, "1 1+2", "the second turn runs again on what the first left");
        }
        assert_eq!(done(thread.at(1).replay().await).story(), "1", "before the first call it begins with nothing");
        assert_eq!(turn(&thread).await, "1 1+2");
    }
}

#[tokio::test]
async fn copies_have_children_of_their_own() {
    let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
    turn(&thread).await;
    let first = thread.state().await.unwrap().checkpoint.unwrap().number;
    turn(&thread).await;
    let copy = thread.copy_to("copy").await.unwrap();
    assert_eq!(turn(&copy).await, "1 1+2 1+2+3");
    fork_thread(&*store, "t", first, "early", false).await.unwrap();
    let threads = parent(quiet(), Persistence::PerThread).compile().unwrap().with_context(());
    let early = threads.with_shared_checkpointer(Arc::clone(&store)).thread("early");
    assert_eq!(turn(&early).await, "1 1+2");
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3", "neither moved the child of the original");
    store.delete_thread("t").await.unwrap();
    assert_eq!(turn(&thread).await, "1");
}

#[tokio::test]
async fn pruning_and_taking_back_leave_every_kept_checkpoint_usable() {
    let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
    let mut ends = Vec::new();
    for _ in 0..5 {
        turn(&thread).await;
        ends.push(thread.state().await.unwrap().checkpoint.unwrap().number);
    }
    Retention::default().keep_last(3).drop_finished_subgraphs().prune(&*store, "t", 0).await.unwrap();
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4 1+2+3+4+5 1+2+3+4+5+6");
    thread.at(ends[3]).fork().await.unwrap();
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4 1+2+3+4+5", "the fourth turn is kept with its child");
    let last = runs(&*store, "t").await.unwrap().last().unwrap().id;
    delete_runs(&*store, "t", &[last]).await.unwrap();
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4 1+2+3+4+5");
    for most in [20_000, 0] {
        Retention::default().max_bytes(most).prune(&*store, "t", 0).await.unwrap();
        for row in thread.history(&HistoryFilter::default()).await.unwrap() {
            let story = thread.at(row.number).state().await.unwrap().state.story();
            let calls = if story.is_empty() { 0 } else { story.split(' ').count() };
            let branch = thread.copy_to(&format!("{most}-{}", row.number)).await.unwrap();
            branch.at(row.number).fork().await.unwrap();
            let after = done(branch.clone().abandon().run(Work::update()).await).story();
            let expected: Vec<_> = (1..=calls + 1).map(|n| n.to_string()).collect();
            assert_eq!(after.split(' ').next_back().unwrap(), expected.join("+"), "at {}", row.number);
        }
    }
}

#[tokio::test]
async fn a_child_that_is_gone_is_told_and_not_begun_anew() {
    let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
    turn(&thread).await;
    let lease = store.acquire("t").await.unwrap();
    let cut = Cut { ns: "child".into(), whole: true, ..Cut::default() };
    store.prune(&lease, Pruning { cuts: vec![cut], ..Pruning::default() }).await.unwrap();
    store.release(&lease);
    insta::assert_snapshot!(
        failed(thread.run(Work::update()).await),
        @"node `child` failed: thread `t` has no checkpoint 3 in namespace `child`; its history lists those it has"
    );
    let unknown = CheckpointError::UnknownCheckpoint { thread: "t".to_owned(), ns: "child".to_owned(), number: 3 };
    let refused = fork_thread(&*store, "t", 2, "copy", false).await.unwrap_err();
    assert_eq!(refused.to_string(), unknown.to_string());
}

/// Fails in its second node while `broken`.
fn failing(broken: &Arc<AtomicBool>, calls: &Calls) -> Compiled<Memory> {
    let (broken, calls) = (Arc::clone(broken), calls.clone());
    counter_that(move |memory: Snapshot<Memory>, _: Context| {
        calls.add("say");
        let broken = broken.load(Ordering::SeqCst);
        async move { if broken { Err(NodeError::terminal("no ink")) } else { said(&memory) } }
    })
}

#[tokio::test]
async fn a_call_that_failed_goes_on_where_it_failed() {
    for (persistence, story) in [(Persistence::PerCall, "1 1"), (Persistence::PerThread, "1 1+2")] {
        let (broken, calls) = (Arc::new(AtomicBool::new(false)), Calls::default());
        let (thread, _) = stored(parent(failing(&broken, &calls), persistence));
        turn(&thread).await;
        broken.store(true, Ordering::SeqCst);
        let error = failed(thread.run(Work::update()).await);
        assert_eq!(error, "node `child` failed: node `say` failed: no ink");
        broken.store(false, Ordering::SeqCst);
        assert_eq!(done(thread.continue_().await).story(), story, "{persistence:?}: `count` did not run again");
        assert_eq!(calls.count("say"), 3);
    }
}

#[tokio::test]
async fn escalation_is_for_map_out_to_decide_and_what_it_accepts_is_kept() {
    let (broken, calls) = (Arc::new(AtomicBool::new(true)), Calls::default());
    let mut graph = StateGraph::<Work>::new("work");
    let lenient = |child: ChildOutcome<Memory>| match child {
        ChildOutcome::Failed { state, error } => Noted::Ok(noted(format!("({} {error})", state.n))),
        other => out(other),
    };
    graph.add_subgraph(CHILD, failing(&broken, &calls), topic, lenient).persistence(Persistence::PerThread);
    graph.add_edge(START, CHILD);
    let (thread, store) = stored(graph);
    assert_eq!(turn(&thread).await, "(1 node `say` failed: no ink)");
    assert_eq!(turn(&thread).await, "(1 node `say` failed: no ink) (2 node `say` failed: no ink)");
    broken.store(false, Ordering::SeqCst);
    let story = turn(&thread).await;
    assert!(story.ends_with(" 3"), "what the calls before had counted is kept, what they left undone is not: {story}");
    assert_eq!(calls.count("say"), 3);
    assert_eq!(store.task_records("t", "child").await.unwrap(), []);
}

#[tokio::test]
async fn a_call_that_an_error_handler_took_over_leaves_the_child_as_it_was() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (broken, calls) = (Arc::new(AtomicBool::new(false)), Calls::default());
        let mut graph = parent(failing(&broken, &calls), Persistence::PerThread);
        graph.add_error_handler(CHILD, |failure: Failure, _: Snapshot<Work>| async move {
            Noted::Ok(noted(format!("handled {}", failure.attempts)))
        });
        let graph = graph.compile().unwrap();
        let policy = RunPolicy::default().durability(durability);
        let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").policy(policy);
        turn(&thread).await;
        broken.store(true, Ordering::SeqCst);
        assert_eq!(turn(&thread).await, "1 handled 1");
        broken.store(false, Ordering::SeqCst);
        assert_eq!(turn(&thread).await, "1 handled 1 1+2");
    }
}

/// Says only at the second attempt.
fn clumsy(persistence: Persistence, calls: &Calls) -> StateGraph<Work> {
    let calls = calls.clone();
    let mut child = StateGraph::<Memory>::new("counter");
    let counted = calls.clone();
    child.add_node(COUNT, move |_: Snapshot<Memory>| {
        counted.add("count");
        async { Ok::<_, NodeError>(Memory::update().n(1)) }
    });
    child.add_node(SAY, move |memory: Snapshot<Memory>| {
        calls.add("say");
        let fails = calls.count("say") % 2 == 1;
        async move { if fails { Err(NodeError::retryable("dropped the pen")) } else { said(&memory) } }
    });
    child.add_edge(START, COUNT).add_edge(COUNT, SAY);
    let mut graph = StateGraph::<Work>::new("work");
    let child = child.compile().expect("the child is right");
    graph.add_subgraph(CHILD, child, topic, out).persistence(persistence).retry(Retry::immediate(2));
    graph.add_node(LAST, note("|"));
    graph.add_edge(START, CHILD);
    graph.add_conditional_edges(CHILD, [CHILD, LAST], |work: &Work| if work.notes.len() < 2 { CHILD } else { LAST });
    graph
}

#[tokio::test]
async fn another_attempt_goes_on_with_the_call_and_a_stateless_one_begins_it_again() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        for (persistence, story, counts) in [
            (Persistence::PerCall, "1 1 |", 2),
            (Persistence::PerThread, "1 1+2 |", 2),
            (Persistence::Stateless, "1 1 |", 4),
        ] {
            let calls = Calls::default();
            let (thread, _) = stored(clumsy(persistence, &calls));
            let thread = thread.policy(RunPolicy::default().durability(durability));
            assert_eq!(turn(&thread).await, story, "{persistence:?} {durability:?}");
            assert_eq!(calls.count("count"), counts, "{persistence:?} {durability:?}");
        }
    }
    for (persistence, story) in [(Persistence::PerThread, "1 1+2 |"), (Persistence::Stateless, "1 1 |")] {
        let calls = Calls::default();
        let graph = clumsy(persistence, &calls).compile().unwrap();
        assert_eq!(done(graph.run_once(Work::update()).await).story(), story, "without a store");
    }
}

#[tokio::test]
async fn a_stateless_child_runs_again_as_a_whole_and_leaves_nothing() {
    let (broken, calls) = (Arc::new(AtomicBool::new(true)), Calls::default());
    let (fault, seen) = (Arc::clone(&broken), calls.clone());
    let mut child = StateGraph::<Memory>::new("counter");
    child.add_node(COUNT, move |_: Snapshot<Memory>, cx: Context| {
        let calls = seen.clone();
        async move {
            let effect = async {
                calls.add("effect");
                Ok::<_, NodeError>(())
            };
            cx.once("effect", effect).await?;
            Ok::<_, NodeError>(Memory::update().n(1))
        }
    });
    child.add_node(SAY, move |memory: Snapshot<Memory>| {
        let broken = fault.load(Ordering::SeqCst);
        async move { if broken { Err(NodeError::terminal("no ink")) } else { said(&memory) } }
    });
    child.add_edge(START, COUNT).add_edge(COUNT, SAY);
    let (thread, store) = stored(parent(child.compile().unwrap(), Persistence::Stateless));
    failed(thread.run(Work::update()).await);
    broken.store(false, Ordering::SeqCst);
    assert_eq!(done(thread.continue_().await).story(), "1");
    assert_eq!(calls.count("effect"), 2, "not even a durable step is kept");
    assert_eq!(store.namespaces("t").await.unwrap(), [""]);
    assert_eq!(store.task_records("t", "child:1.0").await.unwrap(), []);
    let journal = thread.journal(0, usize::MAX).await.unwrap();
    assert!(journal.iter().all(|event| event.ns.is_empty()), "{journal:?}");
}

#[test]
fn a_stateless_child_neither_asks_nor_keeps() {
    let errors = parent(asking(1), Persistence::Stateless).compile().unwrap_err();
    insta::assert_snapshot!(errors, @"
    the graph `work` cannot be compiled:
      - subgraph `child` is stateless, but `say` inside of it asks `word`, and an answer would find nothing to go on with; keep `child` per call or per thread
    ");
    let middle = |child: Compiled<Memory>, persistence| {
        let mut graph = StateGraph::<Memory>::new("middle");
        graph
            .add_subgraph(
                TWIN,
                child,
                |_: &Memory| Memory::update(),
                |child| Ok::<_, NodeError>(Memory::update().n(child.done()?.n)),
            )
            .persistence(persistence);
        graph.add_edge(START, TWIN);
        graph.compile()
    };
    for inside in [Persistence::PerCall, Persistence::PerThread] {
        let deep = middle(middle(counter(), inside).unwrap(), Persistence::PerCall).unwrap();
        let errors = parent(deep, Persistence::Stateless).compile().unwrap_err().to_string();
        assert!(errors.contains("`twin/twin/say` inside of it asks `word`"), "{errors}");
        assert_eq!(errors.contains("`twin/twin` inside of it is kept per thread"), inside == Persistence::PerThread);
    }
    for inside in MODES {
        let refused = middle(middle(quiet(), inside).unwrap(), Persistence::Stateless).is_err();
        assert_eq!(refused, inside == Persistence::PerThread, "{inside:?}");
    }
}

#[tokio::test]
async fn case_62_a_parent_gets_what_the_child_gives_and_not_its_own_again() {
    for persistence in MODES {
        let mut child = StateGraph::<Work>::new("child");
        child.add_node(SAY, note("s1"));
        child.add_edge(START, SAY);
        let mut graph = StateGraph::<Work>::new("work");
        graph
            .add_subgraph(
                CHILD,
                child.compile().unwrap(),
                |_: &Work| Work::update(),
                |child| {
                    let notes: Vec<_> = child.done()?.notes.iter().cloned().collect();
                    Ok::<WorkUpdate, NodeError>(Work::update().notes(notes))
                },
            )
            .persistence(persistence);
        graph.add_edge(START, CHILD);
        let (thread, _) = stored(graph);
        assert_eq!(done(thread.run(noted("in")).await).story(), "in s1", "{persistence:?}");
    }
}

#[derive(Clone, Debug)]
enum Move {
    Turn,
    /// Fork at a checkpoint, counted from the newest.
    Fork(usize),
    Prune(u64),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = prop_oneof![
        3 => Just(Move::Turn),
        2 => (0usize..12).prop_map(Move::Fork),
        1 => (1u64..6).prop_map(Move::Prune),
    ];
    proptest::collection::vec(step, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However a thread is forked and pruned, the child has counted as many calls as the branch has made.
    #[test]
    fn a_child_knows_the_calls_of_its_branch(moves in moves()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
            for step in moves {
                let history = thread.history(&HistoryFilter::default()).await.unwrap();
                match step {
                    Move::Turn => {
                        let story = done(thread.clone().abandon().run(Work::update()).await).story();
                        for (at, note) in story.split(' ').enumerate() {
                            prop_assert_eq!(note.split('+').count(), at + 1, "{}", story);
                        }
                    }
                    Move::Fork(back) if !history.is_empty() => {
                        thread.at(history[back % history.len()].number).fork().await.unwrap();
                    }
                    Move::Prune(last) if !history.is_empty() => {
                        Retention::default().keep_last(last).prune(&*store, "t", 0).await.unwrap();
                    }
                    Move::Fork(_) | Move::Prune(_) => {}
                }
            }
            Ok(())
        })?;
    }
}
