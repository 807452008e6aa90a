//! What is agreed between those who queue tasks and those who take them.

use graphloom_core_graph::remote::GraphVersion;

/// The name of the jobs that bring tasks.
pub(crate) const TASK_JOB: &str = "graphloom_task";

/// What the row of a task is to the keys.
pub(crate) const TASK: &str = "task";

/// What a job asks of the worker that takes it: that it has this graph.
pub(crate) fn flag(graph: &GraphVersion) -> String {
    // The lines of a list of flags are its items.
    graph.to_string().replace('\n', " ")
}
