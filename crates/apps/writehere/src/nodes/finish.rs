//! Node `finish`.

use graphloom_core_graph::{NodeError, Snapshot};

use crate::state::{Finished, Writing, WritingUpdate};

/// Puts the result together when nothing more can be done: the text with numbered citations, and what became of the
/// tree.
///
/// # Errors
/// None.
pub async fn finish(state: Snapshot<Writing>) -> Result<WritingUpdate, NodeError> {
    let finished = Finished::of(&state);
    let notes = finished.notes(&state.request);
    Ok(Writing::update().notes(notes).finished(finished))
}
