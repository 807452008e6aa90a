//! rusty-agent-runtime: channels of JSON values, super-steps with a journal.

use std::sync::Arc;

use futures::FutureExt;
use rusty_agent_runtime::prelude::{
    ExecutionOutcome, Executor, Graph, GraphBuilder, InMemoryCheckpointer, NodeContext, NodeOutput, Reducer, Route,
    RunConfig, Send, State, StateSpec,
};
use serde_json::{Value, json};

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

const BY: &str = "rusty 0.12.0";

async fn tick(cx: NodeContext) -> rusty_agent_runtime::prelude::Result<NodeOutput> {
    let n = cx.state().get("n").and_then(Value::as_u64).unwrap_or(0);
    Ok(NodeOutput::update("n", json!(n + 1)))
}

fn graph(shape: Shape) -> Result<Graph, Failure> {
    let length = shape.units;
    let mut graph = GraphBuilder::new();
    match shape.name {
        "chain1000" => {
            for at in 0..length {
                graph.add_node(format!("n{at}"), tick);
            }
            for at in 1..length {
                graph.add_edge(format!("n{}", at - 1), format!("n{at}"));
            }
        }
        "tasks100" => {
            graph.add_node("n0", |_: NodeContext| async { Ok(NodeOutput::update("n", json!(0))) });
            graph.add_node("work", |cx: NodeContext| async move {
                let item = cx.state().get("item").cloned().unwrap_or_default();
                Ok(NodeOutput::update("told", item))
            });
            graph.add_node("last", |cx: NodeContext| async move {
                let told = cx.state().get("told").and_then(Value::as_array).cloned().unwrap_or_default();
                Ok(NodeOutput::update("n", json!(told.iter().filter_map(Value::as_u64).sum::<u64>())))
            });
            graph.add_conditional_edges("n0", move |_| async move {
                Ok(Route::Send((0..length).map(|at| Send::new("work", json!({"item": at}))).collect()))
            });
            graph.add_edge("work", "last");
        }
        _ => {
            graph.add_node("n0", tick);
            graph.add_conditional_edges("n0", move |state| async move {
                let more = state.get("n").and_then(Value::as_u64).unwrap_or(0) < length;
                Ok(if more { Route::Node("n0".to_owned()) } else { Route::End })
            });
        }
    }
    graph.set_entry_point("n0");
    Ok(graph.compile()?)
}

pub(super) fn cases() -> Vec<Case> {
    [(CHAIN, "none"), (LOOP, "none"), (TASKS, "none"), (CHAIN, "memory"), (SHORT_LOOP, "memory"), (TASKS, "memory")]
        .map(|(shape, store)| {
            let right = if shape.name == "tasks100" { 4_950 } else { shape.units };
            Case::new(BY, shape, store, async move {
                let graph = Arc::new(graph(shape)?);
                Ok(move |run| {
                    let graph = Arc::clone(&graph);
                    let spec = StateSpec::new().channel("n", Reducer::Overwrite).channel("item", Reducer::Overwrite);
                    let spec = spec.channel("told", Reducer::Append);
                    let executor = match store {
                        "memory" => Executor::with_checkpointer(Arc::new(InMemoryCheckpointer::new())),
                        _ => Executor::new(),
                    };
                    async move {
                        let config = RunConfig::new(format!("t{run}")).with_max_steps(20_000);
                        let outcome = executor.run(&graph, &spec, State::new(), config).await?;
                        let ExecutionOutcome::Done(state) = outcome else { return Err("the run is not done".into()) };
                        check(state.get("n").and_then(Value::as_u64), Some(right))
                    }
                    .boxed()
                })
            })
        })
        .into()
}
