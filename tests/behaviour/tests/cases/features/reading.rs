//! Events, the journal, and other threads.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::store::{Namespace, PutOptions};
use graphloom_core_graph::{Context, EventKind, EventMode, Lag, Node, START, Snapshot, StateGraph, Task};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, line, status};

on_every_store!(
    feature_modes_filter_events,
    feature_a_slow_reader_is_told_what_it_lost,
    feature_the_journal_is_read_on_from_any_place,
    feature_a_copy_is_a_thread_of_its_own,
    feature_many_threads_run_at_once,
    feature_the_long_term_store_outlives_threads,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");

async fn feature_modes_filter_events(case_store: &CaseStore) {
    let graph = || {
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            cx.emit("word", "hello").await;
            Worked::Ok(line("a"))
        });
        graph.add_edge(START, A);
        graph
    };
    for (mode, expected) in [
        (EventMode::Values, 2),
        (EventMode::Updates, 1),
        (EventMode::Custom, 1),
        (EventMode::Tasks, 2),
        (EventMode::Checkpoints, 2),
        (EventMode::Debug, 8),
    ] {
        let mut run = case_store.thread(graph()).run(Work::update()).only([mode]);
        let mut told = Vec::new();
        while let Some(event) = run.next().await {
            assert!(event.kind.is_in(mode));
            if !matches!(event.kind, EventKind::RunStarted { .. } | EventKind::RunEnded { .. }) {
                told.push(event.kind);
            }
        }
        assert_eq!(told.len(), expected, "{mode:?}: {told:?}");
    }
}

async fn feature_a_slow_reader_is_told_what_it_lost(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
        for number in 0..3000 {
            cx.emit("n", number).await;
        }
        Worked::Ok(line("a"))
    });
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    let mut run = thread.run(Work::update()).lag(Lag::DropOldest);
    let (mut heard, mut lost) = (0, 0);
    let count = |kind: &EventKind, heard: &mut u64, lost: &mut u64| match kind {
        EventKind::Lagged { lost: more } => *lost += more,
        _ => *heard += 1,
    };
    count(&run.next().await.unwrap().kind, &mut heard, &mut lost);
    // The run ends without its reader.
    while status(&thread).await != ThreadStatus::Done {
        tokio::task::yield_now().await;
    }
    while let Some(event) = run.next().await {
        count(&event.kind, &mut heard, &mut lost);
    }
    assert!(lost > 0);
    // Two of the run, two of the task, its update, two checkpoints and two values, and what was emitted.
    assert_eq!(heard + lost, 3000 + 9);
}

async fn feature_the_journal_is_read_on_from_any_place(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A).add_edge(A, B);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    done(thread.run(Work::update()).await);
    let all: Vec<_> = thread.journal(0, usize::MAX).await.unwrap().iter().map(|event| event.seq.unwrap()).collect();
    assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
    for from in 0..=all.len() {
        let rest: Vec<_> =
            thread.journal(from as u64, 2).await.unwrap().iter().map(|event| event.seq.unwrap()).collect();
        assert_eq!(rest, all.iter().skip(from).take(2).copied().collect::<Vec<_>>());
    }
}

async fn feature_a_copy_is_a_thread_of_its_own(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    let copy = thread.copy_to(&case_store.id()).await.unwrap();
    assert_eq!(done(copy.run(Work::update()).await).story(), "a a");
    assert_eq!(thread.state().await.unwrap().state.story(), "a");
    assert_eq!(
        copy.journal(0, usize::MAX).await.unwrap().len(),
        2 * thread.journal(0, usize::MAX).await.unwrap().len()
    );
}

async fn feature_many_threads_run_at_once(case_store: &CaseStore) {
    const PART: Task<u64> = Task::named("part");
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Worked::Ok(Work::update().sum(1)) });
    graph.add_edge(START, A);
    graph.add_sends(A, PART, |work: &Work| (0..work.x.unsigned_abs()).map(|at| PART.send(at, at)).collect());
    graph.add_join(PART, B);
    let threads = case_store.threads(graph);
    let runs = (0..20).map(|number| {
        let thread = threads.thread(case_store.id()).policy(case_store.policy());
        async move {
            let work = done(thread.run(Work::update().x(number)).await);
            assert_eq!((work.sum, work.story().as_str()), (number, "a b"));
            assert_eq!(thread.state().await.unwrap().state.sum, number);
        }
    });
    futures::future::join_all(runs).await;
}

async fn feature_the_long_term_store_outlives_threads(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    let mine = Namespace::new(["cases", &case_store.id()]).unwrap();
    let place = mine.clone();
    graph.add_node(A, move |_: Snapshot<Work>, cx: Context| {
        let mine = place.clone();
        async move {
            let store = cx.store().expect("the threads have one");
            let before = store.get(&mine, "times").await?.map_or(0, |item| item.value.as_i64().unwrap_or(0));
            store.put(&mine, "times", (before + 1).into(), PutOptions::default()).await?;
            Worked::Ok(Work::update().x(before + 1))
        }
    });
    graph.add_edge(START, A);
    let threads = case_store.threads(graph);
    for expected in 1..=3 {
        assert_eq!(
            done(threads.thread(case_store.id()).policy(case_store.policy()).run(Work::update()).await).x,
            expected
        );
    }
}
