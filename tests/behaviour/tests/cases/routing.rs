//! Routers: what they see, where they may lead.

use graphloom_core_graph::{END, Node, NodeError, RunError, START, Snapshot, StateGraph, Step};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, line, steps};

on_every_store!(
    case_10_a_router_sees_its_own_node_and_not_the_siblings,
    case_11_a_route_to_the_end_and_to_a_node_runs_the_node,
    case_11_a_route_that_was_not_declared_is_an_error,
    case_11_a_goto_that_was_not_declared_is_an_error,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

async fn case_10_a_router_sees_its_own_node_and_not_the_siblings(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Worked::Ok(line("a").x(5)) });
    add_nodes(&mut graph, &[B, C]);
    graph.add_edge(START, A).add_edge(START, B);
    graph.add_conditional_edges(
        A,
        [C, END],
        |work: &Work| if (work.x, work.story().as_str()) == (5, "a") { C } else { END },
    );
    assert_eq!(done(case_store.thread(graph).run(Work::update()).await).story(), "a b c");
}

async fn case_11_a_route_to_the_end_and_to_a_node_runs_the_node(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, [END, B], |_: &Work| [END, B]);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    assert_eq!(steps(&thread).await, ["a", "b"]);
}

async fn case_11_a_route_that_was_not_declared_is_an_error(case_store: &CaseStore) {
    for ghost in [B, Node::named("ghost"), END] {
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, B, C]);
        graph.add_edge(START, A).add_edge(C, B);
        let to = ghost.clone();
        graph.add_conditional_edges(A, C, move |_: &Work| to.clone());
        let thread = case_store.thread(graph);
        let error = thread.run(Work::update()).await.unwrap_err();
        let RunError::Undeclared { node, declared, .. } = &error else { panic!("{error}") };
        assert_eq!((node.as_str(), declared.as_str()), ("a", "`c`"), "{error}");
        assert_eq!(thread.state().await.unwrap().state.story(), "", "nothing of the step is committed");
    }
}

async fn case_11_a_goto_that_was_not_declared_is_an_error(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Ok::<_, NodeError>(Step::<Work>::goto(C)) }).may_goto(B);
    add_nodes(&mut graph, &[B, C]);
    graph.add_edge(START, A).add_edge(B, C);
    let error = case_store.thread(graph).run(Work::update()).await.unwrap_err();
    assert!(
        matches!(&error, RunError::Undeclared { node, target, .. } if (node.as_str(), target.as_str()) == ("a", "c")),
        "{error}"
    );
}
