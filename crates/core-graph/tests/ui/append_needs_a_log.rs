use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(append)]
    notes: Vec<String>,
    #[state(append)]
    names: String,
}

fn main() {}
