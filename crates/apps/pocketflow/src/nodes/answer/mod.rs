//! Answers to a person's questions about what is shown.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError};

use crate::resources::Resources;

/// A question of the person.
pub(super) struct Asked<'a> {
    /// The topic of the journey.
    pub(super) topic: &'a str,
    /// What the person is shown.
    pub(super) shown: &'a str,
    pub(super) question: &'a str,
}

/// The answer of the model in a round of the conversation.
///
/// # Errors
/// Those of the profile; the inner error says why no model answered.
pub(super) async fn answer(
    cx: &Context<Resources>,
    round: usize,
    asked: Asked<'_>,
    notes: &mut Vec<String>,
) -> Result<Result<String, NodeError>, NodeError> {
    Ok(match cx.resources().strategy("answer")? {
        Strategy::Free => free::answer(cx, asked).await,
        Strategy::Guided => guided::answer(cx, round, asked, notes).await,
    })
}
