//! An answer in the model's own words.

use graphloom_agents::{Agent, AgentError, Exchange};
use graphloom_vault::Notes;
use serde_json::json;

use crate::ask::text;
use crate::probe::find_note;
use crate::resources::Setup;
use crate::state::WorkflowState;
use crate::view::vault_args;

/// How many notes an answer rests on.
const MATERIAL: usize = 2;
/// How many characters of each.
const MATERIAL_CHARS: usize = 500;

/// What the model says in view of the best notes.
pub(super) async fn answer<N: Notes>(
    setup: &Setup,
    agent: &Agent<'_>,
    state: &WorkflowState,
    notes: &N,
) -> Result<(String, Option<Exchange>), AgentError> {
    let mut read = Vec::new();
    for found in state.findings.notes.iter().take(MATERIAL) {
        if let Some(note) = find_note(notes, &found.path) {
            let body: String = note.body().chars().take(MATERIAL_CHARS).collect();
            read.push(json!({ "path": found.path, "text": body }));
        }
    }
    let language = crate::view::language_name(state);
    let mut args = vault_args(state);
    args["request"] = json!(state.session.original_request);
    args["read"] = json!(read);
    args["language"] = json!(language);
    let answer = text(setup, agent, &args).await?;
    Ok((answer.value, Some(answer.exchange)))
}
