//! Joins: of nodes, over sends, nested, empty, starved.

use graphloom_core_graph::{END, Mode, Node, NodeError, START, Snapshot, StateGraph, Step, Task};

use crate::log::{Noted, Work, done, in_order, note, noted, steps, thread, warnings};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const B2: Node = Node::named("b2");
const PLAN: Node = Node::named("plan");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

#[tokio::test]
async fn a_join_waits_for_branches_of_different_length() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(A, "a"), (B, "b"), (B2, "b2"), (LAST, "last")] {
            graph.add_node(node, note(name));
        }
        graph.add_edge(START, A).add_edge(START, B).add_edge(B, B2).add_join([A, B2], LAST);
        let thread = thread(graph);
        assert!(done(thread.run(Work::update()).await).story().ends_with("b2 last"));
        assert_eq!(steps(&thread).await.last().unwrap(), "last");
        assert_eq!(steps(&thread).await.iter().filter(|step| *step == "last").count(), 1);
    }
}

#[tokio::test]
async fn a_join_over_sends_waits_for_all_of_them_nested_ones_included() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_node(PLAN, note("plan"));
        graph
            .add_task(PART, |depth: u64, _: Snapshot<Work>| async move {
                let step = if depth == 0 {
                    Step::update(noted("leaf"))
                } else {
                    Step::send((0..2).map(|at| PART.send(format!("{depth}.{at}"), depth - 1))).with(noted("fork"))
                };
                Ok::<Step<Work>, NodeError>(step)
            })
            .may_send(PART);
        graph.add_node(LAST, note("last"));
        graph.add_edge(START, PLAN);
        graph.add_sends(PLAN, PART, |_: &Work| vec![PART.send("x", 1), PART.send("y", 0)]);
        graph.add_join(PART, LAST);
        let story = done(thread(graph).run(Work::update()).await).story();
        assert!(story.ends_with(" last") && story.matches("last").count() == 1, "{story}");
        assert_eq!(story.matches("leaf").count(), 3, "{story}");
    }
}

#[tokio::test]
async fn an_empty_fan_out_counts_as_complete() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Noted::Ok(noted("part")) });
    graph.add_node(LAST, note("last"));
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| Vec::new());
    graph.add_join(PART, LAST);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "plan last");
    assert_eq!(steps(&thread).await, ["plan", "last"]);
}

#[tokio::test]
async fn a_starved_join_is_reported_and_does_not_fill_in_the_next_run() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(PLAN, "plan"), (A, "a"), (B, "b"), (LAST, "last")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, PLAN);
    graph.add_conditional_edges(PLAN, [A, B], |work: &Work| if work.count == 1 { A } else { B });
    graph.add_join([A, B], LAST);
    let graph = graph;
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update().count(1)).await).story(), "plan a");
    assert_eq!(warnings(&thread).await, ["the join into `last` never filled: `b` did not finish in this run"]);
    let second = done(thread.run(Work::update().count(1)).await).story();
    assert_eq!(second, "plan a plan b", "`a` of the first run does not count in the second");
    assert_eq!(warnings(&thread).await.len(), 2);
}

#[tokio::test]
async fn a_join_may_wait_for_a_node_and_a_fan_out() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_node(PLAN, note("plan"));
        graph.add_node(A, note("a"));
        graph.add_node(B, note("b"));
        graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Noted::Ok(noted("part")) });
        graph.add_node(LAST, note("last"));
        graph.add_edge(START, PLAN).add_edge(START, A).add_edge(A, B).add_edge(LAST, END);
        graph.add_sends(PLAN, PART, |_: &Work| (0..3).map(|at| PART.send(at, at)).collect());
        graph.add_join((PART, B), LAST);
        let story = done(thread(graph).run(Work::update()).await).story();
        assert!(story.ends_with("last") && story.matches("part").count() == 3 && story.contains('b'), "{story}");
    }
}

#[tokio::test]
async fn a_fan_out_whose_key_is_pending_already_waits_for_that_task() {
    // Both planners send the same key; the join of each counts only after the one task.
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(A, "a"), (B, "b")] {
            graph.add_node(node.clone(), note(name));
            graph.add_sends(node, PART, |_: &Work| vec![PART.send("same", 1)]);
        }
        graph.add_task(PART, |_: u64, _: Snapshot<Work>| async {
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            Noted::Ok(noted("part"))
        });
        graph.add_node(LAST, note("last"));
        graph.add_edge(START, A).add_edge(START, B);
        graph.add_join(PART, LAST);
        assert_eq!(done(in_order(thread(graph)).run(Work::update()).await).story(), "a b part last");
    }
}

#[tokio::test]
async fn a_join_may_wait_for_start_in_a_store_too() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_node(A, note("a"));
        graph.add_node(LAST, note("last"));
        graph.add_edge(START, A).add_join((START, A), LAST);
        assert_eq!(done(thread(graph).run(Work::update()).await).story(), "a last");
    }
}
