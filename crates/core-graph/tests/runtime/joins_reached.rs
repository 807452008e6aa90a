//! Joins of what is reached: they wait for what can still come, and starve of nothing.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::simulate::Simulator;
use graphloom_core_graph::{Context, Mode, Node, NodeError, Outcome, START, Snapshot, StateGraph, Step, Task};

use crate::log::{Build, Noted, Work, done, in_order, note, noted, thread, warnings};

const PLAN: Node = Node::named("plan");
const A: Node = Node::named("a");
const B: Node = Node::named("b");
const B2: Node = Node::named("b2");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

const MODES: [Mode; 2] = [Mode::Barrier, Mode::Eager];

/// `plan` routes to `a` (bit 1), `b` (bit 2) and the fan-out (bit 4) by the count; `b` leads on to `b2`.
fn chosen(mode: Mode) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    for (node, name) in [(PLAN, "plan"), (A, "a"), (B, "b"), (B2, "b2"), (LAST, "last")] {
        graph.add_node(node, note(name));
    }
    graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Noted::Ok(noted("part")) });
    graph.add_edge(START, PLAN).add_edge(B, B2);
    graph.add_conditional_edges(PLAN, [A, B], |work: &Work| {
        let mut to = Vec::new();
        to.extend((work.count & 1 > 0).then_some(A));
        to.extend((work.count & 2 > 0).then_some(B));
        to
    });
    graph.add_sends(PLAN, PART, |work: &Work| {
        let parts = if work.count & 4 > 0 { 3 } else { 0 };
        (0..parts).map(|at| PART.send(at, at)).collect()
    });
    graph
}

#[tokio::test]
async fn it_fires_once_when_all_that_were_reached_have_finished() {
    for mode in MODES {
        for count in 0..8 {
            let mut graph = chosen(mode);
            graph.add_join_reached((A, B2, PART), LAST);
            let graph = graph.built();
            assert_eq!(graph.warnings(), [], "it cannot starve");
            let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t");
            let story = done(thread.run(Work::update().count(count)).await).story();
            assert!(story.ends_with(" last") && story.matches("last").count() == 1, "{mode:?} {count}: {story}");
            assert_eq!(story.matches("part").count(), if count & 4 > 0 { 3 } else { 0 }, "{story}");
            assert!(warnings(&thread).await.is_empty());
        }
    }
}

#[tokio::test]
async fn nothing_reached_is_nothing_to_join() {
    for mode in MODES {
        let mut graph = chosen(mode);
        graph.add_join_reached((A, B2), LAST);
        let thread = thread(graph);
        assert_eq!(done(thread.run(Work::update()).await).story(), "plan");
        assert!(warnings(&thread).await.is_empty());
    }
}

#[tokio::test]
async fn a_loop_through_its_target_begins_a_new_round() {
    for mode in MODES {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(A, "a"), (B, "b")] {
            graph.add_node(node, note(name));
        }
        graph
            .add_node(LAST, |work: Snapshot<Work>| async move {
                let update = noted("last").count(1);
                Ok::<_, NodeError>(if work.count < 2 { Step::goto(A).with(update) } else { Step::end().with(update) })
            })
            .may_goto([A, graphloom_core_graph::END]);
        graph.add_edge(START, A).add_edge(START, B).add_join_reached([A, B], LAST);
        assert_eq!(done(in_order(thread(graph)).run(Work::update()).await).story(), "a b last a last a last");
    }
}

#[tokio::test]
async fn one_waits_for_another_that_leads_to_it() {
    // `b2` joins `a` and the `b` that no route takes; `last` joins `b2` and `plan`, which has finished long before.
    for mode in MODES {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(PLAN, "plan"), (A, "a"), (B, "b"), (B2, "b2"), (LAST, "last")] {
            graph.add_node(node, note(name));
        }
        graph.add_edge(START, PLAN);
        graph.add_conditional_edges(PLAN, [A, B], |_: &Work| A);
        graph.add_join_reached([A, B], B2).add_join_reached([PLAN, B2], LAST);
        assert_eq!(done(thread(graph).run(Work::update()).await).story(), "plan a b2 last");
    }
}

