//! Edges, routers and gotos.

use graphloom_core_graph::{END, Node, NodeError, START, Snapshot, StateGraph, Step};

use crate::log::{Work, done, failed, note, noted, steps, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

fn going(
    step: impl Fn() -> Step<Work> + Send + Sync + 'static,
) -> impl Fn(Snapshot<Work>) -> std::future::Ready<Result<Step<Work>, NodeError>> + Send + Sync + 'static {
    move |_| std::future::ready(Ok(step()))
}

#[tokio::test]
async fn a_router_sees_its_own_nodes_update_and_not_the_siblings() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_node(B, note("b"));
    graph.add_node(C, note("c"));
    graph.add_edge(START, A).add_edge(START, B);
    graph.add_conditional_edges(A, [C, END], |work: &Work| if work.story() == "a" { C } else { END });
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b c");
}

#[tokio::test]
async fn a_router_may_choose_several_or_none() {
    for (chosen, expected) in [(vec![], "a"), (vec![B], "a b"), (vec![C, B], "a b c"), (vec![END, C], "a c")] {
        let mut graph = StateGraph::<Work>::new("g");
        for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
            graph.add_node(node, note(name));
        }
        graph.add_edge(START, A);
        graph.add_conditional_edges(A, [B, C, END], move |_: &Work| chosen.clone());
        assert_eq!(done(thread(graph).run(Work::update()).await).story(), expected);
    }
}

#[tokio::test]
async fn a_router_after_start_sees_the_input() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_node(B, note("b"));
    graph.add_conditional_edges(START, [A, B], |work: &Work| if work.count > 0 { B } else { A });
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update().count(1)).await).story(), "b");
}

#[tokio::test]
async fn a_route_that_is_not_declared_is_an_error_naming_the_declared_ones() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_conditional_edges(A, [C, END], |_: &Work| B);
    insta::assert_snapshot!(failed(thread(graph).run(Work::update()).await), @"node `a` went to `b`, which it does not declare; declared: `c`, `END`. Name `b` among the targets of `add_conditional_edges`");
}

#[tokio::test]
async fn a_goto_replaces_the_edges() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, going(|| Step::goto(C).with(noted("a")))).may_goto(C);
    graph.add_node(B, note("b"));
    graph.add_node(C, note("c"));
    graph.add_edge(START, A).add_edge(A, B);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a c");
    assert_eq!(steps(&thread).await, ["a", "c"]);
}

#[tokio::test]
async fn a_goto_to_end_and_an_end_trigger_nothing() {
    for step in [|| Step::goto(END), Step::end] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(A, going(step)).may_goto(END);
        graph.add_node(B, note("b"));
        graph.add_edge(START, A).add_edge(A, B);
        let thread = thread(graph);
        assert_eq!(done(thread.run(Work::update()).await).story(), "");
        assert_eq!(steps(&thread).await, ["a"]);
    }
}

#[tokio::test]
async fn an_undeclared_goto_is_an_error_naming_the_declared_ones() {
    for (to, expected) in [
        (C, "node `a` went to `c`, which it does not declare; declared: `b`. Add `.may_goto(c)` to the node"),
        (END, "node `a` went to `END`, which it does not declare; declared: `b`. Add `.may_goto(END)` to the node"),
        (
            Node::named("ghost"),
            "node `a` went to `ghost`, which it does not declare; declared: `b`. Add `.may_goto(ghost)` to the node",
        ),
    ] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(A, going(move || Step::goto(to.clone()).with(noted("a")))).may_goto(B);
        graph.add_node(B, note("b"));
        graph.add_node(C, note("c"));
        graph.add_edge(START, A).add_edge(B, C);
        let thread = thread(graph);
        assert_eq!(failed(thread.run(Work::update()).await), expected);
        assert_eq!(thread.state().await.unwrap().state.story(), "", "the task is not committed");
    }
}

#[tokio::test]
async fn several_gotos_run_in_one_step() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, going(|| Step::goto(C).and_goto(B))).may_goto([B, C]);
    graph.add_node(B, note("b"));
    graph.add_node(C, note("c"));
    graph.add_edge(START, A);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "b c");
    assert_eq!(steps(&thread).await, ["a", "b c"]);
}
