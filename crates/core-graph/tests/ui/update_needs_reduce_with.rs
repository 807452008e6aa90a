use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(update = String)]
    notes: Vec<String>,
}

fn main() {}
