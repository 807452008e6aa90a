//! Time limits of super-steps, in virtual time: what is unfinished is stopped, what is finished stays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphloom_core_graph::checkpoint::{HistoryFilter, MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{
    ChildOutcome, Clock, Compiled, Context, Durability, Mode, Node, NodeError, Outcome, Retry, RunError, RunPolicy,
    START, Snapshot, StateGraph, Task, Thread,
};
use tokio::time::{Instant, sleep};

use crate::log::{Build, Calls, Memory, Noted, Work, WorkUpdate, done, failed, note, noted, steps, thread, threads};

const FAST: Node = Node::named("fast");
const SLOW: Node = Node::named("slow");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

const LIMIT: Duration = Duration::from_secs(5);

struct TellsDrop(Calls);

impl Drop for TellsDrop {
    fn drop(&mut self) {
        self.0.add("dropped");
    }
}

/// Never ends when it is called for the first time.
fn add_stuck(graph: &mut StateGraph<Work>, node: Node, calls: &Calls) {
    let (calls, name) = (calls.clone(), node.as_str().to_owned());
    graph.add_node(node, move |_: Snapshot<Work>| {
        let (calls, name) = (calls.clone(), name.clone());
        async move {
            calls.add(&*name);
            let _tells = TellsDrop(calls.clone());
            if calls.count(&name) == 1 {
                std::future::pending::<()>().await;
            }
            Noted::Ok(noted(name))
        }
    });
}

fn add_noted(graph: &mut StateGraph<Work>, node: Node, calls: &Calls, takes: u64) {
    let (calls, name) = (calls.clone(), node.as_str().to_owned());
    graph.add_node(node, move |_: Snapshot<Work>| {
        calls.add(&*name);
        let name = name.clone();
        async move {
            sleep(Duration::from_secs(takes)).await;
            Noted::Ok(noted(name))
        }
    });
}

fn limited(limit: Duration) -> RunPolicy {
    RunPolicy::default().step_timeout(limit)
}

