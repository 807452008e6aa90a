//! oxidizedgraph: one node at a time over a shared state; subgraphs beside each other.

use std::sync::Arc;

use futures::FutureExt;
use oxidizedgraph::prelude::{
    AgentState, CheckpointingRunner, CompiledGraph, GraphBuilder, GraphRunner, MemoryCheckpointer, NodeError,
    NodeExecutor, NodeOutput, ParallelSubgraphs, RunnerConfig, SharedState, async_trait,
};

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

const BY: &str = "oxidizedgraph 0.2.0";

/// Adds so much, and goes on while there is less than `until`.
struct Tick {
    id: String,
    more: u64,
    until: Option<u64>,
}

#[async_trait]
impl NodeExecutor for Tick {
    fn id(&self) -> &str {
        &self.id
    }

    async fn execute(&self, state: SharedState) -> Result<NodeOutput, NodeError> {
        let mut state = state.write().map_err(|error| NodeError::execution_failed(error.to_string()))?;
        let n = state.get_context::<u64>("n").unwrap_or(0) + self.more;
        state.set_context("n", n);
        Ok(match self.until {
            Some(until) if n < until => NodeOutput::continue_to(self.id.clone()),
            Some(_) => NodeOutput::finish(),
            None => NodeOutput::cont(),
        })
    }
}

fn tick(id: impl Into<String>, more: u64, until: Option<u64>) -> Tick {
    Tick { id: id.into(), more, until }
}

fn graph(shape: Shape) -> Result<CompiledGraph, Failure> {
    let mut graph = GraphBuilder::new().set_entry_point("n0");
    match shape.name {
        "chain1000" => {
            for at in 0..shape.units {
                graph = graph.add_node(tick(format!("n{at}"), 1, None));
            }
            for at in 1..shape.units {
                graph = graph.add_edge(format!("n{}", at - 1), format!("n{at}"));
            }
            graph = graph.add_edge_to_end(format!("n{}", shape.units - 1));
        }
        "tasks100" => {
            let mut fan = ParallelSubgraphs::new("n0").then("last");
            for at in 0..shape.units {
                let branch =
                    GraphBuilder::new().add_node(tick("b", at, None)).set_entry_point("b").add_edge_to_end("b");
                let merge = |parent: &mut AgentState, child: AgentState| {
                    let sum = |state: &AgentState| state.get_context::<u64>("n").unwrap_or(0);
                    parent.set_context("n", sum(parent) + sum(&child));
                };
                let fresh = |_: &AgentState| AgentState::new();
                fan = fan.add_subgraph_with_handlers(format!("b{at}"), branch.compile()?, fresh, merge);
            }
            graph = graph.add_node(fan).add_node(tick("last", 0, None)).add_edge("n0", "last").add_edge_to_end("last");
        }
        _ => graph = graph.add_node(tick("n0", 1, Some(shape.units))),
    }
    Ok(graph.compile()?)
}

pub(super) fn cases() -> Vec<Case> {
    let right = |shape: Shape| if shape.name == "tasks100" { 4_950 } else { shape.units };
    let config = || RunnerConfig::new().max_iterations(20_000);
    let mut cases = Vec::new();
    for shape in [CHAIN, LOOP, TASKS] {
        cases.push(Case::new(BY, shape, "none", async move {
            let runner = Arc::new(GraphRunner::new(graph(shape)?, config()));
            Ok(move |_| {
                let runner = Arc::clone(&runner);
                async move {
                    let state = runner.invoke(AgentState::new()).await?;
                    check(state.get_context::<u64>("n"), Some(right(shape)))
                }
                .boxed()
            })
        }));
    }
    for shape in [CHAIN, SHORT_LOOP] {
        cases.push(Case::new(BY, shape, "memory", async move {
            let graph = graph(shape)?;
            Ok(move |_| {
                let store = Arc::new(MemoryCheckpointer::new());
                let runner =
                    CheckpointingRunner::new(graph.clone(), store).with_config(config()).checkpoint_every_node();
                async move {
                    let result = runner.invoke("bench", AgentState::new()).await?;
                    check(result.state().get_context::<u64>("n"), Some(right(shape)))
                }
                .boxed()
            })
        }));
    }
    cases
}
