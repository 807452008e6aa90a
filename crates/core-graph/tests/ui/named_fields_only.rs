use graphloom_core_graph::State;

#[derive(State)]
struct Pair(String, u64);

#[derive(State)]
enum Either {
    One,
    Other,
}

fn main() {}
