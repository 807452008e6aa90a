//! The budget counts every executed task once: in both modes, on start and on resume, with parallel children.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Mode, Node, NodeError, Outcome, Retry, RunPolicy, START, Snapshot, StateGraph,
    Task, Thread,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, note, noted, steps, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const PLAN: Node = Node::named("plan");
const PART: Task<u64> = Task::named("part");

fn budget(tasks: u64) -> RunPolicy {
    RunPolicy::default().budget(tasks)
}

fn counted(
    calls: &Calls,
    name: &'static str,
) -> impl Fn(Snapshot<Work>) -> std::future::Ready<Noted> + Send + Sync + 'static {
    let calls = calls.clone();
    move |_| {
        calls.add(name);
        std::future::ready(Ok(noted(name)))
    }
}

/// `plan`, then four parts.
fn fan(mode: Mode, calls: &Calls) -> Thread<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(PLAN, counted(calls, "plan"));
    let seen = calls.clone();
    graph.add_task(PART, move |_: u64, _: Snapshot<Work>| {
        seen.add("part");
        async { Noted::Ok(Work::update().count(1)) }
    });
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (0..4).map(|at| PART.send(at, at)).collect());
    thread(graph)
}

#[tokio::test]
async fn a_barrier_step_runs_whole_or_not_at_all_and_eager_tasks_one_by_one() {
    for (mode, tasks, executed) in [
        (Mode::Barrier, 0, 0),
        (Mode::Barrier, 1, 1),
        (Mode::Barrier, 4, 1),
        (Mode::Barrier, 5, 5),
        (Mode::Eager, 0, 0),
        (Mode::Eager, 1, 1),
        (Mode::Eager, 4, 4),
        (Mode::Eager, 5, 5),
    ] {
        for concurrency in [1, 2, 9] {
            let calls = Calls::default();
            let thread = fan(mode, &calls);
            let outcome = thread.policy(budget(tasks).max_concurrency(concurrency)).run(Work::update()).await.unwrap();
            assert_eq!(calls.all().len(), executed, "{mode:?} {tasks} {concurrency}");
            if executed == 5 {
                assert!(matches!(outcome, Outcome::Done(_)), "a budget that is just enough is enough: {outcome:?}");
                continue;
            }
            let Outcome::BudgetSpent { next, .. } = outcome else { panic!("{outcome:?}") };
            assert_eq!(next, [if tasks == 0 { "plan" } else { "part" }]);
            assert_eq!(thread.state().await.unwrap().status, ThreadStatus::BudgetSpent);
            let again = thread.policy(budget(tasks)).continue_().await.unwrap();
            assert!(matches!(again, Outcome::BudgetSpent { .. }), "the run has spent it: {again:?}");
            assert_eq!(calls.all().len(), executed);
            assert_eq!(done(thread.policy(budget(5)).continue_().await).count, 4);
            assert_eq!(calls.all().len(), 5);
        }
    }
}

#[tokio::test]
async fn retries_are_free_and_a_new_run_begins_at_nothing() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            if cx.task().attempt < 3 { Err(NodeError::retryable("again")) } else { Noted::Ok(noted("a")) }
        })
        .retry(Retry::immediate(3));
    graph.add_edge(START, A);
    let thread = thread(graph).policy(budget(1));
    done(thread.run(Work::update()).await);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a a");
}

#[tokio::test]
async fn tasks_that_wait_or_failed_are_not_counted_twice() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph
            .add_node(A, |_: Snapshot<Work>, cx: Context| async move {
                let name: String = cx.ask("name", "?").await?;
                if name == "bad" { Err(NodeError::terminal("bad")) } else { Noted::Ok(noted(name)) }
            })
            .asks::<String>("name");
        graph.add_node(B, note("b"));
        graph.add_node(C, note("c"));
        graph.add_edge(START, A).add_edge(START, B).add_edge(A, C);
        let thread = thread(graph).policy(budget(3));
        let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it waits") };
        assert_eq!(failed(thread.resume(questions.answer("name", "bad").unwrap()).await), "node `a` failed: bad");
        // The stored answer is what failed it; a new run gets another.
        let Outcome::Waiting(questions) = thread.abandon().run(Work::update()).await.unwrap() else {
            panic!("it waits")
        };
        let work = done(thread.resume(questions.answer("name", "Ada").unwrap()).await);
        assert!(work.story().ends_with('c'), "{}", work.story());
    }
}

fn child(calls: &Calls) -> Compiled<Work> {
    let mut graph = StateGraph::<Work>::new("child");
    graph.add_node(A, counted(calls, "a"));
    graph.add_node(B, counted(calls, "b"));
    graph.add_node(C, counted(calls, "c"));
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
    graph.built()
}

fn out(child: ChildOutcome<Work>) -> Noted {
    Ok(noted(child.done()?.story().replace(' ', "")))
}

#[tokio::test]
async fn parallel_children_count_against_the_root() {
    // Three subgraph tasks of three nodes each, and the plan: 1 + 3 + 9.
    for mode in [Mode::Barrier, Mode::Eager] {
        for tasks in 0..=13 {
            let calls = Calls::default();
            let mut graph = StateGraph::<Work>::new("g");
            graph.mode(mode);
            graph.add_node(PLAN, counted(&calls, "plan"));
            graph.add_subgraph_task(PART, child(&calls), |_: u64, _: &Work| Work::update(), out);
            graph.add_edge(START, PLAN);
            graph.add_sends(PLAN, PART, |_: &Work| (0..3).map(|at| PART.send(at, at)).collect());
            let thread = thread(graph);
            let outcome = thread.policy(budget(tasks)).run(Work::update()).await.unwrap();
            let inner = calls.all().len() as u64;
            assert!(inner <= tasks, "{mode:?} {tasks}: {inner} nodes ran");
            if tasks == 13 {
                assert!(matches!(outcome, Outcome::Done(_)));
            } else {
                assert!(matches!(outcome, Outcome::BudgetSpent { .. }), "{mode:?} {tasks}: {outcome:?}");
                let again = thread.policy(budget(tasks)).continue_().await.unwrap();
                assert!(matches!(again, Outcome::BudgetSpent { .. }), "{mode:?} {tasks}: {again:?}");
                assert!(calls.all().len() as u64 <= tasks);
                done(thread.policy(budget(13)).continue_().await);
            }
            assert_eq!(calls.all().len(), 10, "{mode:?} {tasks}: nothing ran twice");
        }
    }
}

#[tokio::test]
async fn max_steps_limits_the_super_steps_of_a_call() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_edge(START, A).add_edge(A, A);
    let thread = thread(graph).policy(RunPolicy::default().max_steps(7));
    insta::assert_snapshot!(failed(thread.run(Work::update()).await), @"the limit of 7 super-steps was reached, next would be a; raise `max_steps`, or check the exit of the loop");
    assert_eq!(steps(&thread).await.len(), 7);
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::BudgetSpent);
    failed(thread.continue_().await);
    assert_eq!(steps(&thread).await.len(), 14, "the limit is of the call");
}
