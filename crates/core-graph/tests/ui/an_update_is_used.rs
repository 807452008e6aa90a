#![deny(unused_must_use)]

use graphloom_core_graph::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

fn plan() {
    Draft::update().topic("rivers");
}

fn main() {}