#[tokio::test(start_paused = true)]
async fn what_is_unfinished_is_stopped_and_only_that_runs_again() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        for takes in [0, 3] {
            let calls = Calls::default();
            let mut graph = StateGraph::<Work>::new("g");
            add_noted(&mut graph, FAST, &calls, takes);
            add_stuck(&mut graph, SLOW, &calls);
            graph.add_node(LAST, note("last"));
            graph.add_edge(START, FAST).add_edge(START, SLOW).add_join([FAST, SLOW], LAST);
            let thread = thread(graph).policy(limited(LIMIT).durability(durability));
            let began = Instant::now();
            let error = thread.run(Work::update()).await.unwrap_err();
            assert_eq!(began.elapsed(), LIMIT);
            let RunError::StepTimeout { step, limit, unfinished } = &error else { panic!("{error}") };
            assert_eq!((*step, *limit, unfinished.as_slice()), (1, LIMIT, &["slow".to_owned()][..]));
            assert_eq!(
                error.to_string(),
                "super-step 1 took longer than 5s; unfinished: slow. `continue_()` runs only those, with the whole limit again; raise `step_timeout`, or limit the time of the node that is slow"
            );
            assert_eq!(calls.count("dropped"), 1);
            let state = thread.state().await.unwrap();
            assert_eq!((state.status, state.next.as_slice()), (ThreadStatus::Failed, &["slow".to_owned()][..]));
            assert_eq!(state.detail, error.to_string());
            assert_eq!(done(thread.continue_().await).story(), "fast slow last");
            assert_eq!((calls.count("fast"), calls.count("slow")), (1, 2), "{durability:?}");
            assert_eq!(steps(&thread).await, ["fast slow", "last"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_step_has_its_own_time() {
    for takes in [4, 6] {
        let calls = Calls::default();
        let mut graph = StateGraph::<Work>::new("g");
        graph.step_timeout(LIMIT);
        add_noted(&mut graph, FAST, &calls, 4);
        add_noted(&mut graph, SLOW, &calls, takes);
        graph.add_edge(START, FAST).add_edge(FAST, SLOW);
        let graph = graph.built();
        let stored = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").run(Work::update()).await;
        for ended in [graph.run_once(Work::update()).await, stored] {
            match ended {
                Ok(outcome) => assert_eq!((done(Ok(outcome)).story().as_str(), takes), ("fast slow", 4)),
                Err(RunError::StepTimeout { step, unfinished, .. }) => {
                    assert_eq!((step, unfinished.as_slice(), takes), (2, &["slow".to_owned()][..], 6));
                }
                Err(error) => panic!("{error}"),
            }
        }
        // A run says otherwise.
        let policy = limited(Duration::from_secs(7));
        assert_eq!(done(graph.run_once_with(Work::update(), policy).await).story(), "fast slow");
        let policy = limited(Duration::from_secs(3));
        assert!(matches!(
            graph.run_once_with(Work::update(), policy).await.unwrap_err(),
            RunError::StepTimeout { step: 1, .. }
        ));
    }
}

#[tokio::test(start_paused = true)]
async fn retries_and_the_waits_between_them_count() {
    for beside in [false, true] {
        let calls = Calls::default();
        let mut graph = StateGraph::<Work>::new("g");
        let tries = calls.clone();
        graph
            .add_node(SLOW, move |_: Snapshot<Work>| {
                tries.add("try");
                async { Err::<WorkUpdate, _>(NodeError::retryable("busy").after(Duration::from_secs(2))) }
            })
            .retry(Retry::immediate(100));
        graph.add_edge(START, SLOW);
        if beside {
            graph.add_node(FAST, note("fast"));
            graph.add_edge(START, FAST);
        }
        let thread = thread(graph).policy(limited(LIMIT));
        let began = Instant::now();
        let error = thread.run(Work::update()).await.unwrap_err();
        assert!(matches!(&error, RunError::StepTimeout { unfinished, .. } if unfinished == &["slow"]), "{error}");
        assert_eq!(began.elapsed(), LIMIT);
        assert_eq!(calls.count("try"), 3, "at 0, 2 and 4 seconds");
    }
}

#[tokio::test(start_paused = true)]
async fn all_tasks_of_a_step_share_its_time() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph.add_task(PART, move |number: u64, _: Snapshot<Work>, _: Context| {
        seen.add(number.to_string());
        async move {
            sleep(Duration::from_secs(2)).await;
            Noted::Ok(noted(number.to_string()))
        }
    });
    graph.add_sends(START, PART, |_: &Work| (0..4).map(|number| PART.send(number, number)).collect());
    let thread = thread(graph);
    for most in [1, 2] {
        let thread = thread.policy(limited(LIMIT).max_concurrency(most));
        let began = Instant::now();
        match if most == 1 { thread.run(Work::update()).await } else { thread.continue_().await } {
            Err(RunError::StepTimeout { unfinished, .. }) => {
                assert_eq!((most, unfinished.as_slice(), began.elapsed()), (1, &["part".to_owned()][..], LIMIT));
                assert_eq!(calls.all(), ["0", "1", "2"], "the third was stopped, the fourth did not begin");
            }
            ended => {
                assert_eq!(done(ended).story(), "0 1 2 3");
                assert_eq!((most, began.elapsed()), (2, Duration::from_secs(2)));
                assert_eq!(calls.all(), ["0", "1", "2", "2", "3"]);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_beside_it_stays_open() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(FAST, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("word", "?").await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("word");
    add_stuck(&mut graph, SLOW, &calls);
    graph.add_edge(START, FAST).add_edge(START, SLOW);
    let thread = thread(graph).policy(limited(LIMIT));
    let error = thread.run(Work::update()).await.unwrap_err();
    assert!(matches!(&error, RunError::StepTimeout { unfinished, .. } if unfinished == &["slow"]), "{error}");
    let Outcome::Waiting(asked) = thread.continue_().await.unwrap() else { panic!("one asks") };
    // A person may take their time.
    sleep(LIMIT * 10).await;
    assert_eq!(done(thread.resume(asked.answer("word", "here").unwrap()).await).story(), "here slow");
    assert_eq!(calls.count("slow"), 2);
}

/// Two steps, of which the second is stuck when it is called for the first time.
fn stuck_child(calls: &Calls, limit: Option<Duration>) -> Compiled<Memory> {
    let mut graph = StateGraph::<Memory>::new("child");
    for (node, name) in [(FAST, "a"), (SLOW, "b")] {
        let calls = calls.clone();
        graph.add_node(node, move |_: Snapshot<Memory>| {
            calls.add(name);
            let stuck = name == "b" && calls.count(name) == 1;
            async move {
                if stuck {
                    std::future::pending::<()>().await;
                }
                Ok::<_, NodeError>(Memory::update().lines([name.to_owned()]))
            }
        });
    }
    graph.add_edge(START, FAST).add_edge(FAST, SLOW);
    limit.into_iter().for_each(|limit| {
        graph.step_timeout(limit);
    });
    graph.built()
}

fn around(child: Compiled<Memory>) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    let out = |child: ChildOutcome<Memory>| match child {
        ChildOutcome::Done(state) => Noted::Ok(noted(state.said())),
        ChildOutcome::Failed { error, .. } => Noted::Ok(noted(format!("[{error}]"))),
        _ => Err(NodeError::terminal("neither")),
    };
    graph.add_subgraph(LAST, child, |_: &Work| Memory::update(), out);
    graph.add_edge(START, LAST);
    graph
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_subgraph_fails_its_call() {
    for stored in [false, true] {
        let calls = Calls::default();
        let graph = around(stuck_child(&calls, Some(LIMIT))).built();
        let began = Instant::now();
        let ended = if stored {
            graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").run(Work::update()).await
        } else {
            graph.run_once(Work::update()).await
        };
        let story = done(ended).story();
        assert!(story.starts_with("[super-step 2 took longer than 5s; unfinished: slow."), "{story}");
        assert_eq!(began.elapsed(), LIMIT);
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_around_a_subgraph_stops_it_where_it_is() {
    let calls = Calls::default();
    let thread = thread(around(stuck_child(&calls, None))).policy(limited(LIMIT));
    let error = thread.run(Work::update()).await.unwrap_err();
    assert!(matches!(&error, RunError::StepTimeout { step: 1, unfinished, .. } if unfinished == &["last"]), "{error}");
    assert_eq!(done(thread.continue_().await).story(), "a+b");
    assert_eq!((calls.count("a"), calls.count("b")), (1, 2), "the subgraph goes on from its last step");
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_nothing_reaches_changes_nothing() {
    let run = async |policy: RunPolicy| {
        let calls = Calls::default();
        let mut graph = StateGraph::<Work>::new("g");
        for node in [FAST, SLOW, LAST] {
            add_noted(&mut graph, node, &calls, 0);
        }
        graph.add_edge(START, FAST).add_edge(FAST, SLOW).add_edge(FAST, LAST);
        let thread: Thread<Work> = thread(graph).policy(policy);
        let story = done(thread.run(Work::update()).await).story();
        let ids: Vec<_> =
            thread.history(&HistoryFilter::default()).await.unwrap().into_iter().map(|row| row.id).collect();
        (story, ids)
    };
    assert_eq!(run(limited(LIMIT)).await, run(RunPolicy::default()).await);
}

/// A wall clock that is set an hour forward and back by turns.
#[derive(Default)]
struct Jumping(AtomicU64);

impl Clock for Jumping {
    fn now(&self) -> u64 {
        let reads = self.0.fetch_add(1, Ordering::Relaxed);
        1_700_000_000_000 + (reads % 2) * 3_600_000
    }
}

#[tokio::test(start_paused = true)]
async fn the_wall_clock_does_not_count() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    add_noted(&mut graph, FAST, &calls, 4);
    add_stuck(&mut graph, SLOW, &calls);
    graph.add_edge(START, FAST).add_edge(FAST, SLOW);
    let thread = threads(graph).with_clock(Arc::new(Jumping::default())).thread("t").policy(limited(LIMIT));
    let began = Instant::now();
    let error = failed(thread.run(Work::update()).await);
    assert!(error.starts_with("super-step 2 took longer"), "{error}");
    assert_eq!(began.elapsed(), Duration::from_secs(9));
}

#[tokio::test(start_paused = true)]
async fn eager_mode_has_no_super_steps_to_limit() {
    let graph = |limit: Option<Duration>| {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(Mode::Eager);
        add_noted(&mut graph, SLOW, &Calls::default(), 60);
        graph.add_edge(START, SLOW);
        limit.into_iter().for_each(|limit| {
            graph.step_timeout(limit);
        });
        graph.compile()
    };
    let refused = graph(Some(LIMIT)).unwrap_err();
    insta::assert_snapshot!(refused, @r"
    the graph `g` cannot be compiled:
      - the graph limits the time of its super-steps, which eager mode does not have; use barrier mode, or time limits of its nodes
    ");
    // As other limits of super-steps, that of a run says nothing there.
    let policy = limited(LIMIT);
    assert_eq!(done(graph(None).unwrap().run_once_with(Work::update(), policy).await).story(), "slow");
}
