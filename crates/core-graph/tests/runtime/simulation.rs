//! Crashes before and after every commit: nothing acknowledged is lost, nothing is applied twice, every run ends, and
//! the state is that of a run that never died.

use std::collections::BTreeMap;

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::simulate::{Faults, Report, Simulator};
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Durability, Mode, Node, NodeError, Retry, RunPolicy, START, Snapshot, StateGraph,
    Step, Task,
};

use crate::log::{Build, Calls, Noted, Work, note, noted};

const PLAN: Node = Node::named("plan");
const SIDE: Node = Node::named("side");
const LAST: Node = Node::named("last");
const END_: Node = Node::named("z");
const PART: Task<u64> = Task::named("part");
const CHILD: Node = Node::named("child");

/// Commutative but for the notes, which count: a plan, parts with durable steps, retries and a child, a question, a join.
fn everything(mode: Mode) -> Compiled<Work> {
    let mut inner = StateGraph::<Work>::new("inner");
    inner.mode(mode);
    inner.add_node(PLAN, |_: Snapshot<Work>, cx: Context| async move {
        let number = cx.once("inner", async { Ok::<i64, NodeError>(100) }).await?;
        Noted::Ok(Work::update().count(number))
    });
    inner.add_node(LAST, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1000)) });
    inner.add_edge(START, PLAN).add_edge(PLAN, LAST);

    let mut graph = StateGraph::<Work>::new("everything");
    graph.mode(mode);
    graph.add_node(PLAN, note("plan"));
    graph
        .add_task(PART, |number: u64, _: Snapshot<Work>, cx: Context| async move {
            let one = cx.once("one", async { Ok::<i64, NodeError>(1) }).await?;
            if number.is_multiple_of(2) && cx.task().attempt == 1 {
                return Err(NodeError::retryable("again"));
            }
            let two = cx.once("two", async { Ok::<i64, NodeError>(10) }).await?;
            Noted::Ok(Work::update().count(one + two).parts([(number, "done".to_owned())]))
        })
        .retry(Retry::exponential(3));
    graph.add_subgraph(
        CHILD,
        inner.built(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Noted::Ok(Work::update().count(child.done()?.count)),
    );
    graph
        .add_node(SIDE, |_: Snapshot<Work>, cx: Context| async move {
            let before = cx.once("before", async { Ok::<i64, NodeError>(10_000) }).await?;
            let add: i64 = cx.ask("add", "how much?").await?;
            Noted::Ok(Work::update().count(before + add))
        })
        .asks::<i64>("add");
    graph.add_node(LAST, note("last"));
    graph.add_node(END_, note("z"));
    graph.add_edge(START, PLAN).add_edge(START, SIDE).add_edge(PLAN, CHILD).add_edge(LAST, END_);
    graph.add_sends(PLAN, PART, |_: &Work| (0..4).map(|at| PART.send(at, at)).collect());
    graph.add_join((PART, CHILD, SIDE), LAST);
    graph.built()
}

fn simulator(mode: Mode) -> Simulator<Work> {
    Simulator::new(&everything(mode)).answer("add", 100_000).expect("a number")
}

fn check(report: &Report<Work>, told: &str) {
    assert!(report.violations.is_empty(), "{told}: {:#?}", report.violations);
    assert_eq!(report.status, ThreadStatus::Done, "{told}: {}", report.detail);
    assert_eq!(report.state.count, 44 + 1100 + 10_000 + 100_000, "{told}");
    assert_eq!(report.state.story(), "plan last z", "{told}");
}

/// Every task is in the journal once. With `Durability::Exit` a crash in the last moment may cost the journal.
fn check_journal(report: &Report<Work>, told: &str) {
    let mut committed = BTreeMap::<&str, usize>::new();
    for task in report.steps.iter().flatten() {
        *committed.entry(task.split(':').next().unwrap_or_default()).or_default() += 1;
    }
    let expected = BTreeMap::from([("plan", 1), ("part", 4), ("child", 1), ("side", 1), ("last", 1), ("z", 1)]);
    assert_eq!(committed, expected, "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_every_point() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let reports = simulator(mode).crash_everywhere(Work::update()).await.unwrap();
        assert!(reports.len() > 40, "{}", reports.len());
        for (point, report) in reports.iter().enumerate() {
            let told = format!("{mode:?}, dead at point {point} less one");
            check(report, &told);
            check_journal(report, &told);
            assert_eq!(report.crashes, u64::from(point > 0));
            let executed = report.onces.values().map(|once| once.ran).sum::<u32>();
            assert!(executed <= 10 + 5, "a crash repeats only what was not stored: {executed}");
        }
        let calm = &reports[0];
        assert!(calm.onces.values().all(|once| once.ran == 1 && once.stored));
    }
}

