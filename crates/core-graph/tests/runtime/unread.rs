//! A run that nobody reads takes short cuts; the store cannot tell.

use std::sync::Arc;

use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, MemoryCheckpointer, TaskRecord};
use graphloom_core_graph::{
    Answers, Clock, Context, Durability, END, Mode, Node, NodeError, Outcome, Retry, Run, RunPolicy, START, Snapshot,
    StateGraph, Task,
};
use proptest::prelude::*;

use crate::log::{Build, Noted, Work, noted};
use crate::place::only_in_place;

const COUNT: Node = Node::named("count");
const FAIL: Node = Node::named("fail");
const ASK: Node = Node::named("ask");
const PART: Task<i64> = Task::named("part");
const JOIN: Node = Node::named("join");

struct Still;

impl Clock for Still {
    fn now(&self) -> u64 {
        7
    }
}

/// Counts, and at numbers of its own stumbles, asks, or does three things beside each other.
fn graph(mode: Mode, last: i64) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    let count = |work: Snapshot<Work>| async move {
        let update = Work::update().count(1).last(format!("{:0>1$}", work.count, work.count as usize % 60));
        Noted::Ok(if work.count % 3 == 0 { update.notes([work.count.to_string()]) } else { update })
    };
    graph.add_node(COUNT, count);
    let fail = |_: Snapshot<Work>, cx: Context| async move {
        if cx.task().attempt == 1 { Err(NodeError::retryable("busy")) } else { Noted::Ok(noted("fail").count(1)) }
    };
    graph.add_node(FAIL, fail).retry(Retry::immediate(2));
    let ask = |_: Snapshot<Work>, cx: Context| async move {
        let word: String = cx.ask("word", "which?").await?;
        Noted::Ok(noted(word).count(1))
    };
    graph.add_node(ASK, ask).asks::<String>("word");
    graph.add_task(PART, |at: i64, _: Snapshot<Work>| async move { Noted::Ok(noted(format!("part {at}"))) });
    graph.add_node(JOIN, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, COUNT);
    let next = move |work: &Work| match work.count {
        count if count >= last => END,
        count if count % 23 == 7 => FAIL,
        count if count % 23 == 13 => ASK,
        count if count % 23 == 19 => JOIN,
        _ => COUNT,
    };
    graph.add_conditional_edges(COUNT, (COUNT, FAIL, ASK, JOIN, END), next);
    graph.add_edge(FAIL, COUNT).add_edge(ASK, COUNT);
    graph.add_sends(JOIN, PART, |work: &Work| (0..3).map(|at| PART.send(at, work.count + at)).collect());
    graph.add_join(PART, COUNT);
    graph
}

/// All that the store has, as text. A run without a reader may be one `without` fast paths.
async fn stored(mode: Mode, durability: Durability, last: i64, read: bool, without: &[FastPath]) -> String {
    let store = Arc::new(MemoryCheckpointer::new());
    let app = graph(mode, last).built().with_context(());
    let mut policy = RunPolicy::default().durability(durability);
    if only_in_place("tasks beside each other end as they may") {
        policy = policy.max_concurrency(1);
    }
    for path in without {
        policy = policy.without(*path);
    }
    let threads = app.with_shared_checkpointer(Arc::clone(&store) as Arc<dyn Checkpointer>).with_clock(Arc::new(Still));
    let thread = threads.thread("t").policy(policy);
    let finish = |mut run: Run<Work>| async move {
        while read && run.next().await.is_some() {}
        run.await.expect("it does not fail")
    };
    let mut outcome = finish(thread.run(Work::update())).await;
    while let Outcome::Waiting(_) = &outcome {
        outcome = finish(thread.resume(Answers::new().and("word", "yes").expect("it reads"))).await;
    }
    let mut all = format!("{:?}\n", store.thread("t").await.expect("it reads"));
    for row in store.checkpoints("t", "", &HistoryFilter::default()).await.expect("it reads") {
        all += &format!("{row:?}\n");
        for (field, version) in row.fields.iter() {
            all += &format!("{:?}\n", store.field("t", "", field, version).await.expect("it reads"));
        }
    }
    let records: Vec<TaskRecord> = store.task_records("t", "").await.expect("it reads");
    format!("{all}{records:?}\n{:#?}", store.journal("t", 0, usize::MAX).await.expect("it reads"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_run_stores_the_same_whether_somebody_reads_it_or_not(
        mode in prop_oneof![Just(Mode::Barrier), Just(Mode::Eager)],
        durability in prop_oneof![Just(Durability::Sync), Just(Durability::Async), Just(Durability::Exit)],
        last in 1..70_i64,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let unread = stored(mode, durability, last, false, &[]).await;
            for (read, without) in [
                (true, &[][..]),
                (false, &[FastPath::SingleTasks]),
                (false, &[FastPath::CompactSteps]),
                (false, &[FastPath::SingleTasks, FastPath::CompactSteps]),
            ] {
                let other = stored(mode, durability, last, read, without).await;
                prop_assert_eq!(&unread, &other, "read: {}, without {:?}", read, without);
            }
            Ok(())
        })?;
    }
}
