//! Where the tasks of these tests are executed: here, or with `GRAPHLOOM_ELSEWHERE=1` as bytes by workers of this process.
//! `graphloom-worker` and `graphloom-restate` run these tests with files of their own in the place of this one.

use graphloom_core_graph::simulate::LocalExecutor;
use graphloom_core_graph::{Compiled, State};

/// The graph as it is run.
pub(crate) fn as_it_is_run<S: State>(graph: Compiled<S>) -> Compiled<S> {
    if !is_elsewhere() {
        return graph;
    }
    graph.executed_by(LocalExecutor::of(&graph)).expect("the state is stored")
}

fn is_elsewhere() -> bool {
    std::env::var_os("GRAPHLOOM_ELSEWHERE").is_some()
}

/// Whether a test is left out, since tasks are executed elsewhere and it can only hold where they are not, for this reason.
pub(crate) fn only_in_place(reason: &str) -> bool {
    !reason.is_empty() && is_elsewhere()
}
