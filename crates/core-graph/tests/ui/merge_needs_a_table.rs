use graphloom_core_graph::State;

#[derive(State)]
struct Draft {
    #[state(merge)]
    sections: std::collections::BTreeMap<String, String>,
}

fn main() {}
