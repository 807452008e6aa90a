//! The small graphs that are measured.

use graphloom_core_graph::{
    App, CompileErrors, Compiled, Context, END, Mode, Node, NodeError, START, Snapshot, State, StateGraph, Task,
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
const ASK: Node = Node::named("ask");

type Built = Result<App<Count>, CompileErrors>;

async fn tick(count: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    Ok(Count::update().n(count.n + 1))
}

async fn tick_with_context(count: Snapshot<Count>, _: Context) -> Result<CountUpdate, NodeError> {
    Ok(Count::update().n(count.n + 1))
}

async fn tick_once(count: Snapshot<Count>, cx: Context) -> Result<CountUpdate, NodeError> {
    let next = cx.once("next", async { Ok::<_, NodeError>(count.n + 1) }).await?;
    Ok(Count::update().n(next))
}

async fn ask(count: Snapshot<Count>, cx: Context) -> Result<CountUpdate, NodeError> {
    let more: u64 = cx.ask("more", &count.n).await?;
    Ok(Count::update().n(count.n + more))
}

/// One node that follows itself `steps` times.
pub(crate) fn looped(mode: Mode, steps: u64) -> Built {
    let mut graph = StateGraph::<Count>::new("loop");
    graph.mode(mode);
    graph.add_node(TICK, tick);
    repeat(graph, steps)
}

/// The same with a node that takes a context.
pub(crate) fn looped_with_context(steps: u64) -> Built {
    let mut graph = StateGraph::<Count>::new("loop");
    graph.add_node(TICK, tick_with_context);
    repeat(graph, steps)
}

/// The same with a durable step in the node.
pub(crate) fn looped_with_once(steps: u64) -> Built {
    let mut graph = StateGraph::<Count>::new("loop");
    graph.add_node(TICK, tick_once);
    repeat(graph, steps)
}

fn repeat(mut graph: StateGraph<Count>, steps: u64) -> Built {
    graph.add_edge(START, TICK);
    graph.add_conditional_edges(TICK, (TICK, END), move |count: &Count| if count.n < steps { TICK } else { END });
    Ok(graph.compile()?.with_context(()))
}

/// `length` nodes in a row.
pub(crate) fn chain(length: u64) -> StateGraph<Count> {
    let mut graph = StateGraph::<Count>::new("chain");
    let mut before = START;
    for at in 0..length {
        let node = Node::owned(format!("n{at:06}"));
        graph.add_node(node.clone(), tick);
        graph.add_edge(before, node.clone());
        before = node;
    }
    graph
}

/// A fan-out to `branches` tasks, which are joined.
pub(crate) fn tasks(branches: u64) -> Built {
    let mut graph = StateGraph::<Count>::new("tasks");
    graph.add_task(WORK, |at: u64, _: Snapshot<Count>| async move { Ok::<_, NodeError>(Count::update().sum(at)) });
    joined(graph, branches)
}

/// A fan-out to `branches` subgraphs of three nodes, which are joined.
pub(crate) fn subgraphs(branches: u64) -> Built {
    let child: Compiled<Count> = chain(3).compile()?;
    let mut graph = StateGraph::<Count>::new("subgraphs");
    graph.add_subgraph_task(
        WORK,
        child,
        |at: u64, _: &Count| Count::update().n(at),
        |child| Ok(Count::update().sum(child.done()?.n)),
    );
    joined(graph, branches)
}

fn joined(mut graph: StateGraph<Count>, branches: u64) -> Built {
    graph.add_node(BEGIN, tick);
    graph.add_node(LAST, tick);
    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, WORK, move |_: &Count| (0..branches).map(|at| WORK.send(at, at)).collect());
    graph.add_join(WORK, LAST);
    graph.add_edge(LAST, END);
    Ok(graph.compile()?.with_context(()))
}

/// A node that asks, for ever.
pub(crate) fn asking() -> Built {
    let mut graph = StateGraph::<Count>::new("asking");
    graph.add_node(ASK, ask).asks::<u64>("more");
    graph.add_edge(START, ASK).add_edge(ASK, ASK);
    Ok(graph.compile()?.with_context(()))
}
