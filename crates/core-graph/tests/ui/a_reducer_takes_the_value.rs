use graphloom_core_graph::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    #[state(reduce_with = joined)]
    text: String,
    #[state(reduce_with = emptied)]
    words: Vec<String>,
    #[state(reduce_with = longer)]
    title: String,
}

fn joined(one: String, other: String) -> String {
    one + &other
}

fn emptied(words: &mut Vec<String>) {
    words.clear();
}

fn longer(title: &mut String, other: String) -> bool {
    let is_longer = other.len() > title.len();
    if is_longer {
        *title = other;
    }
    is_longer
}

fn main() {}
