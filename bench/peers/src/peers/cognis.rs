//! cognis-graph: typed state, super-steps on one task.

use std::path::Path;
use std::sync::Arc;

use cognis_graph::cognis_core::{Runnable, RunnableConfig};
use cognis_graph::{
    BarrierNode, Checkpointer, CompiledGraph, Goto, Graph, GraphState, InMemoryCheckpointer, NodeOut,
    SqliteCheckpointer, node_fn,
};
use futures::FutureExt;
use serde::{Deserialize, Serialize};

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

const BY: &str = "cognis-graph 0.3.2";

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Count {
    n: u64,
}

#[derive(Clone, Debug, Default)]
struct More(u64);

impl GraphState for Count {
    type Update = More;

    fn apply(&mut self, more: More) {
        self.n += more.0;
    }
}

fn graph(shape: Shape) -> Result<CompiledGraph<Count>, Failure> {
    let length = shape.units;
    let mut graph = Graph::<Count>::new();
    match shape.name {
        "chain1000" => {
            for at in 0..length {
                let next = format!("n{}", at + 1);
                let name = format!("n{at}");
                let node = node_fn::<Count, _, _>(name.clone(), move |_, _| {
                    let goto = if at + 1 < length { Goto::node(next.clone()) } else { Goto::end() };
                    async move { Ok(NodeOut { update: More(1), goto }) }
                });
                graph = graph.node(name, node);
            }
        }
        "tasks100" => {
            let branches: Vec<String> = (0..length).map(|at| format!("b{at}")).collect();
            let all = branches.clone();
            let begin = node_fn::<Count, _, _>("n0", move |_, _| {
                let goto = Goto::Multiple(all.clone());
                async move { Ok(NodeOut { update: More(0), goto }) }
            });
            graph = graph.node("n0", begin);
            for (number, name) in branches.into_iter().enumerate() {
                let node = node_fn::<Count, _, _>(name.clone(), move |_, _| async move {
                    let goto = Goto::Send(vec![("join".to_owned(), serde_json::Value::Null)]);
                    Ok(NodeOut { update: More(number as u64), goto })
                });
                graph = graph.node(name, node);
            }
            let last = node_fn::<Count, _, _>("last", |_, _| async { Ok(NodeOut::end_with(More(0))) });
            graph = graph.node("join", BarrierNode::new("join", length as usize, "last")).node("last", last);
        }
        _ => {
            let tick = node_fn::<Count, _, _>("n0", move |state: &Count, _| {
                let goto = if state.n + 1 < length { Goto::node("n0") } else { Goto::end() };
                async move { Ok(NodeOut { update: More(1), goto }) }
            });
            graph = graph.node("n0", tick);
        }
    }
    Ok(graph.start_at("n0").compile()?)
}

fn case(shape: Shape, store: &'static str, folder: &Path) -> Case {
    let right = if shape.name == "tasks100" { 4_950 } else { shape.units };
    let file = folder.join(format!("cognis-{}.db", shape.name));
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let case = Case::new(BY, shape, store, async move {
        let mut graph = graph(shape)?;
        let checkpointer: Option<Arc<dyn Checkpointer<Count>>> = match store {
            "memory" => Some(Arc::new(InMemoryCheckpointer::new())),
            "sqlite" => Some(Arc::new(SqliteCheckpointer::connect(&url).await?)),
            _ => None,
        };
        if let Some(checkpointer) = checkpointer {
            graph = graph.with_checkpointer(checkpointer);
        }
        let graph = Arc::new(graph);
        Ok(move |_| {
            let graph = Arc::clone(&graph);
            async move {
                let config = RunnableConfig::default().with_recursion_limit(20_000);
                check(graph.invoke(Count::default(), config).await?.n, right)
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
