//! Histories from elsewhere: as if the run had taken place here.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointRow, HistoryFilter, ThreadStatus};
use graphloom_core_graph::{
    Imported, Mode, Node, NodeError, RunError, START, Snapshot, StateGraph, Step, Task, Thread,
};

use crate::log::{Calls, Work, done, noted, steps, threads};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const PLAN: Node = Node::named("plan");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

/// `plan` sends two parts, which `last` joins, and goes to `a`, which routes to `b`.
fn graph(mode: Mode, calls: &Calls) -> StateGraph<Work> {
    let ran = |name: &'static str, calls: &Calls| {
        let calls = calls.clone();
        move |_: Snapshot<Work>| {
            calls.add(name);
            std::future::ready(Ok::<_, NodeError>(noted(name)))
        }
    };
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(A, ran("a", calls));
    graph.add_node(B, ran("b", calls));
    graph.add_node(LAST, ran("last", calls));
    let seen = calls.clone();
    graph
        .add_node(PLAN, move |_: Snapshot<Work>| {
            seen.add("plan");
            std::future::ready(Ok::<_, NodeError>(planned()))
        })
        .may_send(PART)
        .may_goto(A);
    let seen = calls.clone();
    graph.add_task(PART, move |part: u64, _: Snapshot<Work>| {
        seen.add("part");
        std::future::ready(Ok::<_, NodeError>(noted(format!("part {part}"))))
    });
    graph.add_edge(START, PLAN).add_join(PART, LAST);
    graph.add_conditional_edges(A, B, |work: &Work| work.notes.iter().any(|note| note == "a").then_some(B));
    graph
}

fn planned() -> Step<Work> {
    Step::send((1..3).map(|part| PART.send(part, part))).and_goto(A).with(noted("plan"))
}

/// Checkpoints without what differs from store to store.
async fn history(thread: &Thread<Work>) -> Vec<(u64, u64, String)> {
    let rows = thread.history(&HistoryFilter::default()).await.expect("it reads");
    rows.into_iter().map(|CheckpointRow { number, step, source, .. }| (number, step, format!("{source:?}"))).collect()
}

#[tokio::test]
async fn an_imported_run_has_the_history_of_the_real_one_and_goes_on_where_it_stopped() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let threads = threads(graph(mode, &calls));
        let real = threads.thread("real");
        let state = done(real.run(Work::update().last("x")).await);
        let ran = calls.all().len();
        let made = || {
            [
                Imported::new(PLAN, planned()),
                Imported::new(A, noted("a")),
                Imported::new(PART, noted("part 1")).key("1"),
                Imported::new(PART, noted("part 2")),
                Imported::new(B, noted("b")),
                Imported::new(LAST, noted("last")),
            ]
        };
        let whole = threads.thread("whole");
        assert_eq!(whole.import(Work::update().last("x"), made()).await.expect("it fits"), ThreadStatus::Done);
        assert_eq!(calls.all().len(), ran, "no node ran");
        assert_eq!(history(&whole).await, history(&real).await, "{mode:?}");
        let imported = whole.state().await.expect("it reads");
        assert_eq!((imported.state.last.as_str(), imported.status), ("x", ThreadStatus::Done));
        if mode == Mode::Barrier {
            assert_eq!(imported.state, state);
            assert_eq!(steps(&whole).await, steps(&real).await);
        }
        // Every prefix can be continued to the same end, a super-step that is half there as well.
        for upto in 0..made().len() {
            let part = threads.thread(format!("first {upto}"));
            let status = part.import(Work::update().last("x"), made().into_iter().take(upto)).await.expect("it fits");
            assert_eq!(status, ThreadStatus::Drained);
            let before = calls.all().len();
            let end = done(part.continue_().await);
            assert_eq!(calls.all().len() - before, made().len() - upto, "{mode:?}: the rest ran, and once");
            assert_eq!(end.notes.len(), state.notes.len());
            if mode == Mode::Barrier {
                assert_eq!(history(&part).await, history(&real).await, "{mode:?} {upto}");
            }
        }
    }
}

#[tokio::test]
async fn a_mistake_leaves_no_thread() {
    let calls = Calls::default();
    let threads = threads(graph(Mode::Barrier, &calls));
    let cases = [
        (
            vec![Imported::new(A, noted("a"))],
            "the import has a result of `a`, which no task waits for; tasks wait at `plan`",
        ),
        (
            vec![Imported::new(PLAN, planned()), Imported::new(PART, noted("p")).key("7")],
            "the import has a result of `part` for `7`, which no task waits for; tasks wait at `a`, `part` for `1`, `part` for `2`",
        ),
        (
            vec![Imported::new(PLAN, Step::goto(LAST))],
            "node `plan` went to `last`, which it does not declare; declared: `a`. Add `.may_goto(last)` to the node",
        ),
        (
            vec![Imported::new(PLAN, Work::update().fragile(13))],
            "node `plan` failed: its reducer panicked: the reducer dislikes 13",
        ),
    ];
    for (made, expected) in cases {
        let thread = threads.thread("t");
        let error = thread.import(Work::update(), made).await.expect_err("a mistake");
        assert_eq!(error.to_string(), expected);
        assert_eq!(thread.state().await.expect("it reads").status, ThreadStatus::New);
    }
    let thread = threads.thread("t");
    done(thread.run(Work::update()).await);
    let Err(RunError::WrongStatus { status, .. }) = thread.import(Work::update(), []).await else {
        panic!("it exists")
    };
    assert_eq!(status, ThreadStatus::Done);
    let _: Arc<Work> = thread.state().await.expect("it reads").state;
}
