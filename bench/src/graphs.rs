//! The graphs of the shapes that other runtimes are measured on, too.

use graphloom_core_graph::{
    App, CompileErrors, Compiled, END, Mode, Node, NodeError, START, Snapshot, State, StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A state of two numbers.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Count {
    pub(crate) n: u64,
    #[state(add)]
    pub(crate) sum: u64,
}

const TICK: Node = Node::named("tick");
const BEGIN: Node = Node::named("begin");
const LAST: Node = Node::named("last");
const WORK: Task<u64> = Task::named("work");
const ADD: Node = Node::named("add");
const DOUBLE: Node = Node::named("double");
const TELL: Node = Node::named("tell");

pub(crate) async fn tick(count: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    Ok(Count::update().n(count.n + 1))
}

/// One node that follows itself `steps` times.
pub(crate) fn looped(steps: u64, mode: Mode) -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("loop");
    graph.mode(mode);
    graph.add_node(TICK, tick);
    graph.add_edge(START, TICK);
    graph.add_conditional_edges(TICK, (TICK, END), move |count: &Count| if count.n < steps { TICK } else { END });
    Ok(graph.compile()?.with_context(()))
}

/// `length` nodes in a row.
pub(crate) fn chain(length: u64) -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("chain");
    let nodes: Vec<_> = (0..length).map(|at| Node::owned(format!("n{at:06}"))).collect();
    for node in &nodes {
        graph.add_node(node.clone(), tick);
    }
    graph.add_edge(START, nodes[0].clone());
    for pair in nodes.windows(2) {
        graph.add_edge(pair[0].clone(), pair[1].clone());
    }
    Ok(graph.compile()?.with_context(()))
}

/// One node that sends to `branches` tasks, which are joined.
pub(crate) fn tasks(branches: u64) -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("tasks");
    graph
        .add_task(WORK, |input: u64, _: Snapshot<Count>| async move { Ok::<_, NodeError>(Count::update().sum(input)) });
    joined(graph, branches)
}

/// One node that sends to `branches` subgraphs of three nodes in a row, which are joined. The sum is that of
/// `2 * (branch + 1)`.
pub(crate) fn fan_out(branches: u64) -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("fan-out");
    graph.add_subgraph_task(
        WORK,
        child()?,
        |branch: u64, _: &Count| Count::update().n(branch),
        |child| Ok(Count::update().sum(child.done()?.sum)),
    );
    joined(graph, branches)
}

fn child() -> Result<Compiled<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("child");
    graph.add_node(ADD, tick);
    graph.add_node(DOUBLE, |count: Snapshot<Count>| async move { Ok::<_, NodeError>(Count::update().n(count.n * 2)) });
    graph.add_node(TELL, |count: Snapshot<Count>| async move { Ok::<_, NodeError>(Count::update().sum(count.n)) });
    graph.add_edge(START, ADD).add_edge(ADD, DOUBLE).add_edge(DOUBLE, TELL).add_edge(TELL, END);
    graph.compile()
}

fn joined(mut graph: StateGraph<Count>, branches: u64) -> Result<App<Count>, CompileErrors> {
    graph.add_node(BEGIN, tick);
    graph.add_node(LAST, tick);
    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, WORK, move |_: &Count| (0..branches).map(|at| WORK.send(at, at)).collect());
    graph.add_join(WORK, LAST);
    graph.add_edge(LAST, END);
    Ok(graph.compile()?.with_context(()))
}
