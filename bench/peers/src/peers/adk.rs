//! adk-graph: a map of JSON values, super-steps on one task.

use std::path::Path;
use std::sync::Arc;

use adk_graph::{
    CompiledGraph, DeferredNodeConfig, END, ExecutionConfig, MemoryCheckpointer, NodeContext, NodeOutput, START,
    SqliteCheckpointer, State, StateGraph, StateSchema,
};
use futures::FutureExt;
use serde_json::{Value, json};

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

const BY: &str = "adk-graph 2.3.0";

async fn tick(cx: NodeContext) -> adk_graph::Result<NodeOutput> {
    let n = cx.state.get("n").and_then(Value::as_u64).unwrap_or(0);
    Ok(NodeOutput::new().with_update("n", json!(n + 1)))
}

fn graph(shape: Shape) -> Result<CompiledGraph, Failure> {
    let length = shape.units;
    let mut graph = StateGraph::new(StateSchema::builder().channel("n").list_channel("told").build());
    graph = match shape.name {
        "chain1000" => {
            for at in 0..length {
                graph = graph.add_node_fn(&format!("n{at}"), tick);
            }
            graph = graph.add_edge(START, "n0");
            for at in 1..length {
                graph = graph.add_edge(&format!("n{}", at - 1), &format!("n{at}"));
            }
            graph.add_edge(&format!("n{}", length - 1), END)
        }
        "tasks100" => {
            graph = graph.add_node_fn("n0", |_| async { Ok(NodeOutput::new()) }).add_edge(START, "n0");
            let last = |cx: NodeContext| async move {
                let told = cx.state.get("told").and_then(Value::as_array).cloned().unwrap_or_default();
                let sum: u64 = told.iter().filter_map(Value::as_u64).sum();
                Ok(NodeOutput::new().with_update("n", json!(sum)))
            };
            graph = graph.add_deferred_node_fn("last", last, DeferredNodeConfig::default()).add_edge("last", END);
            for at in 0..length {
                let name = format!("b{at}");
                let branch = move |_| async move { Ok(NodeOutput::new().with_update("told", json!([at]))) };
                graph = graph.add_node_fn(&name, branch).add_edge("n0", &name).add_edge(&name, "last");
            }
            graph
        }
        _ => {
            let route = move |state: &State| {
                let more = state.get("n").and_then(Value::as_u64).unwrap_or(0) < length;
                if more { "more".to_owned() } else { "end".to_owned() }
            };
            let targets = [("more", "n0"), ("end", END)];
            graph.add_node_fn("n0", tick).add_edge(START, "n0").add_conditional_edges("n0", route, targets)
        }
    };
    Ok(graph.compile()?.with_recursion_limit(20_000))
}

fn case(shape: Shape, store: &'static str, folder: &Path) -> Case {
    let right = if shape.name == "tasks100" { 4_950 } else { shape.units };
    let file = folder.join(format!("adk-{}.db", shape.name));
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let case = Case::new(BY, shape, store, async move {
        let graph = graph(shape)?;
        let graph = Arc::new(match store {
            "memory" => graph.with_checkpointer(MemoryCheckpointer::new()),
            "sqlite" => graph.with_checkpointer(SqliteCheckpointer::new(&url).await?),
            _ => graph,
        });
        Ok(move |run| {
            let graph = Arc::clone(&graph);
            async move {
                let config = ExecutionConfig::new(&format!("t{run}")).with_recursion_limit(20_000);
                let state = graph.invoke(State::new(), config).await?;
                check(state.get("n").and_then(Value::as_u64), Some(right))
            }
            .boxed()
        })
    });
    if store == "sqlite" { case.file(file) } else { case }
}

pub(super) fn cases(folder: &Path) -> Vec<Case> {
    [
        (CHAIN, "none"),
        (LOOP, "none"),
        (TASKS, "none"),
        (CHAIN, "memory"),
        (SHORT_LOOP, "memory"),
        (TASKS, "memory"),
        (CHAIN, "sqlite"),
        (SHORT_LOOP, "sqlite"),
    ]
    .map(|(shape, store)| case(shape, store, folder))
    .into()
}
