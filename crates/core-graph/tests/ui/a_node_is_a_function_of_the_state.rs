use graphloom_core_graph::{Context, Node, NodeError, Snapshot, State, StateGraph, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Other {
    topic: String,
}

const PLAN: Node = Node::named("plan");
const WRITE: Task<u64> = Task::named("write");

async fn write(_: u64, _: Snapshot<Draft>) -> Result<DraftUpdate, NodeError> {
    Ok(Draft::update())
}

async fn of_another(_: Snapshot<Other>, _: Context) -> Result<OtherUpdate, NodeError> {
    Ok(Other::update())
}

fn main() {
    let mut graph = StateGraph::<Draft>::new("draft");
    graph.add_node(PLAN, write);
    graph.add_node(PLAN, of_another);
    graph.add_task(WRITE, of_another);
}
