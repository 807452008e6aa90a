//! Nothing of a run is left behind when it has ended.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Context, EventKind, Node, START, Snapshot, StateGraph};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, done, line};

on_every_store!(case_76_a_finished_run_leaves_nothing_behind, case_76_a_reader_that_goes_away_leaves_nobody_waiting,);

const A: Node = Node::named("a");

/// Resources of a graph, which a leaked run would keep.
#[derive(Debug, Default)]
struct Resources(u64);

/// A node that talks while the run wants to hear, and then ends or hangs.
fn talking(hangs: bool) -> StateGraph<Work, Resources> {
    let mut graph = StateGraph::<Work, Resources>::new("g");
    graph.add_node(A, move |_: Snapshot<Work>, cx: Context<Resources>| async move {
        cx.emit("hello", cx.resources().0).await;
        if hangs {
            std::future::pending::<()>().await;
        }
        Worked::Ok(line("a"))
    });
    graph.add_edge(START, A);
    graph
}

async fn case_76_a_finished_run_leaves_nothing_behind(case_store: &CaseStore) {
    let app = talking(false).compile().unwrap().with_context(Resources(7));
    let held = Arc::downgrade(app.resources());
    let threads = app.with_shared_checkpointer(case_store.store());
    for _ in 0..3 {
        done(threads.thread(case_store.id()).policy(case_store.policy()).run(Work::update()).await);
    }
    drop((app, threads));
    assert_eq!(held.strong_count(), 0, "nobody holds the resources any more");
}

async fn case_76_a_reader_that_goes_away_leaves_nobody_waiting(case_store: &CaseStore) {
    let app = talking(true).compile().unwrap().with_context(Resources(7));
    let held = Arc::downgrade(app.resources());
    let threads = app.with_shared_checkpointer(case_store.store());
    let thread = threads.thread(case_store.id()).policy(case_store.policy());
    let mut run = thread.run(Work::update());
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::Custom { .. }) {
            break;
        }
    }
    drop(run);
    while thread.state().await.unwrap().status != ThreadStatus::Cancelled {
        tokio::task::yield_now().await;
    }
    drop((app, threads, thread));
    while held.strong_count() > 0 {
        tokio::task::yield_now().await;
    }
}
