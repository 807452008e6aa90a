//! juncture: typed state and super-steps. Its stores are crates of their own and are not measured.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{Ready, ready};
use juncture::edge::PathMap;
use juncture::node::{NodeFnCommand, NodeFnUpdate};
use juncture::{Command, CompiledGraph, GraphOutput, JunctureError, RunnableConfig, StateGraph};
use juncture_core::command::SendTarget;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, Shape, TASKS};

const BY: &str = "juncture 0.4.0";

#[derive(juncture_derive::State, Clone, Debug, Default, Serialize, Deserialize)]
struct Count {
    n: u64,
    #[reducer(append)]
    told: Vec<u64>,
}

type Done = Ready<Result<CountUpdate, JunctureError>>;

fn done(update: CountUpdate) -> Done {
    ready(Ok(update))
}

fn tick() -> NodeFnUpdate<impl Fn(&Count) -> Done> {
    NodeFnUpdate(|count: &Count| done(CountUpdate { n: Some(count.n + 1), told: None }))
}

/// Says of a closure that what it returns may live as long as the state.
fn router<F: Fn(&Count) -> &str>(route: F) -> F {
    route
}

fn graph(shape: Shape) -> Result<CompiledGraph<Count>, Failure> {
    let length = shape.units;
    let mut graph = StateGraph::<Count>::new();
    match shape.name {
        "chain1000" => {
            for at in 0..length {
                graph.add_node_simple(format!("n{at}").as_str(), tick())?;
            }
            graph.set_entry_point("n0");
            for at in 1..length {
                graph.add_edge(format!("n{}", at - 1), format!("n{at}"));
            }
            graph.set_finish_point(format!("n{}", length - 1));
        }
        "tasks100" => {
            let send = NodeFnCommand(move |_: &Count| {
                let target =
                    |at| SendTarget { node: "work".to_owned(), state: json!({"n": at, "told": []}), timeout: None };
                let targets: Vec<_> = (0..length).map(target).collect();
                async move { Ok(Command::update_and_send(CountUpdate { n: None, told: None }, targets)) }
            });
            graph.add_node("n0", send, false, None, None, vec![], vec![])?;
            let work = |count: &Count| -> Done { done(CountUpdate { n: None, told: Some(vec![count.n]) }) };
            graph.add_node_simple("work", NodeFnUpdate(work))?;
            let last = |count: &Count| -> Done {
                let sum = count.told.iter().sum::<u64>();
                done(CountUpdate { n: Some(sum), told: None })
            };
            graph.add_node_simple("last", NodeFnUpdate(last))?;
            graph.set_entry_point("n0");
            graph.add_edge("n0", "work");
            graph.add_edge("work", "last");
            graph.set_finish_point("last");
        }
        _ => {
            graph.add_node_simple("n0", tick())?;
            graph.set_entry_point("n0");
            let mut paths = PathMap::new();
            paths.insert("more", "n0");
            paths.insert("end", juncture::edge::END);
            let route = router(move |count| if count.n < length { "more" } else { "end" });
            graph.add_conditional_edges("n0", Arc::new(route), paths);
        }
    }
    Ok(graph.compile()?)
}

pub(super) fn cases() -> Vec<Case> {
    let right = |shape: Shape| if shape.name == "tasks100" { 4_950 } else { shape.units };
    [CHAIN, LOOP, TASKS]
        .map(|shape| {
            Case::new(BY, shape, "none", async move {
                let graph = Arc::new(graph(shape)?);
                Ok(move |_| {
                    let graph = Arc::clone(&graph);
                    async move {
                        let config = RunnableConfig { recursion_limit: 20_000, ..RunnableConfig::new() };
                        let output: GraphOutput<Count, Count> = graph.invoke_async(Count::default(), &config).await?;
                        check(output.value.n, right(shape))
                    }
                    .boxed()
                })
            })
        })
        .into()
}
