//! rust-langgraph: channels and branches; conditional edges are declared, too.

use std::sync::Arc;

use futures::FutureExt;
use rust_langgraph::pregel::BranchResult;
use rust_langgraph::prelude::{Config, MemorySaver, State, StateGraph};
use serde::{Deserialize, Serialize};

use super::check;
use crate::rounds::{CHAIN, Case, LOOP, Shape};

const BY: &str = "rust-langgraph 0.1.1";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Count {
    n: u64,
}

impl State for Count {
    fn merge(&mut self, other: Self) -> rust_langgraph::prelude::Result<()> {
        *self = other;
        Ok(())
    }
}

fn graph(shape: Shape) -> StateGraph<Count> {
    let length = shape.units;
    let mut graph = StateGraph::new();
    let tick = |count: Count, _: &Config| async move { Ok(Count { n: count.n + 1 }) };
    graph.set_entry_point("n0");
    if shape.name == "chain1000" {
        for at in 0..length {
            graph.add_node(format!("n{at}"), tick);
        }
        for at in 1..length {
            graph.add_edge(format!("n{}", at - 1), format!("n{at}"));
        }
        graph.set_finish_point(format!("n{}", length - 1));
    } else {
        graph.add_node("n0", tick);
        graph.add_node("end", |count: Count, _: &Config| async move { Ok(count) });
        graph.add_conditional_edges("n0", move |count: &Count| {
            let more = count.n < length;
            async move { Ok(BranchResult::single(if more { "n0" } else { "end" })) }
        });
        graph.set_finish_point("end");
    }
    graph
}

pub(super) fn cases() -> Vec<Case> {
    [(CHAIN, "none"), (LOOP, "none"), (CHAIN, "memory")]
        .map(|(shape, store)| {
            Case::new(BY, shape, store, async move {
                Ok(move |run| {
                    let app = if store == "memory" {
                        graph(shape).compile(Some(Arc::new(MemorySaver::new())))
                    } else {
                        graph(shape).compile(None)
                    };
                    async move {
                        let config = Config::new().with_thread_id(format!("t{run}")).with_recursion_limit(20_000);
                        check(app?.invoke(Count { n: 0 }, config).await?.n, shape.units)
                    }
                    .boxed()
                })
            })
        })
        .into()
}
