//! Subgraphs: what the parent gets, what is told meanwhile, how durable they are.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_core_graph::{ChildOutcome, Context, EventKind, Node, Persistence, START, Snapshot, StateGraph};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, line};

on_every_store!(
    case_61_a_child_begins_anew_goes_on_or_leaves_nothing,
    case_62_a_parent_gets_what_the_child_added_and_no_more,
    case_64_a_child_is_heard_while_it_runs,
    case_65_children_are_as_durable_as_their_run,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const CHILD: Node = Node::named("child");

/// A child of two nodes after `a`; its log goes to the parent's.
fn parent() -> StateGraph<Work> {
    let mut inner = StateGraph::<Work>::new("inner");
    let [first, second] = ["s1", "s2"].map(Node::named);
    add_nodes(&mut inner, &[first.clone(), second.clone()]);
    inner.add_edge(START, first.clone()).add_edge(first, second);
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    graph.add_subgraph(
        CHILD,
        inner.compile().unwrap(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| {
            Worked::Ok(Work::update().log(child.done()?.log.iter().cloned().collect::<Vec<_>>()))
        },
    );
    graph.add_edge(START, A).add_edge(A, CHILD);
    graph
}

async fn case_61_a_child_begins_anew_goes_on_or_leaves_nothing(case_store: &CaseStore) {
    for (persistence, story, begin) in [
        (Persistence::PerCall, "1-1 1-1 1-1", Some("child:")),
        (Persistence::PerThread, "1-1 2-2 3-3", Some("child")),
        (Persistence::Stateless, "1-1 1-1 1-1", None),
    ] {
        let mut inner = StateGraph::<Work>::new("counter");
        inner.add_node(A, |work: Snapshot<Work>| async move { Worked::Ok(Work::update().x(work.x + 1)) });
        inner.add_edge(START, A);
        let inner = inner.compile().unwrap();
        let mut graph = StateGraph::<Work>::new("g");
        for (node, mark) in [(CHILD, ""), (B, "-")] {
            let out = move |child: ChildOutcome<Work>| Worked::Ok(line(format!("{mark}{}", child.done()?.x)));
            graph.add_subgraph(node, inner.clone(), |_: &Work| Work::update(), out).persistence(persistence);
        }
        graph.add_edge(START, CHILD).add_edge(CHILD, B);
        let thread = case_store.thread(graph);
        let mut told = String::new();
        for _ in 0..3 {
            told = done(thread.run(Work::update()).await).story().replace(" -", "-");
        }
        assert_eq!(told, story, "{persistence:?}: children of two names do not mix");
        let spaces = case_store.store().namespaces(thread.id()).await.unwrap();
        match begin {
            Some("child") => assert_eq!(spaces, ["", "b", "child"]),
            Some(_) if case_store.keeps_steps() => {
                assert_eq!(spaces.len(), 7, "each call has one of its own: {spaces:?}");
            }
            _ => assert_eq!(spaces, [""], "{persistence:?}"),
        }
    }
}

async fn case_62_a_parent_gets_what_the_child_added_and_no_more(case_store: &CaseStore) {
    let thread = case_store.thread(parent());
    assert_eq!(done(thread.run(line("in")).await).story(), "in a s1 s2");
}

async fn case_64_a_child_is_heard_while_it_runs(case_store: &CaseStore) {
    let heard = Arc::new(Notify::new());
    let mut inner = StateGraph::<Work>::new("inner");
    let waits = Arc::clone(&heard);
    inner.add_node(A, move |_: Snapshot<Work>, cx: Context| {
        let waits = Arc::clone(&waits);
        async move {
            cx.emit("half", 1).await;
            waits.notified().await;
            Worked::Ok(line("child"))
        }
    });
    inner.add_edge(START, A);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(
        CHILD,
        inner.compile().unwrap(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Worked::Ok(line(child.done()?.story())),
    );
    // Runs until the test has heard the child, and is heard meanwhile.
    let sibling = Arc::clone(&heard);
    graph.add_node(B, move |_: Snapshot<Work>, cx: Context| {
        let waits = Arc::clone(&sibling);
        async move {
            cx.emit("sibling", 2).await;
            waits.notified().await;
            Worked::Ok(line("b"))
        }
    });
    graph.add_edge(START, CHILD).add_edge(START, B);
    let thread = case_store.thread(graph);
    let mut run = thread.run(Work::update());
    let mut told = Vec::new();
    while told.len() < 2 {
        let event = run.next().await.expect("both tell something while they run");
        if let EventKind::Custom { name, .. } = &event.kind {
            told.push(format!("{name} in {}", event.ns.split(':').next().unwrap_or_default()));
        }
    }
    told.sort();
    assert_eq!(told, ["half in child", "sibling in "]);
    heard.notify_one();
    heard.notify_waiters();
    while let Some(event) = run.next().await {
        // Whichever of the two was woken, the other is let go when its turn has come.
        if matches!(event.kind, EventKind::Committed { .. }) || event.seq.is_none() {
            heard.notify_one();
        }
    }
    assert_eq!(done(run.await).story(), "b child");
}

async fn case_65_children_are_as_durable_as_their_run(case_store: &CaseStore) {
    let thread = case_store.thread(parent());
    assert_eq!(done(thread.run(Work::update()).await).story(), "a s1 s2");
    let store = case_store.store();
    let mut checkpoints = 0;
    for ns in store.namespaces(thread.id()).await.unwrap() {
        checkpoints += store.checkpoints(thread.id(), &ns, &HistoryFilter::default()).await.unwrap().len();
    }
    assert_eq!(
        checkpoints,
        if case_store.keeps_steps() { 6 } else { 1 },
        "an input and two steps each, or only the last of the root"
    );
}
