//! What passes between a child and its parent.

use std::sync::Arc;

use graphloom_core_graph::{
    Answers, ChildOutcome, Context, FromRef, Node, NodeError, Persistence, START, Snapshot, StateGraph, Step,
};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, add_nodes, done, line, waiting};

on_every_store!(
    feature_a_child_leads_its_parent_on,
    feature_a_replay_goes_back_inside_of_a_subgraph,
    feature_resources_of_a_child_come_from_its_parent,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

async fn feature_a_child_leads_its_parent_on(case_store: &CaseStore) {
    let mut inner = StateGraph::<Work>::new("inner");
    inner.add_node(A, |_: Snapshot<Work>| async { Worked::Err(NodeError::terminal("no ink")) });
    inner.add_edge(START, A);
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_subgraph(
            A,
            inner.compile().unwrap(),
            |_: &Work| Work::update(),
            |child: ChildOutcome<Work>| match child {
                ChildOutcome::Failed { error, .. } => Ok(Step::goto(C).with(line(format!("escalated: {error}")))),
                other => Ok(Step::update(line(other.done()?.story()))),
            },
        )
        .may_goto(C);
    add_nodes(&mut graph, &[B, C]);
    graph.add_edge(START, A).add_edge(A, B);
    let work = done(case_store.thread(graph).run(Work::update()).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["escalated: node `a` failed: no ink", "c"]);
}

async fn feature_a_replay_goes_back_inside_of_a_subgraph(case_store: &CaseStore) {
    for persistence in [Persistence::PerCall, Persistence::PerThread] {
        let calls = Calls::default();
        let mut inner = StateGraph::<Work>::new("inner");
        let seen = calls.clone();
        inner.add_node(A, move |_: Snapshot<Work>| {
            seen.add("a");
            async { Worked::Ok(line("a")) }
        });
        inner
            .add_node(B, |work: Snapshot<Work>, cx: Context| async move {
                let answer: String = cx.ask("go", &work.story()).await?;
                Worked::Ok(line(answer))
            })
            .asks::<String>("go");
        inner.add_edge(START, A).add_edge(A, B);
        let inner = inner.compile().unwrap();
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, C]);
        let out = |child: ChildOutcome<Work>| Worked::Ok(line(child.done()?.story()));
        graph.add_subgraph(B, inner, |_: &Work| Work::update(), out).persistence(persistence);
        graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
        let thread = case_store.thread(graph);
        let asked = waiting(thread.run(Work::update()).await);
        let ns = if persistence == Persistence::PerThread { "b" } else { "b:2.0" };
        let again = waiting(thread.at_subgraph(ns, 2).replay().await);
        assert_eq!(again.iter().next().unwrap().payload, "a");
        let old = Answers::new().and(&asked.iter().next().unwrap().id, "old").unwrap();
        assert!(thread.resume(old).await.is_err(), "that question is of the other branch");
        // Forked here, gone on with elsewhere.
        thread.at_subgraph(ns, 2).fork().await.unwrap();
        let third = waiting(thread.continue_().await);
        assert_eq!(done(thread.resume(third.answer("go", "new").unwrap()).await).story(), "a a new c");
        assert_eq!(calls.count("a"), 1, "{persistence:?}");
    }
}

#[derive(Debug)]
struct Outer(&'static str);

#[derive(Debug)]
struct Inner(String);

impl FromRef<Outer> for Inner {
    fn from_ref(parent: &Arc<Outer>) -> Arc<Self> {
        Arc::new(Self(format!("{} inside", parent.0)))
    }
}

async fn feature_resources_of_a_child_come_from_its_parent(case_store: &CaseStore) {
    let mut inner = StateGraph::<Work, Inner>::new("inner");
    inner
        .add_node(A, |_: Snapshot<Work>, cx: Context<Inner>| async move { Worked::Ok(line(cx.resources().0.clone())) });
    inner.add_edge(START, A);
    let mut graph = StateGraph::<Work, Outer>::new("g");
    graph.add_subgraph(
        A,
        inner.compile().unwrap(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Worked::Ok(line(child.done()?.story())),
    );
    graph.add_edge(START, A);
    let threads = graph.compile().unwrap().with_context(Outer("keys")).with_shared_checkpointer(case_store.store());
    let outcome = threads.thread(case_store.id()).policy(case_store.policy()).run(Work::update()).await;
    assert_eq!(done(outcome).story(), "keys inside");
}
