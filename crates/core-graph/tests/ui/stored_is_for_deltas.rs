use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(reduce_with = keep, stored = whole)]
    kept: String,
    #[state(stored = deltas)]
    last: String,
    #[state(append, stored = deltas)]
    notes: graphloom_core_graph::Log<String>,
    #[state(reduce_with = keep, stored = deltas, untracked)]
    cache: String,
    #[state(reduce_with = keep, stored = deltas, ephemeral)]
    hint: String,
}

fn keep(_: &mut String, _: String) {}

fn main() {}
