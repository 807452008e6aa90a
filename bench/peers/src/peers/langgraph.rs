//! langgraph (Rust): channels of JSON values, versions of every node and channel.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use langgraph::channels::{BinaryOperatorAggregate, Channel, LastValue};
use langgraph::checkpoint::{BaseCheckpointSaver, InMemorySaver};
use langgraph::prelude::{
    CompiledStateGraph, END, JsonValue, Runnable, RunnableConfig, RunnableError, START, StateGraph,
};
use langgraph::sqlite::SqliteSaver;
use serde_json::json;

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

const BY: &str = "langgraph 0.2.5";

async fn tick(input: JsonValue, _: RunnableConfig) -> Result<JsonValue, RunnableError> {
    Ok(json!({"n": input["n"].as_u64().unwrap_or(0) + 1}))
}

fn graph(shape: Shape, saver: Option<Arc<dyn BaseCheckpointSaver>>) -> Result<CompiledStateGraph, Failure> {
    let length = shape.units;
    let add = |one: &JsonValue, two: &JsonValue| json!(one.as_u64().unwrap_or(0) + two.as_u64().unwrap_or(0));
    let channels: HashMap<String, Box<dyn Channel>> = HashMap::from([
        ("n".to_owned(), Box::new(LastValue::new("n")) as Box<dyn Channel>),
        ("sum".to_owned(), Box::new(BinaryOperatorAggregate::new("sum", add))),
    ]);
    let mut graph = StateGraph::new(channels);
    match shape.name {
        "chain1000" => {
            for at in 0..length {
                graph.add_node(format!("n{at}"), tick)?;
            }
            graph.add_edge(START, "n0")?;
            for at in 1..length {
                graph.add_edge(format!("n{}", at - 1), format!("n{at}"))?;
            }
            graph.add_edge(format!("n{}", length - 1), END)?;
        }
        "tasks100" => {
            graph.add_node("n0", tick)?;
            graph.add_node(
                "last",
                |input: JsonValue, _: RunnableConfig| async move { Ok(json!({"n": input["sum"]})) },
            )?;
            graph.add_edge(START, "n0")?;
            let branches: Vec<_> = (0..length).map(|at| format!("b{at}")).collect();
            for (number, name) in branches.iter().enumerate() {
                let branch = move |_: JsonValue, _: RunnableConfig| async move { Ok(json!({"sum": number})) };
                graph.add_node(name, branch)?;
                graph.add_edge("n0", name)?;
            }
            graph.add_join_edge(branches, "last")?;
            graph.add_edge("last", END)?;
        }
        _ => {
            graph.add_node("n0", tick)?;
            graph.add_edge(START, "n0")?;
            let route = move |input: JsonValue, _: RunnableConfig| async move {
                Ok(json!(if input["n"].as_u64().unwrap_or(0) < length { "more" } else { "end" }))
            };
            let paths = HashMap::from([("more".to_owned(), "n0".to_owned()), ("end".to_owned(), END.to_owned())]);
            graph.add_conditional_edges("n0", route, Some(paths))?;
        }
    }
    let mut builder = graph.compile_builder().recursion_limit(20_000);
    if let Some(saver) = saver {
        builder = builder.checkpointer(saver);
    }
    Ok(builder.build()?)
}

fn case(shape: Shape, store: &'static str, folder: &Path) -> Case {
    let right = if shape.name == "tasks100" { 4_950 } else { shape.units };
    let file = folder.join(format!("langgraph-{}.db", shape.name));
    let url = format!("sqlite:{}", file.display());
    let case = Case::new(BY, shape, store, async move {
        let saver: Option<Arc<dyn BaseCheckpointSaver>> = match store {
            "memory" => Some(Arc::new(InMemorySaver::new())),
            "sqlite" => {
                let saver = SqliteSaver::from_conn_string(&url).await?;
                saver.setup().await?;
                Some(Arc::new(saver))
            }
            _ => None,
        };
        let graph = Arc::new(graph(shape, saver)?);
        Ok(move |run| {
            let graph = Arc::clone(&graph);
            async move {
                let config =
                    RunnableConfig::from([("configurable".to_owned(), json!({"thread_id": format!("t{run}")}))]);
                let state = graph.ainvoke(&json!({"n": 0, "sum": 0}), &config).await?;
                check(state["n"].as_u64(), Some(right))
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
        (CHAIN, "sqlite"),
        (SHORT_LOOP, "sqlite"),
    ]
    .map(|(shape, store)| case(shape, store, folder))
    .into()
}
