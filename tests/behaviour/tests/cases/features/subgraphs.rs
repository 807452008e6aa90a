//! What passes between a child and its parent.

use std::sync::Arc;

use graphloom_core_graph::{ChildOutcome, Context, FromRef, Node, NodeError, START, Snapshot, StateGraph, Step};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, line};

on_every_store!(feature_a_child_leads_its_parent_on, feature_resources_of_a_child_come_from_its_parent,);

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
