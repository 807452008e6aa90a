use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(add)]
    spent: std::time::Duration,
}

fn main() {}
