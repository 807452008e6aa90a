//! What the parts of a run cost, each alone: `cargo bench -p graphloom-core-graph`. The ratios to floors, peers and bars
//! are those of `bench/`.

mod graphs;
mod state;
mod steps;
mod threads;

fn main() {
    divan::main();
}

/// A runtime of one thread, so that what is measured is the work and not where it is done.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime of one thread starts")
}
