use graphloom_core_graph::State;

#[derive(State)]
struct Draft<'a> {
    topic: &'a str,
}

fn main() {}
