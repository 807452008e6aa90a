//! Node `synthesize_gap`.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use super::{finished, stray, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::resources::Resources;
use crate::session::Artifact;
use crate::state::Conversation;

/// Says what the literature leaves open. In: the review. Out: the gap with its evidence, as a new version.
///
/// # Errors
/// No model that answers, a call that is not the node's, and what the graph runtime itself reports.
pub async fn synthesize_gap(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::SynthesizeGap(_)) = call_of(&state.turn) else { return Err(stray("synthesize_gap")) };
    let mut session = state.session.clone();
    let gap = match cx.resources().strategy("gap")? {
        Strategy::Free => free::find(&cx, &session).await?,
        Strategy::Guided => guided::find(&cx, &session).await?,
    };
    think_all(&cx, &gap.notes).await;
    let version = session.artifacts.gap.as_ref().map_or(1, |gap| gap.version + 1);
    session.action_result = Some(gap.gap.clone());
    session.artifacts.gap = Some(Artifact::new(version, Action::SynthesizeGap, cx.now(), gap));
    Ok(finished(session, &state.turn, Finish::Ok))
}
