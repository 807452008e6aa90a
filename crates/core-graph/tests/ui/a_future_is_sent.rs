use std::rc::Rc;

use graphloom_core_graph::{Context, Node, NodeError, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

const PLAN: Node = Node::named("plan");

async fn plan(_: Snapshot<Draft>, cx: Context) -> Result<DraftUpdate, NodeError> {
    let topic = Rc::new("rivers".to_owned());
    cx.emit("topic", 1).await;
    Ok(Draft::update().topic(topic.as_str()))
}

fn main() {
    let mut graph = StateGraph::<Draft>::new("draft");
    graph.add_node(PLAN, plan);
}