#[tokio::test(start_paused = true)]
async fn many_crashes_from_many_seeds() {
    for mode in [Mode::Barrier, Mode::Eager] {
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            for seed in 0..40 {
                let policy = RunPolicy::default().durability(durability).max_concurrency(1 + seed as usize % 5);
                let report =
                    simulator(mode).policy(policy).seed(seed).crash_between_any().run(Work::update()).await.unwrap();
                let told = format!("{mode:?} {durability:?} seed {seed}");
                check(&report, &told);
                if durability != Durability::Exit {
                    check_journal(&report, &told);
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_seed_is_one_history() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let run = |seed| {
            let simulator = simulator(mode).seed(seed).crash_between_any();
            async move { simulator.run(Work::update()).await.unwrap() }
        };
        let (one, two, other) = (run(7).await, run(7).await, run(8).await);
        assert_eq!((&one.started, &one.steps, one.crashes), (&two.started, &two.steps, two.crashes));
        assert_ne!(one.started, other.started);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_and_an_unanswered_question_end_a_simulation() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, |_: Snapshot<Work>| async { Noted::Err(NodeError::terminal("broken")) });
    graph.add_edge(START, PLAN);
    for report in Simulator::new(&graph.built()).crash_everywhere(Work::update()).await.unwrap() {
        assert_eq!(report.status, ThreadStatus::Failed);
        assert_eq!(report.detail, "node `plan` failed: broken");
    }
    let silent = Simulator::new(&everything(Mode::Eager));
    for report in silent.crash_everywhere(Work::update()).await.unwrap() {
        assert_eq!(report.status, ThreadStatus::Waiting);
        assert!(report.violations.is_empty(), "{:?}", report.violations);
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_survive_a_crash() {
    let mut inner = StateGraph::<Work>::new("inner");
    inner
        .add_node(SIDE, |_: Snapshot<Work>| async { Noted::Err(NodeError::retryable("busy")) })
        .retry(Retry::exponential(3));
    inner.add_edge(START, SIDE);
    let inner = inner.built();
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(PLAN, inner.clone(), |_: &Work| Work::update(), |child| Noted::Ok(noted(child.done()?.story())));
    graph.add_edge(START, PLAN);
    for graph in [inner, graph.built()] {
        for report in Simulator::new(&graph).crash_everywhere(Work::update()).await.unwrap() {
            assert_eq!(report.status, ThreadStatus::Failed);
            let tried = report.started.iter().filter(|started| started.task.contains("side"));
            let attempts: Vec<_> = tried.map(|started| started.attempt).collect();
            assert!(attempts.is_sorted() && attempts.last() == Some(&3), "{attempts:?}");
            assert!(attempts.len() as u64 <= 3 + report.crashes, "{attempts:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn eager_a_task_in_flight_at_a_crash_sees_its_state_again() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph.add_node(PLAN, note("plan"));
    let seen = calls.clone();
    graph
        .add_task(PART, move |number: u64, work: Snapshot<Work>, cx: Context| {
            seen.add(format!("{} {}", cx.task().id, work.story()));
            async move {
                for _ in 0..number * 3 {
                    tokio::task::yield_now().await;
                }
                let more: Vec<_> = (0..number % 3).map(|at| PART.send(format!("{number}.{at}"), at)).collect();
                Ok::<_, NodeError>(Step::send(more).with(noted(number.to_string())))
            }
        })
        .may_send(PART);
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (0..6).map(|at| PART.send(at, at)).collect());
    let graph = graph.built();
    let mut crashes = 0;
    for seed in 0..60 {
        let from = calls.all().len();
        let policy = RunPolicy::default().max_concurrency(2 + seed as usize % 5);
        let simulator = Simulator::new(&graph).policy(policy).seed(seed).crash_between_any();
        let report = simulator.run(Work::update()).await.unwrap();
        assert_eq!((report.status, report.violations.len()), (ThreadStatus::Done, 0));
        crashes += report.crashes;
        let mut first = BTreeMap::new();
        for call in &calls.all()[from..] {
            let (task, story) = call.split_once(' ').unwrap();
            let before = first.entry(task.to_owned()).or_insert_with(|| story.to_owned());
            assert_eq!(before, story, "seed {seed}: `{task}` saw another state");
        }
    }
    assert!(crashes > 100, "{crashes}");
}

#[tokio::test(start_paused = true)]
async fn eager_no_trigger_is_lost_in_a_crash() {
    // Every part triggers `last`, which notes how much it saw: the last run of it has seen everything.
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph.add_node(PLAN, note("plan"));
    graph.add_task(PART, |number: u64, _: Snapshot<Work>| async move {
        for _ in 0..number * 5 {
            tokio::task::yield_now().await;
        }
        Noted::Ok(noted(number.to_string()))
    });
    graph.add_node(LAST, |work: Snapshot<Work>| async move {
        for _ in 0..7 {
            tokio::task::yield_now().await;
        }
        Noted::Ok(Work::update().parts([(work.notes.len() as u64, String::new())]))
    });
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (0..6).map(|at| PART.send(at, at)).collect());
    graph.add_conditional_edges(PART, [LAST], |_: &Work| LAST);
    let graph = graph.built();
    for seed in 0..100 {
        let policy = RunPolicy::default().max_concurrency(1 + seed as usize % 4);
        let simulator = Simulator::new(&graph).policy(policy).seed(seed).crash_between_any();
        let report = simulator.run(Work::update()).await.unwrap();
        assert_eq!((report.status, report.violations.len()), (ThreadStatus::Done, 0));
        assert!(report.state.parts.contains_key(&7), "seed {seed}: {:?}", report.state.parts);
    }
}

#[tokio::test(start_paused = true)]
async fn everything_at_once_goes_wrong() {
    let mut refusals = 0;
    for mode in [Mode::Barrier, Mode::Eager] {
        for seed in 0..60 {
            let faults = Faults::default().crash(8).sudden(60).refuse(20).lose_answer(10).delay(4).sync(seed % 3);
            let report = simulator(mode).faults(faults).seed(seed).run(Work::update()).await.unwrap();
            check(&report, &format!("{mode:?} seed {seed}"));
            refusals += report.refusals;
        }
    }
    assert!(refusals > 100, "{refusals}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_cannot_be_read_does_not_fail_a_subgraphs_node() {
    let mut inner = StateGraph::<Work>::new("inner");
    inner.add_node(PLAN, note("inner"));
    inner.add_edge(START, PLAN);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(
        CHILD,
        inner.built(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Noted::Ok(noted(child.done()?.story())),
    );
    graph.add_edge(START, CHILD);
    let graph = graph.built();
    let mut refusals = 0;
    for seed in 0..100 {
        let simulator = Simulator::new(&graph).faults(Faults::default().refuse(6)).seed(seed);
        let report = simulator.run(Work::update()).await.unwrap();
        assert_eq!((report.status, report.detail.as_str()), (ThreadStatus::Done, ""), "seed {seed}");
        assert_eq!(report.state.story(), "inner");
        refusals += report.refusals;
    }
    assert!(refusals > 50, "{refusals}");
}

#[tokio::test(start_paused = true)]
async fn deferred_nodes_of_one_super_step_stay_together_in_a_crash() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(PLAN, note("plan"));
    for (node, name) in [(SIDE, "side"), (CHILD, "child")] {
        graph.add_node(node.clone(), note(name)).deferred();
        graph.add_edge(PLAN, node);
    }
    graph.add_node(LAST, note("last"));
    graph.add_edge(START, PLAN).add_edge(CHILD, LAST);
    let graph = graph.built();
    for seed in 0..20 {
        for report in Simulator::new(&graph).seed(seed).crash_everywhere(Work::update()).await.unwrap() {
            assert_eq!(report.state.story(), "plan child side last", "seed {seed}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_waits_for_ever_is_an_error_that_names_what_is_unfinished() {
    let mut graph = StateGraph::<Work>::new("waits");
    graph.add_node(PLAN, note("plan"));
    graph.add_node(SIDE, |_: Snapshot<Work>| std::future::pending::<Noted>());
    graph.add_edge(START, PLAN).add_edge(PLAN, SIDE);
    let error = Simulator::new(&graph.built()).run(Work::update()).await.expect_err("it never ends");
    assert_eq!(error.to_string(), "a simulated process waits, and nothing goes on; unfinished: `side`");
}
