use std::rc::Rc;

use graphloom_core_graph::{Context, Snapshot, State, StateGraph, Task, entry_point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

const WRITE: Task<u64> = Task::named("write");

fn main() {
    let mut graph = StateGraph::<Draft>::new("draft");
    graph.add_task(WRITE, async |_: u64, _: Snapshot<Draft>, cx: Context| {
        let topic = Rc::new("rivers".to_owned());
        cx.emit("topic", 1).await;
        Ok(Draft::update().topic(topic.as_str()))
    });
    let _ = entry_point("entry", async |topic: String, cx: Context| {
        let topic = Rc::new(topic);
        cx.emit("topic", 1).await;
        Ok(topic.len())
    });
}
