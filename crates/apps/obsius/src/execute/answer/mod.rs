//! An answer from what was found.

mod free;
mod guided;

use graphloom_agents::{AgentError, Exchange, Strategy};
use graphloom_vault::Notes;

pub(super) use guided::quoted_from_found;

use crate::ask::agent;
use crate::resources::Setup;
use crate::state::WorkflowState;

/// An answer from the best of what was found, and the call that was made for it.
///
/// # Errors
/// Those of the model.
pub(super) async fn answer<N: Notes>(
    setup: &Setup,
    state: &WorkflowState,
    notes: &N,
) -> Result<(String, Option<Exchange>), AgentError> {
    let agent = agent(setup, "answer", "question")?;
    match agent.strategy() {
        Strategy::Free => free::answer(setup, &agent, state, notes).await,
        Strategy::Guided => Ok((guided::answer(state, notes), None)),
    }
}
