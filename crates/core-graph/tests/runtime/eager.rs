//! Eager mode: nobody waits for a slow sibling; writes that race are refused; no wake-up is lost or doubled.

use std::sync::Arc;

use graphloom_core_graph::{Mode, Node, START, Snapshot, StateGraph};
use tokio::sync::Notify;

use crate::log::{Calls, Noted, Work, done, failed, note, noted, steps, thread};

const SLOW: Node = Node::named("slow");
const FAST: Node = Node::named("fast");
const NEXT: Node = Node::named("next");

/// `slow` waits until `next`, two steps behind it in barrier mode, tells it to go on.
fn racing(write: bool) -> (StateGraph<Work>, Calls) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    let release = Arc::new(Notify::new());
    let (waits, tells) = (Arc::clone(&release), release);
    let calls = Calls::default();
    let seen = calls.clone();
    graph.add_node(SLOW, move |work: Snapshot<Work>| {
        let (waits, seen) = (Arc::clone(&waits), seen.clone());
        async move {
            seen.add(format!("slow saw {:?}", work.last));
            if seen.all().len() == 1 {
                waits.notified().await;
            }
            Noted::Ok(if write { noted("slow").last("slow".to_owned()) } else { noted("slow") })
        }
    });
    graph.add_node(FAST, |_: Snapshot<Work>| async { Noted::Ok(noted("fast").last("fast".to_owned())) });
    graph.add_node(NEXT, move |_: Snapshot<Work>| {
        tells.notify_one();
        async { Noted::Ok(noted("next")) }
    });
    graph.add_edge(START, SLOW).add_edge(START, FAST).add_edge(FAST, NEXT);
    (graph, calls)
}

#[tokio::test]
async fn a_fast_branch_goes_on_while_a_slow_one_runs() {
    let (graph, _) = racing(false);
    let thread = thread(graph);
    done(thread.run(Work::update()).await);
    assert_eq!(steps(&thread).await.first().unwrap(), "fast");
    assert_eq!(steps(&thread).await.len(), 3, "each task commits by itself");
}

#[tokio::test]
async fn a_last_value_that_moved_since_dispatch_is_a_conflict_naming_both_and_the_thread_lives_on() {
    let (graph, calls) = racing(true);
    let thread = thread(graph);
    insta::assert_snapshot!(failed(thread.run(Work::update()).await), @"node `slow` wrote `last`, which `fast` changed after `slow` was dispatched; give the field a reducer, or order the two nodes by an edge");
    let state = thread.state().await.unwrap();
    assert_eq!(state.state.last, "fast");
    assert!(state.next.contains(&"slow".to_owned()), "{:?}", state.next);
    let work = done(thread.continue_().await);
    assert_eq!(work.last, "slow", "the task ran again on the head");
    assert_eq!(calls.all(), [r#"slow saw """#, r#"slow saw "fast""#]);
}

#[tokio::test]
async fn an_each_node_runs_once_for_each_predecessor() {
    for (mode, expected) in [(Mode::Barrier, 2), (Mode::Eager, 2)] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(SLOW, "slow"), (FAST, "fast")] {
            graph.add_node(node, note(name));
        }
        graph.add_node(NEXT, note("next")).each();
        graph.add_edge(START, SLOW).add_edge(START, FAST).add_edge(SLOW, NEXT).add_edge(FAST, NEXT);
        assert_eq!(done(thread(graph).run(Work::update()).await).story().matches("next").count(), expected);
    }
}

#[tokio::test]
async fn a_trigger_while_its_node_runs_is_not_lost() {
    // `next` is in flight, on a state without `slow`, when `slow` finishes: it runs again.
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    let (running, finished) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let calls = Calls::default();
    let waits = Arc::clone(&running);
    graph.add_node(SLOW, move |_: Snapshot<Work>| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Noted::Ok(noted("slow"))
        }
    });
    graph.add_node(FAST, note("fast"));
    let (tells, lets, sees, log) = (running, Arc::clone(&finished), finished, calls.clone());
    graph.add_node(NEXT, move |work: Snapshot<Work>| {
        let (tells, sees, log) = (Arc::clone(&tells), Arc::clone(&sees), log.clone());
        async move {
            log.add(work.story());
            if work.story() == "fast" {
                tells.notify_one();
                sees.notified().await;
            }
            Noted::Ok(Work::update().count(1))
        }
    });
    const AFTER: Node = Node::named("after");
    graph.add_node(AFTER, move |_: Snapshot<Work>| {
        lets.notify_one();
        async { Noted::Ok(Work::update()) }
    });
    graph.add_conditional_edges(SLOW, [NEXT], |_: &Work| NEXT);
    graph.add_conditional_edges(FAST, [NEXT], |_: &Work| NEXT);
    graph.add_edge(START, SLOW).add_edge(START, FAST).add_edge(SLOW, AFTER);
    assert_eq!(done(thread(graph).run(Work::update()).await).count, 2);
    assert_eq!(calls.all(), ["fast", "fast slow"]);
}

#[tokio::test]
async fn a_trigger_of_a_task_that_was_in_flight_at_a_stop_is_not_lost() {
    // `next` is in flight on an older state when the run is cancelled, and waits for its second dispatch when `a_slow`
    // triggers it: what it sees is too old for that trigger, so it runs again.
    const EARLY: Node = Node::named("a_slow");
    const OTHER: Node = Node::named("other");
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    let calls = Calls::default();
    let started = Arc::new(Notify::new());
    let hangs = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let hanging = Arc::clone(&hangs);
    graph.add_node(EARLY, move |_: Snapshot<Work>| {
        let hangs = hanging.load(std::sync::atomic::Ordering::SeqCst);
        async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            Noted::Ok(noted("slow"))
        }
    });
    graph.add_node(FAST, note("fast"));
    let (tells, waits, log, hanging) = (Arc::clone(&started), started, calls.clone(), Arc::clone(&hangs));
    graph.add_node(NEXT, move |work: Snapshot<Work>| {
        let (tells, log) = (Arc::clone(&tells), log.clone());
        let hangs = hanging.load(std::sync::atomic::Ordering::SeqCst);
        async move {
            log.add(work.story());
            if hangs {
                tells.notify_one();
                std::future::pending::<()>().await;
            }
            Noted::Ok(Work::update().count(1))
        }
    });
    graph.add_node(OTHER, move |_: Snapshot<Work>| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Noted::Ok(noted("other"))
        }
    });
    graph.add_edge(START, EARLY).add_edge(START, FAST).add_edge(START, OTHER);
    graph.add_conditional_edges(EARLY, [NEXT], |_: &Work| NEXT);
    graph.add_conditional_edges(FAST, [NEXT], |_: &Work| NEXT);
    let thread = thread(graph);
    let run = thread.run(Work::update()).start();
    while steps(&thread).await.len() < 2 {
        tokio::task::yield_now().await;
    }
    thread.cancel();
    run.await.unwrap();
    hangs.store(false, std::sync::atomic::Ordering::SeqCst);
    let alone = graphloom_core_graph::RunPolicy::default().max_concurrency(1);
    assert_eq!(done(thread.policy(alone).continue_().await).count, 2);
    assert_eq!(calls.all(), ["fast", "fast", "fast other slow"]);
}
