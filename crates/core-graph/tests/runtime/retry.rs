//! Retries: policy, waits in virtual time, attempts that survive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graphloom_core_graph::{Clock, Context, EventKind, Mode, Node, NodeError, Retry, START, Snapshot, StateGraph};
use tokio::time::Instant;

use crate::log::{Calls, Noted, Work, done, failed, note, noted, steps, thread, threads};

const WORK: Node = Node::named("work");
const OTHER: Node = Node::named("other");

/// Tokio's clock, which tests pause.
struct Virtual(Instant);

impl Clock for Virtual {
    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn failing(
    calls: &Calls,
    times: u32,
    error: fn() -> NodeError,
) -> impl Fn(Snapshot<Work>, Context) -> futures::future::BoxFuture<'static, Noted> + Send + Sync + 'static {
    let calls = calls.clone();
    move |_, cx| {
        let calls = calls.clone();
        Box::pin(async move {
            calls.add("try");
            if cx.task().attempt <= times { Err(error()) } else { Ok(noted(format!("after {}", cx.task().attempt))) }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn waits_grow_and_nobody_sleeps_in_real_time() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        let mut policy = Retry::exponential(4).after(Duration::from_secs(60));
        policy.jitter = 0.0;
        graph.add_node(WORK, failing(&Calls::default(), 3, || NodeError::retryable("busy"))).retry(policy);
        graph.add_edge(START, WORK);
        let started = Instant::now();
        let thread = threads(graph).with_clock(Arc::new(Virtual(started))).thread("t");
        assert_eq!(done(thread.run(Work::update()).await).story(), "after 4");
        assert_eq!(started.elapsed().as_secs(), 60 + 120 + 128, "capped at 128");
        let events = thread.journal(0, usize::MAX).await.unwrap();
        let retries: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::TaskRetry { delay, error, .. } => Some((event.attempt, *delay, error.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(retries, [(1, 60_000, "busy"), (2, 120_000, "busy"), (3, 128_000, "busy")]);
    }
}

#[tokio::test]
async fn attempts_end_and_terminal_errors_and_refused_ones_are_not_repeated() {
    type Case = (Retry, u32, fn() -> NodeError, usize, &'static str);
    let cases: [Case; 4] = [
        (Retry::immediate(3), 9, || NodeError::retryable("busy"), 3, "node `work` failed after 3 attempts: busy"),
        (Retry::immediate(3), 9, || NodeError::terminal("wrong"), 1, "node `work` failed: wrong"),
        (
            Retry::immediate(3).when(|error| !error.to_string().contains("busy")),
            9,
            || NodeError::retryable("busy"),
            1,
            "node `work` failed: busy",
        ),
        (Retry::immediate(1), 9, || NodeError::retryable("busy"), 1, "node `work` failed: busy"),
    ];
    for (policy, times, error, tries, message) in cases {
        let (calls, mut graph) = (Calls::default(), StateGraph::<Work>::new("g"));
        graph.add_node(WORK, failing(&calls, times, error)).retry(policy);
        graph.add_edge(START, WORK);
        assert_eq!(failed(thread(graph).run(Work::update()).await), message);
        assert_eq!(calls.count("try"), tries);
    }
}

#[tokio::test]
async fn after_a_failure_attempts_are_counted_anew_and_finished_siblings_do_not_run_again() {
    let (calls, fixed) = (Calls::default(), Arc::new(AtomicBool::new(false)));
    let mut graph = StateGraph::<Work>::new("g");
    let (seen, mended) = (calls.clone(), Arc::clone(&fixed));
    graph
        .add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
            let (calls, fixed) = (seen.clone(), mended.load(Ordering::SeqCst));
            async move {
                calls.add(format!("try {}", cx.task().attempt));
                if fixed && cx.task().attempt == 2 {
                    Noted::Ok(noted("work"))
                } else {
                    Err(NodeError::retryable("busy"))
                }
            }
        })
        .retry(Retry::immediate(2));
    let seen = calls.clone();
    graph.add_node(OTHER, move |_: Snapshot<Work>| {
        seen.add("other");
        async { Noted::Ok(noted("other")) }
    });
    graph.add_edge(START, WORK).add_edge(START, OTHER);
    let thread = thread(graph);
    failed(thread.run(Work::update()).await);
    fixed.store(true, Ordering::SeqCst);
    assert_eq!(done(thread.continue_().await).story(), "other work");
    assert_eq!(calls.count("other"), 1);
    assert_eq!((calls.count("try 1"), calls.count("try 2")), (2, 2));
    assert_eq!(steps(&thread).await, ["other work"]);
}

#[tokio::test(start_paused = true)]
async fn eager_a_retry_sees_the_head() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph
        .add_node(WORK, |work: Snapshot<Work>, cx: Context| async move {
            if cx.task().attempt == 1 {
                Err(NodeError::retryable("busy"))
            } else {
                Noted::Ok(noted(format!("saw-{}", work.story())))
            }
        })
        .retry(Retry::exponential(2));
    graph.add_node(OTHER, note("other"));
    graph.add_edge(START, WORK).add_edge(START, OTHER);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "other saw-other");
}

/// The milliseconds that the threads `0` to `9` wait before the second attempt.
async fn waits_of_threads(policy: Retry, error: fn() -> NodeError) -> Vec<u64> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(WORK, failing(&Calls::default(), 1, error)).retry(policy);
    graph.add_edge(START, WORK);
    let threads = threads(graph);
    let mut waits = Vec::new();
    for number in 0..10 {
        let thread = threads.thread(number.to_string());
        let started = Instant::now();
        done(thread.run(Work::update()).await);
        let events = thread.journal(0, usize::MAX).await.expect("the journal reads");
        let told = events.iter().find_map(|event| match event.kind {
            EventKind::TaskRetry { delay, .. } => Some(delay),
            _ => None,
        });
        let (told, waited) = (told.expect("it is tried again"), started.elapsed().as_millis());
        assert!((u128::from(told)..=u128::from(told) + 2).contains(&waited), "{waited} ms, and {told} were told");
        waits.push(told);
    }
    waits
}

#[tokio::test(start_paused = true)]
async fn threads_that_fail_together_do_not_come_back_together_and_a_repeated_run_waits_as_long() {
    let busy = || NodeError::retryable("busy");
    let waits = waits_of_threads(Retry::exponential(2), busy).await;
    assert!(waits.iter().all(|wait| (375..=500).contains(wait)), "{waits:?}");
    let mut different = waits.clone();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() >= 8, "{waits:?}");
    assert_eq!(waits_of_threads(Retry::exponential(2), busy).await, waits);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_says_when_to_come_back_is_waited_for() {
    let asked = || NodeError::retryable("busy").after(Duration::from_secs(20));
    let waits = waits_of_threads(Retry::immediate(2), asked).await;
    assert!(waits.iter().all(|wait| (20_000..=25_000).contains(wait)), "{waits:?}");
    assert!(waits.iter().any(|wait| *wait > 20_500), "they do not come back together: {waits:?}");

    let (calls, mut graph) = (Calls::default(), StateGraph::<Work>::new("g"));
    let mut policy = Retry::exponential(5);
    policy.max = Duration::from_secs(19);
    graph.add_node(WORK, failing(&calls, 9, asked)).retry(policy);
    graph.add_edge(START, WORK);
    assert_eq!(failed(thread(graph).run(Work::update()).await), "node `work` failed: busy");
    assert_eq!(calls.count("try"), 1, "longer than the longest wait");
}

#[tokio::test(start_paused = true)]
async fn the_first_policy_that_accepts_an_error_decides_about_it() {
    let says = |word: &'static str| move |error: &NodeError| error.to_string().contains(word);
    for (error, tries, seconds) in
        [("busy", 3, 60 + 120), ("odd", 2, 0), ("wrong", 1, 0), ("busy and odd", 3, 60 + 120)]
    {
        let (calls, mut graph) = (Calls::default(), StateGraph::<Work>::new("g"));
        let mut patient = Retry::exponential(3).after(Duration::from_secs(60)).when(says("busy"));
        patient.jitter = 0.0;
        let seen = calls.clone();
        graph
            .add_node(WORK, move |_: Snapshot<Work>| {
                seen.add("try");
                async move { Noted::Err(NodeError::retryable(error)) }
            })
            .retry(patient)
            .retry(Retry::immediate(2).when(says("odd")));
        graph.add_edge(START, WORK);
        let started = Instant::now();
        failed(thread(graph).run(Work::update()).await);
        assert_eq!((calls.count("try"), started.elapsed().as_secs()), (tries, seconds), "{error}");
    }
}

/// A wall clock that is set while the run goes on.
struct Wall(std::sync::atomic::AtomicU64);

impl Clock for Wall {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_is_set_changes_no_wait() {
    const HOUR: u64 = 3_600_000;
    for (before, after) in [(100 * HOUR, 99 * HOUR), (HOUR, 10_000 * HOUR), (HOUR, 0)] {
        let wall = Arc::new(Wall(before.into()));
        let mut graph = StateGraph::<Work>::new("g");
        let mut policy = Retry::exponential(3).after(Duration::from_secs(60));
        policy.jitter = 0.0;
        graph.add_node(WORK, failing(&Calls::default(), 2, || NodeError::retryable("busy"))).retry(policy);
        graph.add_edge(START, WORK);
        let thread = threads(graph).with_clock(Arc::clone(&wall) as Arc<dyn Clock>).thread("t");
        let started = Instant::now();
        let run = thread.run(Work::update()).start();
        tokio::time::sleep(Duration::from_secs(30)).await;
        wall.0.store(after, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(60)).await;
        wall.0.store(before, Ordering::SeqCst);
        assert_eq!(done(run.await).story(), "after 3");
        assert_eq!(started.elapsed().as_secs(), 60 + 120, "set from {before} to {after}");
    }
}
