//! graph-flow: tasks over a shared context of JSON values; parallel work only inside one task.

use std::sync::Arc;

use async_trait::async_trait;
use futures::FutureExt;
use graph_flow::fanout::FanOutTask;
use graph_flow::{
    Context, ExecutionStatus, FlowRunner, Graph, GraphBuilder, InMemorySessionStorage, NextAction, Session,
    SessionStorage, Task, TaskResult,
};

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

const BY: &str = "graph-flow 0.8.1";

/// Adds one.
struct Tick {
    id: String,
    next: NextAction,
}

#[async_trait]
impl Task for Tick {
    fn id(&self) -> &str {
        &self.id
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let n: u64 = context.get("n").unwrap_or(0);
        context.set("n", n + 1)?;
        Ok(TaskResult::new(None, self.next.clone()))
    }
}

/// Writes its number.
struct Branch {
    id: String,
    number: u64,
}

#[async_trait]
impl Task for Branch {
    fn id(&self) -> &str {
        &self.id
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        context.set(self.id.clone(), self.number)?;
        Ok(TaskResult::new(None, NextAction::End))
    }
}

/// Adds up what the branches wrote.
struct Join(u64);

#[async_trait]
impl Task for Join {
    fn id(&self) -> &str {
        "join"
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let sum: u64 = (0..self.0).filter_map(|at| context.get::<u64>(&format!("b{at}"))).sum();
        context.set("n", sum)?;
        Ok(TaskResult::new(None, NextAction::End))
    }
}

fn graph(shape: Shape, next: NextAction) -> Result<Graph, Failure> {
    let length = shape.units;
    let tick = |id: String, next| Arc::new(Tick { id, next });
    let mut graph = GraphBuilder::new(shape.name);
    match shape.name {
        "chain1000" => {
            for at in 0..length {
                let next = if at + 1 < length { next.clone() } else { NextAction::End };
                graph = graph.add_task(tick(format!("n{at}"), next));
            }
            for at in 1..length {
                graph = graph.add_edge(format!("n{}", at - 1), format!("n{at}"));
            }
        }
        "tasks100" => {
            let branches =
                (0..length).map(|number| Arc::new(Branch { id: format!("b{number}"), number }) as Arc<dyn Task>);
            let fan = FanOutTask::new("n0", branches.collect()).with_next_action(next);
            graph = graph.add_task(fan).add_task(Arc::new(Join(length))).add_edge("n0", "join");
        }
        _ => {
            graph = graph.add_task(tick("n0".to_owned(), next)).add_task(tick("end".to_owned(), NextAction::End));
            // The last of the steps is the task that ends.
            let more = move |context: &Context| context.get::<u64>("n").unwrap_or(0) + 1 < length;
            graph = graph.add_conditional_edge("n0", more, "n0", "end");
        }
    }
    Ok(graph.build()?)
}

pub(super) fn cases() -> Vec<Case> {
    let right = |shape: Shape| if shape.name == "tasks100" { 4_950 } else { shape.units };
    let mut cases = Vec::new();
    for shape in [CHAIN, LOOP, TASKS] {
        cases.push(Case::new(BY, shape, "none", async move {
            let graph = Arc::new(graph(shape, NextAction::ContinueAndExecute)?);
            Ok(move |_| {
                let (graph, mut session) = (Arc::clone(&graph), Session::new_from_task("s".to_owned(), "n0"));
                async move {
                    graph.execute_session(&mut session).await?;
                    check(session.context.get::<u64>("n"), Some(right(shape)))
                }
                .boxed()
            })
        }));
    }
    for shape in [CHAIN, SHORT_LOOP] {
        cases.push(Case::new(BY, shape, "memory", async move {
            let graph = Arc::new(graph(shape, NextAction::Continue)?);
            Ok(move |_| {
                let graph = Arc::clone(&graph);
                let storage = Arc::new(InMemorySessionStorage::new());
                async move {
                    storage.save(Session::new_from_task("s".to_owned(), "n0")).await?;
                    let runner = FlowRunner::new(graph, Arc::clone(&storage) as Arc<dyn SessionStorage>);
                    while !matches!(runner.run("s").await?.status, ExecutionStatus::Completed) {}
                    let session = storage.get("s").await?.ok_or("no session was saved")?;
                    check(session.context.get::<u64>("n"), Some(right(shape)))
                }
                .boxed()
            })
        }));
    }
    cases
}
