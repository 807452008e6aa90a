//! An answer of quotations, for a small model, which is not asked.

use graphloom_retrieval::answer::Request;
use graphloom_vault::{Note, NotePath, Notes};

use crate::probe::find_note;
use crate::state::WorkflowState;
use crate::write::{Quoted, quoted};

/// How many notes are quoted from at most.
const QUOTED: usize = 40;

/// What the notes say.
pub(super) fn answer<N: Notes>(state: &WorkflowState, notes: &N) -> String {
    quoted_from_found(state, notes, None).joined()
}

/// What the best of the notes that were found say on the request, the one at `but` apart.
pub(in crate::execute) fn quoted_from_found<N: Notes>(
    state: &WorkflowState,
    notes: &N,
    but: Option<&NotePath>,
) -> Quoted {
    let best = state.findings.notes.iter().take(QUOTED).filter_map(|found| find_note(notes, &found.path));
    let found: Vec<Note> = best.filter(|note| Some(note.path()) != but).collect();
    let request = Request::of(&state.session.original_request);
    quoted(&request, &found, &notes.paths())
}
