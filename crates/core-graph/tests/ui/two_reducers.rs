use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(append, merge)]
    notes: String,
    #[state(add, reduce_with = std::ops::AddAssign::add_assign)]
    tokens: u64,
    #[state(untracked, untracked)]
    cache: u64,
}

fn main() {}