#[tokio::test]
async fn joins_that_wait_for_each_other_go_one_after_the_other() {
    for mode in MODES {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(A, "a"), (B, "b"), (B2, "b2"), (LAST, "last")] {
            graph.add_node(node, move |work: Snapshot<Work>| async move {
                let update = noted(name).count(1);
                Ok::<_, NodeError>(if work.count < 6 { Step::update(update) } else { Step::end().with(update) })
            });
        }
        graph.add_edge(START, A).add_edge(START, B);
        graph.add_join_reached([A, LAST], B2).add_join_reached([B, B2], LAST);
        let story = done(in_order(thread(graph)).run(Work::update()).await).story();
        assert_eq!(story, "a b b2 last b2 last b2");
    }
}

#[tokio::test]
async fn an_open_question_upstream_holds_it_back_over_a_resume() {
    for mode in MODES {
        let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
        let open = || {
            let mut graph = StateGraph::<Work>::new("g");
            graph.mode(mode);
            graph.add_node(A, note("a"));
            graph
                .add_node(B, |_: Snapshot<Work>, cx: Context| async move {
                    let on: bool = cx.ask("on", "?").await?;
                    Ok::<_, NodeError>(if on { Step::goto(B2) } else { Step::end() }.with(noted("b")))
                })
                .asks::<bool>("on")
                .may_goto((B2, graphloom_core_graph::END));
            graph.add_node(B2, note("b2"));
            graph.add_node(LAST, note("last"));
            graph.add_edge(START, A).add_edge(START, B).add_join_reached([A, B2], LAST);
            let app = graph.built().with_context(());
            app.with_shared_checkpointer(Arc::clone(&store))
        };
        for (id, on, expected) in [("yes", true, "b2 last"), ("no", false, "b last")] {
            let Outcome::Waiting(questions) = open().thread(id).run(Work::update()).await.expect("it waits") else {
                panic!("it asks")
            };
            let answers = questions.answer("on", on).expect("fits");
            let story = done(open().thread(id).resume(answers).await).story();
            assert!(story.ends_with(expected) && story.matches("last").count() == 1, "{mode:?}: {story}");
        }
    }
}

#[tokio::test]
async fn it_keeps_its_promise_whatever_crashes() {
    for mode in MODES {
        for count in [1, 2, 5, 6, 7] {
            let mut graph = chosen(mode);
            graph.add_join_reached((A, B2, PART), LAST);
            let app = graph.built();
            for seed in 0..20 {
                let report = Simulator::new(&app).seed(seed).crash_between_any().run(Work::update().count(count)).await;
                let report = report.expect("it ends");
                let story = report.state.story();
                assert_eq!((report.status, &report.violations[..]), (ThreadStatus::Done, &[][..]), "{story}");
                assert_eq!(story.matches("last").count(), 1, "{mode:?} {count} {seed}: {story}");
                assert!(story.ends_with("last"), "{mode:?} {count} {seed}: {story}");
            }
        }
    }
}

#[tokio::test]
async fn two_joins_into_one_node_are_told_apart_after_a_restart() {
    let open = |store: &Arc<dyn Checkpointer>| {
        let mut graph = StateGraph::<Work>::new("g");
        for (node, name) in [(A, "a"), (B, "b"), (LAST, "last")] {
            graph.add_node(node, note(name));
        }
        graph
            .add_node(B2, |_: Snapshot<Work>, cx: Context| async move {
                let _: bool = cx.ask("on", "?").await?;
                Ok::<_, NodeError>(noted("b2"))
            })
            .asks::<bool>("on");
        graph.add_edge(START, A).add_edge(A, B).add_edge(A, B2);
        graph.add_join([A, B2], LAST).add_join([B, B2], LAST);
        graph.built().with_shared_checkpointer(Arc::clone(store)).thread("t")
    };
    let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
    let Outcome::Waiting(questions) = open(&store).run(Work::update()).await.expect("it waits") else { panic!() };
    let story = done(open(&store).resume(questions.answer("on", true).expect("fits")).await).story();
    assert_eq!(story, "a b b2 last");
}
