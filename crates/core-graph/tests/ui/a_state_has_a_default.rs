use graphloom_core_graph::State;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

fn main() {}
