use graphloom_core_graph::{Log, State, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

type Names = Log<String>;

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    notes: Log<String>,
    sections: Table<String, String>,
    #[state(ephemeral)]
    names: Names,
}

type Lines<T> = Log<T>;

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Generic<T> {
    entries: Log<T>,
    #[state(untracked)]
    lines: Lines<T>,
    parts: graphloom_core_graph::Table<u64, T>,
}

fn main() {}
