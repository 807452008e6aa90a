//! Error handlers: what they are told, where they lead, and that a crash in one leads back to it.

use std::time::Duration;

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::simulate::Simulator;
use graphloom_core_graph::{
    Context, Failure, FailureKind, Mode, Node, NodeDefaults, NodeError, Outcome, Retry, START, Snapshot, StateGraph,
    Step, Task, Timeout,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, note, noted, steps, thread};

const BAD: Node = Node::named("bad");
const SIBLING: Node = Node::named("sibling");
const AFTER: Node = Node::named("after");
const NEVER: Node = Node::named("never");
const PART: Task<u64> = Task::named("part");

/// `bad` fails twice beside a sibling; its handler goes to `after`; its edge to `never` must not fire.
fn handled(mode: Mode, calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    let (tried, handling) = (calls.clone(), calls.clone());
    graph
        .add_node(BAD, move |_: Snapshot<Work>| {
            tried.add("bad");
            async { Noted::Err(NodeError::retryable("busy")) }
        })
        .retry(Retry::immediate(2))
        .may_goto(AFTER);
    graph.add_node(SIBLING, note("sibling"));
    graph.add_node(AFTER, note("after"));
    graph.add_node(NEVER, note("never"));
    graph.add_edge(START, BAD).add_edge(START, SIBLING).add_edge(BAD, NEVER);
    graph.add_error_handler(BAD, move |failure: Failure, _: Snapshot<Work>| {
        handling.add("handler");
        let told = format!("handled-{}-{}-{}", failure.node, failure.attempts, failure.message);
        async move { Ok::<_, NodeError>(Step::goto(AFTER).with(noted(told))) }
    });
    graph
}

#[tokio::test]
async fn the_handler_takes_over_in_the_same_super_step_and_the_edges_of_the_node_do_not_fire() {
    for (mode, expected) in
        [(Mode::Barrier, vec!["bad sibling", "after"]), (Mode::Eager, vec!["sibling", "bad", "after"])]
    {
        let calls = Calls::default();
        let thread = thread(handled(mode, &calls));
        let state = done(thread.run(Work::update()).await);
        let mut notes: Vec<_> = state.notes.iter().cloned().collect();
        notes.sort();
        assert_eq!(notes, ["after", "handled-bad-2-busy", "sibling"], "{mode:?}");
        assert_eq!((calls.count("bad"), calls.count("handler")), (2, 1));
        let mut steps = steps(&thread).await;
        if mode == Mode::Eager {
            // The two first ones are in the order in which they finished.
            steps[..2].sort_by_key(|step| step != "sibling");
        }
        assert_eq!(steps, expected, "{mode:?}");
    }
}

#[tokio::test]
async fn a_handler_without_a_goto_goes_nowhere() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(BAD, |_: Snapshot<Work>| async { Noted::Err(NodeError::terminal("broken")) });
    graph.add_node(NEVER, note("never"));
    graph.add_edge(START, BAD).add_edge(BAD, NEVER);
    graph.add_error_handler(BAD, |_: Failure, _: Snapshot<Work>| async { Noted::Ok(noted("handled")) });
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "handled");
}

#[tokio::test(start_paused = true)]
async fn the_handler_is_told_the_kind_of_failure() {
    type Fails = fn(Snapshot<Work>) -> futures::future::BoxFuture<'static, Noted>;
    let cases: [(Fails, FailureKind, &str); 3] = [
        (|_| Box::pin(async { Err(NodeError::terminal("broken")) }), FailureKind::Error, "broken"),
        (|_| Box::pin(std::future::pending()), FailureKind::Timeout, "no result within its attempt limit of 5s"),
        (|_| Box::pin(async { panic!("ouch") }), FailureKind::Panic, "panicked: ouch"),
    ];
    for (fails, kind, message) in cases {
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(BAD, fails).timeout(Timeout::attempt(Duration::from_secs(5)));
        graph.add_edge(START, BAD);
        graph.add_error_handler(BAD, move |failure: Failure, _: Snapshot<Work>| async move {
            assert_eq!(failure.kind, kind);
            Noted::Ok(noted(failure.message))
        });
        assert_eq!(done(thread(graph).run(Work::update()).await).story(), message);
    }
}

