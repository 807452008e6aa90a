//! Node `write_proposal`.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{finished, stray, think, think_all};
use crate::actions::{Action, Call};
use crate::cite::cite;
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::research::source_lines;
use crate::resources::Resources;
use crate::session::{Artifact, Section};
use crate::state::Conversation;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Written {
    title: String,
    #[schemars(length(min = 1, max = 9))]
    sections: Vec<Section>,
}

/// Writes the proposal and resolves its citations. In: gap, feedback. Out: the proposal, as a new version.
///
/// # Errors
/// No model that answers, a call that is not the node's, and what the graph runtime itself reports.
pub async fn write_proposal(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::WriteProposal(parameters)) = call_of(&state.turn) else { return Err(stray("write_proposal")) };
    let mut session = state.session.clone();
    let Some(gap) = session.artifacts.gap.as_ref().map(|gap| gap.value.clone()) else {
        return Err(stray("write_proposal"));
    };
    let mut notes = Vec::new();
    let written = match cx.resources().strategy("proposal")? {
        Strategy::Free => free::write(&cx, &session, parameters).await?,
        Strategy::Guided => guided::write(&cx, &session, &gap, &parameters.feedback, &mut notes).await?,
    };
    let review = session.artifacts.review.as_ref().map(|review| &review.value);
    let records = review.map(|review| review.records.as_slice()).unwrap_or_default();
    let numbered = (1..).zip(records).collect();
    let mut proposal = cite(written.title, written.sections, &numbered);
    if records.is_empty() {
        proposal.notes.push("No literature was found; this proposal rests on none.".to_owned());
    }
    proposal.sources = review.map(|review| source_lines(&review.sources)).unwrap_or_default();
    let earlier = review.into_iter().flat_map(|review| &review.notes).chain(&gap.notes);
    proposal.notes.extend(earlier.cloned().chain(notes).map(|note| as_sentence(&note)));
    think_all(&cx, &proposal.notes).await;
    let version = session.artifacts.proposal.as_ref().map_or(1, |proposal| proposal.version + 1);
    session.action_result = Some(proposal.title.clone());
    session.artifacts.proposal = Some(Artifact::new(version, Action::WriteProposal, cx.now(), proposal));
    let mut turn = state.turn.clone();
    if parameters.unexplained {
        let note = "You gave no reason, so the proposal is written differently and answers nothing; `reject: why` says what \
                    to change.";
        think(&cx, note).await;
        turn.notes.push(note.to_owned());
    }
    Ok(finished(session, &turn, Finish::Ok))
}

/// A note as it stands in a list of sentences.
fn as_sentence(note: &str) -> String {
    let end = if note.ends_with(['.', '。']) { "" } else { "." };
    let mut letters = note.chars();
    letters.next().map(|first| format!("{}{}{end}", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}
