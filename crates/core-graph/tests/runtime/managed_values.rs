//! What a node is told of its run: steps and tasks that are left, the last step, attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::{
    ChildOutcome, Clock, Context, Mode, Node, NodeError, Outcome, Retry, RunPolicy, START, Snapshot, StateGraph, Step,
    Task,
};

use crate::log::{Build, Noted, Work, done, failed, noted, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const CHILD: Node = Node::named("child");
const PART: Task<u64> = Task::named("part");

/// What a node sees of its limits.
fn told(cx: &Context) -> String {
    let shown = |left: Option<u64>| left.map_or_else(|| "-".to_owned(), |left| left.to_string());
    let last = if cx.is_last_step() { "!" } else { "" };
    format!("{}/{}{last}", shown(cx.remaining_steps()), shown(cx.remaining_tasks()))
}

/// A loop that tells what it sees, and ends after `rounds`.
fn looping(mode: Mode, rounds: i64) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move { Noted::Ok(noted(told(&cx)).count(1)) });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, A, move |work: &Work| (work.count < rounds).then_some(A));
    graph
}

#[tokio::test]
async fn the_last_step_is_the_one_that_really_is_the_last() {
    let thread = thread(looping(Mode::Barrier, 99));
    let limited = thread.policy(RunPolicy::default().max_steps(3));
    assert!(failed(limited.run(Work::update()).await).contains("the limit of 3 super-steps"));
    assert_eq!(thread.state().await.expect("it reads").state.story(), "2/- 1/- 0/-!");
    // A call that goes on has the same limit again.
    assert!(failed(limited.continue_().await).contains("the limit of 3 super-steps"));
    assert_eq!(thread.state().await.expect("it reads").state.story(), "2/- 1/- 0/-! 2/- 1/- 0/-!");
}

#[tokio::test]
async fn a_run_that_just_fits_is_done_at_its_last_step() {
    let thread = thread(looping(Mode::Barrier, 3)).policy(RunPolicy::default().max_steps(3));
    assert_eq!(done(thread.run(Work::update()).await).story(), "2/- 1/- 0/-!");
}

#[tokio::test]
async fn the_budget_tells_what_is_left_in_both_modes_and_over_a_resume() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let thread = thread(looping(mode, 5));
        let limited = |tasks| thread.policy(RunPolicy::default().budget(tasks));
        let Outcome::BudgetSpent { state, .. } = limited(3).run(Work::update()).await.expect("it stops") else {
            panic!("it is spent")
        };
        assert_eq!(state.story(), "-/2 -/1 -/0!", "{mode:?}");
        assert_eq!(done(limited(6).continue_().await).story(), "-/2 -/1 -/0! -/2 -/1", "{mode:?}");
    }
}

#[tokio::test]
async fn without_limits_nothing_is_last() {
    for mode in [Mode::Barrier, Mode::Eager] {
        // Without a store too, where a task takes the fast path of single tasks.
        let app = looping(mode, 2).built();
        assert_eq!(done(app.run_once(Work::update()).await).story(), "-/- -/-", "{mode:?}");
        let eager = app.run_once_with(Work::update(), RunPolicy::default().max_steps(9));
        let expected = if mode == Mode::Barrier { "8/- 7/-" } else { "-/- -/-" };
        assert_eq!(done(eager.await).story(), expected, "{mode:?}");
    }
}

#[tokio::test]
async fn a_wide_step_and_a_child_count_against_the_same_budget() {
    let mut child = StateGraph::<Work>::new("child");
    child.add_node(B, |_: Snapshot<Work>, cx: Context| async move { Noted::Ok(noted(format!("child {}", told(&cx)))) });
    child.add_edge(START, B);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move { Noted::Ok(noted(told(&cx))) });
    graph.add_task(PART, |_: u64, _: Snapshot<Work>, cx: Context| async move { Noted::Ok(noted(told(&cx))) });
    let out = |child: ChildOutcome<Work>| Ok(noted(child.done()?.story()));
    graph.add_subgraph(CHILD, child.built(), |_: &Work| Work::update(), out);
    graph.add_edge(START, A).add_join(PART, CHILD);
    graph.add_sends(A, PART, |_: &Work| (0..3).map(|at| PART.send(at, at)).collect());
    let thread = thread(graph).policy(RunPolicy::default().budget(6));
    // All three parts are counted before the first of them runs.
    assert_eq!(done(thread.run(Work::update()).await).story(), "-/5 -/2 -/2 -/2 child -/0!");
}

/// A clock that a test moves.
#[derive(Debug, Default)]
struct Moved(AtomicU64);

impl Clock for Moved {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn every_attempt_knows_when_the_first_one_began_also_after_a_restart() {
    let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
    for stored in [true, false] {
        let clock = Arc::new(Moved(AtomicU64::new(1000)));
        let moved = Arc::clone(&clock);
        let mut graph = StateGraph::<Work>::new("g");
        graph
            .add_node(A, move |_: Snapshot<Work>, cx: Context| {
                let clock = Arc::clone(&moved);
                async move {
                    let told = format!("{}@{:?}", cx.task().attempt, cx.first_attempt());
                    clock.0.fetch_add(10, Ordering::SeqCst);
                    if cx.task().attempt < 3 {
                        return Err(NodeError::retryable(told));
                    }
                    Ok::<Step<Work>, NodeError>(Step::update(noted(told)))
                }
            })
            .retry(Retry::immediate(3));
        graph.add_node(B, |_: Snapshot<Work>, cx: Context| async move {
            Noted::Ok(noted(format!("{}@{:?}", cx.task().attempt, cx.first_attempt())))
        });
        graph.add_edge(START, A).add_edge(A, B);
        let app = graph.built();
        if stored {
            let threads = app.with_shared_checkpointer(Arc::clone(&store)).with_clock(clock);
            assert_eq!(done(threads.thread("t").run(Work::update()).await).story(), "3@Some(1000) 1@None");
        } else {
            let story = done(app.run_once(Work::update()).await).story();
            let began = story.strip_prefix("3@Some(").and_then(|rest| rest.split(')').next()).expect("a time");
            assert!(began.parse::<u64>().expect("a number") > 0);
        }
    }
}
