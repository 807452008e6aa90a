use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(add)]
    tokens: u64,
    replace_tokens: bool,
}

fn main() {}
