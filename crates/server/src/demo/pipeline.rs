//! `pipeline`: three nodes, one after the other; the second tells how far it is.

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, Log, Node, NodeError, START, Snapshot, State, StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{CUSTOM, required};

/// A topic, and what the nodes made of it.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Pipeline {
    pub(crate) topic: Option<String>,
    #[state(append)]
    pub(crate) items: Log<String>,
    pub(crate) count: Option<u64>,
}

const PLAN: Node = Node::named("plan");
const WORK: Node = Node::named("work");
const FINISH: Node = Node::named("finish");

fn item(pipeline: &Pipeline, node: &str) -> Result<[String; 1], NodeError> {
    Ok([format!("{node}:{}", required(pipeline.topic.as_ref(), "topic")?)])
}

async fn plan(pipeline: Snapshot<Pipeline>) -> Result<PipelineUpdate, NodeError> {
    Ok(Pipeline::update().items(item(&pipeline, "plan")?))
}

async fn work(pipeline: Snapshot<Pipeline>, context: Context) -> Result<PipelineUpdate, NodeError> {
    for progress in 1..=3 {
        context.emit(CUSTOM, json!({ "progress": progress, "of": 3 })).await;
    }
    Ok(Pipeline::update().items(item(&pipeline, "work")?))
}

async fn finish(pipeline: Snapshot<Pipeline>) -> Result<PipelineUpdate, NodeError> {
    let count = pipeline.items.len() as u64 + 1;
    Ok(Pipeline::update().items(item(&pipeline, "finish")?).count(count))
}

pub(crate) fn graph() -> Result<Compiled<Pipeline>, CompileErrors> {
    let mut graph = StateGraph::new("pipeline");
    graph.add_node(PLAN, plan);
    graph.add_node(WORK, work);
    graph.add_node(FINISH, finish);
    graph.add_edge(START, PLAN).add_edge(PLAN, WORK).add_edge(WORK, FINISH);
    graph.compile()
}
