//! Node `begin`.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_state_machine::{FailurePolicy, TreeChange};

use crate::resources::Resources;
use crate::state::{Mode, Writing, WritingUpdate};
use crate::task::Task;

/// Makes a tree of the request: its root is the whole text. A tree that is there already stays as it is.
///
/// # Errors
/// None.
pub async fn begin(state: Snapshot<Writing>, cx: Context<Resources>) -> Result<WritingUpdate, NodeError> {
    if !state.tree.is_empty() {
        return Ok(Writing::update());
    }
    let length = match state.request.words {
        Some(words) => format!("{words} words"),
        None => cx.resources().setup.profile.settings.root_length.clone(),
    };
    let root = Task::root(&state.request.goal, Some(length).filter(|length| !length.is_empty()));
    let unsearched = state.request.mode == Mode::Report && cx.resources().setup.search.is_none();
    let note = unsearched.then(|| "there was nothing to search, so the report cites nothing".to_owned());
    let unread = state.request.unread.iter().map(|file| format!("not read: {file}"));
    Ok(Writing::update()
        .tree(TreeChange::Start { payload: root, policy: FailurePolicy::Degrade })
        .notes(note.into_iter().chain(unread).collect::<Vec<_>>()))
}
