//! Sends: typed, keyed inputs; order by key; coalescing; many.

use std::sync::Arc;

use graphloom_core_graph::{Context, EventKind, Mode, Node, NodeError, START, Snapshot, StateGraph, Step, Task};
use tokio::sync::Notify;

use crate::log::{Noted, Work, done, failed, note, noted, steps, thread, threads};

const PLAN: Node = Node::named("plan");
const LAST: Node = Node::named("last");
const WRITE: Task<u64> = Task::named("write");

fn writing(graph: &mut StateGraph<Work>) {
    graph.add_task(WRITE, |number: u64, _: Snapshot<Work>, cx: Context| async move {
        let key = cx.task().key.clone().unwrap_or_default();
        Noted::Ok(noted(format!("{key}={number}")).parts([(number, key.to_string())]))
    });
}

#[tokio::test]
async fn sends_commit_by_key_numbers_by_value_then_texts() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    writing(&mut graph);
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, WRITE, |_: &Work| {
        [("10", 1), ("b", 2), ("9", 3), ("a", 4)].map(|(key, input)| WRITE.send(key, input)).to_vec()
    });
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "plan 9=3 10=1 a=4 b=2");
    assert_eq!(steps(&thread).await, ["plan", "write write write write"]);
}

#[tokio::test]
async fn a_step_may_send_and_that_replaces_its_edges() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(PLAN, |_: Snapshot<Work>| async { Ok::<_, NodeError>(Step::<Work>::send([WRITE.send(1, 7)])) })
        .may_send(WRITE);
    writing(&mut graph);
    graph.add_node(LAST, note("last"));
    graph.add_edge(START, PLAN).add_edge(PLAN, LAST);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "1=7");
}

#[tokio::test]
async fn an_undeclared_send_is_an_error() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, |_: Snapshot<Work>| async { Ok::<_, NodeError>(Step::<Work>::send([WRITE.send(1, 7)])) });
    writing(&mut graph);
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, WRITE, |_: &Work| Vec::new());
    insta::assert_snapshot!(failed(thread(graph).run(Work::update()).await), @"node `plan` went to `write`, which it does not declare; declared: none. Add `.may_send(write)` to the node");
}

#[tokio::test]
async fn one_key_twice_in_a_fan_out_runs_once() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    writing(&mut graph);
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, WRITE, |_: &Work| vec![WRITE.send("k", 1), WRITE.send("k", 2), WRITE.send("l", 3)]);
    let thread = thread(graph);
    let mut run = thread.run(Work::update());
    let mut coalesced = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::SendCoalesced { node, key } = event.kind {
            coalesced.push(format!("{node} {key}"));
        }
    }
    assert_eq!(done(run.await).story(), "plan k=1 l=3");
    assert_eq!(coalesced, ["write k"]);
}

#[tokio::test]
async fn eager_a_send_of_a_key_in_flight_does_nothing_and_after_its_end_runs_again() {
    const SECOND: Node = Node::named("second");
    const THIRD: Node = Node::named("third");
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    let release = Arc::new(Notify::new());
    let waits = Arc::clone(&release);
    graph.add_node(PLAN, note("plan"));
    graph.add_node(SECOND, note("second"));
    graph
        .add_node(THIRD, |work: Snapshot<Work>| async move {
            let again = !work.story().contains("w3");
            let step = if again { Step::send([WRITE.send("k", 3)]) } else { Step::end() };
            Ok::<Step<Work>, NodeError>(step.with(noted("third")))
        })
        .may_send(WRITE);
    graph.add_task(WRITE, move |number: u64, _: Snapshot<Work>| {
        let waits = Arc::clone(&waits);
        async move {
            if number == 1 {
                waits.notified().await;
            }
            Noted::Ok(noted(format!("w{number}")))
        }
    });
    graph.add_edge(START, PLAN).add_edge(PLAN, SECOND);
    graph.add_sends(PLAN, WRITE, |_: &Work| vec![WRITE.send("k", 1)]);
    graph.add_sends(SECOND, WRITE, |_: &Work| vec![WRITE.send("k", 2)]);
    graph.add_join(WRITE, THIRD);
    let thread = thread(graph);
    let mut run = thread.run(Work::update());
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::Committed { tasks, .. } if tasks.iter().any(|task| task.starts_with("second")))
        {
            release.notify_one();
        }
    }
    let story = done(run.await).story();
    assert!(story.starts_with("plan second "), "{story}");
    assert!(story.contains("w1 third") && story.ends_with("w3 third") && !story.contains("w2"), "{story}");
}

#[tokio::test]
async fn thousands_of_sends_run_each_once() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_node(PLAN, note("plan"));
        graph.add_task(WRITE, |number: u64, _: Snapshot<Work>| async move {
            Noted::Ok(Work::update().count(1).parts([(number, number.to_string())]))
        });
        graph.add_node(LAST, note("last"));
        graph.add_edge(START, PLAN);
        graph.add_sends(PLAN, WRITE, |_: &Work| (0..3000).map(|number| WRITE.send(number, number)).collect());
        graph.add_join(WRITE, LAST);
        let work = done(threads(graph).thread("t").run(Work::update()).await);
        assert_eq!((work.count, work.parts.len(), work.story().as_str()), (3000, 3000, "plan last"));
    }
}

#[tokio::test]
async fn start_may_send() {
    let mut graph = StateGraph::<Work>::new("g");
    writing(&mut graph);
    graph.add_node(LAST, note("last"));
    graph.add_sends(START, WRITE, |work: &Work| (0..work.count.unsigned_abs()).map(|n| WRITE.send(n, n)).collect());
    graph.add_join(WRITE, LAST);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update().count(2)).await).story(), "0=0 1=1 last");
}
