use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(appends)]
    notes: String,
    #[state(add = 3)]
    tokens: u64,
}

fn main() {}
