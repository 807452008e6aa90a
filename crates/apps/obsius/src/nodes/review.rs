//! Node `review`: a person sees what would change, and approves all of it, some, or none.

use graphloom_agents::{EntryKind, MemoryEntry, ReviewRequest, Verdict};
use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_state_machine::Symbol;
use graphloom_vault::Changes;

use crate::limit_changes::result_for_more_work;
use crate::resources::Resources;
use crate::review::{approved, conflict_in_words, question_with};
use crate::state::{Objectives, Review, StopReason, WorkflowState, WorkflowStateUpdate};

/// How often a refusal with a reason leads back to the model.
const ROUNDS: u32 = 2;

/// State in: the pending changes. State out: the approved ones, or none and the reason, which the next analysis
/// considers. It waits for a person as long as it takes; the iteration's time stands still.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn review(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    let request = review_request(cx.resources(), &state);
    let verdict: Verdict = cx.ask("review", &request).await?;
    let reviewed = request.decide(&verdict).map_err(NodeError::terminal)?;
    let approved = approved(&state.changes, &reviewed);
    let rounds = state.review.rounds.saturating_add(1);
    let mut review = Review { rounds, ..state.review.clone() };
    let declined = reviewed.declined.len();
    let reason = reviewed.reason.clone().filter(|reason| !reason.trim().is_empty());
    review.verdict = Some(reviewed);
    review.feedback = None;
    review.conflicts = Vec::new();
    let update = WorkflowState::update();
    if !approved.is_empty() {
        review.approved = true;
        let left_out = (declined > 0).then(|| format!("{declined} changes were not approved and are left out"));
        return Ok(update.changes(Shared::new(approved)).review(review).notes(left_out));
    }
    let update = update.changes(Shared::new(Changes::default()));
    match reason {
        Some(reason) if rounds < ROUNDS => {
            review.feedback = Some(reason.clone());
            review.since_iteration = state.iteration.number;
            let phase = state.phases.current();
            let seen = MemoryEntry::new(
                EntryKind::Observation,
                phase.name(),
                state.iteration.number,
                format!("the changes were not approved: {reason}"),
            )
            .with_importance(1.0)
            .at(cx.now());
            let update = update
                .review(review)
                .working_memory(vec![seen])
                .objectives(Objectives::default())
                .confidence(0.0)
                .stop(None::<StopReason>);
            Ok(match result_for_more_work(&state) {
                Some(result) => update.result(result),
                None => update,
            })
        }
        reason => {
            let notice = reason.map_or_else(
                || "the changes were not approved".to_owned(),
                |reason| format!("the changes were not approved: {reason}"),
            );
            Ok(update.review(review).stop(StopReason::Declined).notes([notice]))
        }
    }
}

/// The question: one item for each group of changes that only make sense together.
pub(crate) fn review_request(resources: &Resources, state: &WorkflowState) -> ReviewRequest {
    let mut request = question_with(&resources.vault, &state.changes, &state.review.conflicts);
    request.summary = summary(state, &request.summary);
    request
}

/// How much would change, whether the work came to its end, and what stands in the way.
fn summary(state: &WorkflowState, changes: &str) -> String {
    let mut summary = changes.to_owned();
    // Who approves part of the work knows it.
    if let Some(stop) = state.end().filter(|stop| !stop.is_success()) {
        summary = format!("not complete, {}: {summary}", stop.text());
    }
    if !state.review.conflicts.is_empty() {
        let conflicts: Vec<String> = state.review.conflicts.iter().map(conflict_in_words).collect();
        summary = format!(
            "{summary}\nnothing is written, because of edits made since the changes were shown: {}\napprove only the other \
             changes by their numbers, or refuse with a reason to have them made again from the notes as they are now",
            conflicts.join("; ")
        );
    }
    summary
}
