use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::{Compiled, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

fn threads(graph: &Compiled<Draft>) {
    let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
    let _ = graph.with_checkpointer(store);
}

fn main() {}