#[tokio::test]
async fn a_handler_of_a_task_node_reads_the_input_and_the_join_fills() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_node(SIBLING, note("begin"));
        graph.add_task(PART, |number: u64, _: Snapshot<Work>| async move {
            if number == 1 { Err(NodeError::terminal("odd")) } else { Noted::Ok(Work::update().count(1)) }
        });
        graph.add_node(AFTER, note("joined"));
        graph.add_edge(START, SIBLING);
        graph.add_sends(SIBLING, PART, |_: &Work| (0..3).map(|at| PART.send(at, at)).collect());
        graph.add_join(PART, AFTER);
        graph.add_error_handler(PART, |failure: Failure, _: Snapshot<Work>| async move {
            let number: u64 = failure.input()?.unwrap_or_default();
            Noted::Ok(Work::update().count(100 * i64::try_from(number)?))
        });
        let state = done(thread(graph).run(Work::update()).await);
        assert_eq!((state.count, state.story().as_str()), (102, "begin joined"), "{mode:?}");
    }
}

#[tokio::test]
async fn a_handler_that_fails_fails_the_run_with_both_errors() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(BAD, |_: Snapshot<Work>| async { Noted::Err(NodeError::terminal("broken")) });
    graph.add_edge(START, BAD);
    graph.add_error_handler(BAD, |_: Failure, _: Snapshot<Work>| async { Noted::Err(NodeError::terminal("helpless")) });
    let message = failed(thread(graph).run(Work::update()).await);
    assert!(message.contains("the error handler failed: helpless; it was to handle: broken"), "{message}");
}

#[tokio::test]
async fn a_run_that_stops_in_the_handler_goes_on_in_the_handler() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let (tried, handling) = (calls.clone(), calls.clone());
    graph.add_node(BAD, move |_: Snapshot<Work>| {
        tried.add("bad");
        async { Noted::Err(NodeError::terminal("broken")) }
    });
    graph.add_edge(START, BAD);
    graph.add_error_handler(BAD, move |failure: Failure, _: Snapshot<Work>, cx: Context| {
        let first = handling.count("handler") == 0;
        handling.add("handler");
        async move {
            if first {
                cx.stopping().await;
                std::future::pending::<()>().await;
            }
            Noted::Ok(noted(failure.message))
        }
    });
    let thread = thread(graph);
    let run = thread.run(Work::update());
    let handle = run.handle();
    let (outcome, ()) = tokio::join!(run, async {
        while calls.count("handler") == 0 {
            tokio::task::yield_now().await;
        }
        handle.cancel();
    });
    assert!(matches!(outcome.unwrap(), Outcome::Cancelled { .. }));
    assert_eq!(done(thread.continue_().await).story(), "broken");
    assert_eq!((calls.count("bad"), calls.count("handler")), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_every_point_handles_once() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let graph = handled(mode, &Calls::default()).built();
        for report in Simulator::new(&graph).crash_everywhere(Work::update()).await.unwrap() {
            assert!(report.violations.is_empty(), "{:#?}", report.violations);
            assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
            let mut notes: Vec<_> = report.state.notes.iter().cloned().collect();
            notes.sort();
            assert_eq!(notes, ["after", "handled-bad-2-busy", "sibling"], "{mode:?}");
        }
    }
}

#[tokio::test]
async fn a_question_is_no_failure() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(BAD, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("name", "who?").await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("name");
    graph.add_edge(START, BAD);
    graph.add_error_handler(BAD, |_: Failure, _: Snapshot<Work>| async { Noted::Ok(noted("handled")) });
    let thread = thread(graph);
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("the node asks") };
    assert_eq!(done(thread.resume(questions.answer("name", "Ada").unwrap()).await).story(), "Ada");
}

#[tokio::test]
async fn defaults_serve_the_nodes_that_state_nothing() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.defaults(NodeDefaults::default().retry(Retry::immediate(3)));
    for (node, attempts) in [(BAD, None), (SIBLING, Some(1))] {
        let (calls, name) = (calls.clone(), node.as_str().to_owned());
        let spec = graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            calls.add(&name);
            async { Noted::Err(NodeError::retryable("busy")) }
        });
        if let Some(attempts) = attempts {
            spec.retry(Retry::immediate(attempts));
        }
        graph.add_edge(START, node);
    }
    graph.default_error_handler(|failure: Failure, _: Snapshot<Work>| async move { Noted::Ok(noted(failure.node)) });
    graph.add_error_handler(SIBLING, |_: Failure, _: Snapshot<Work>| async { Noted::Ok(noted("own")) });
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "bad own");
    assert_eq!((calls.count("bad"), calls.count("sibling")), (3, 1));
}

#[test]
fn a_handler_of_no_node_is_refused() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(BAD, note("bad"));
    graph.add_edge(START, BAD);
    graph.add_error_handler(NEVER, |_: Failure, _: Snapshot<Work>| async { Noted::Ok(noted("handled")) });
    let message = graph.compile().map(drop).unwrap_err().to_string();
    assert!(message.contains("add_error_handler(`never`) names `never`, which is no node; nodes: `bad`"), "{message}");
}
