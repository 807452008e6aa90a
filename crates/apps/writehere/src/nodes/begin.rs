//! Node `begin`.

use graphloom_core_graph::{NodeError, Snapshot};
use graphloom_state_machine::{FailurePolicy, TreeChange};

use crate::state::{Writing, WritingUpdate};
use crate::task::Task;

/// Makes a tree of the request: its root is the whole text. A tree that is there already stays as it is.
pub(crate) async fn begin(state: Snapshot<Writing>) -> Result<WritingUpdate, NodeError> {
    if !state.tree.is_empty() {
        return Ok(Writing::update());
    }
    let length = state.request.words.map(|words| format!("{words} words"));
    let root = Task::root(&state.request.goal, length);
    Ok(Writing::update().tree(TreeChange::Start { payload: root, policy: FailurePolicy::Degrade }))
}
