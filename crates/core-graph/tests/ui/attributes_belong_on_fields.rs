use graphloom_core_graph::State;

#[derive(State)]
#[state(append)]
struct Draft {
    topic: String,
}

fn main() {}
