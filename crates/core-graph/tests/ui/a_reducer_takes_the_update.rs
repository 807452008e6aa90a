use graphloom_core_graph::State;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    #[state(reduce_with = keep, update = u64)]
    kept: String,
}

fn keep(_: &mut String, _: String) {}

fn main() {}
