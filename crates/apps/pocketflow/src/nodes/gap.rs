//! Node `synthesize_gap`.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{finished, ids_of, stray, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::resources::Resources;
use crate::session::{Artifact, Gap, Session, numbered};
use crate::small::{Small, find_gap};
use crate::state::Conversation;

#[derive(Serialize, Deserialize, JsonSchema)]
struct NumberedGap {
    #[schemars(length(max = 800))]
    summary: String,
    #[schemars(length(max = 800))]
    gap: String,
    #[schemars(length(max = 800))]
    why: String,
    #[schemars(length(max = 12))]
    evidence: Vec<u32>,
}

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
    let gap = match Small::of(&cx, "gap", session.journey.len())? {
        Some(small) => {
            let gap = find_gap(&small, &session).await?;
            think_all(&cx, &gap.notes).await;
            gap
        }
        None => in_one_call(&cx, &session).await?,
    };
    let version = session.artifacts.gap.as_ref().map_or(1, |gap| gap.version + 1);
    session.action_result = Some(gap.gap.clone());
    session.artifacts.gap = Some(Artifact::new(version, Action::SynthesizeGap, cx.now(), gap));
    Ok(finished(session, &state.turn, Finish::Ok))
}

async fn in_one_call(cx: &Context<Resources>, session: &Session) -> Result<Gap, NodeError> {
    let findings = numbered(session);
    let themes = session.artifacts.review.as_ref().map(|review| &review.value.themes);
    // Findings without a theme are still findings.
    let themes = themes.map_or_else(|| json!([]), |themes| json!(themes));
    let themes = if themes == json!([]) && !findings.is_empty() {
        json!([{ "name": "single findings", "summary": "the records share no theme" }])
    } else {
        themes
    };
    let args = json!({ "topic": session.topic.as_deref().unwrap_or_default(), "themes": themes, "findings": findings });
    let made: NumberedGap = cx.resources().ask(cx, "gap", "gap", &args).await?;
    let mut evidence = ids_of(session, &made.evidence);
    let mut notes = Vec::new();
    if evidence.is_empty() && !findings.is_empty() {
        notes.push("The gap names no record, so it rests on all that were read.".to_owned());
        think_all(cx, &notes).await;
        evidence = session
            .artifacts
            .review
            .iter()
            .flat_map(|review| &review.value.findings)
            .map(|finding| finding.record.clone())
            .collect();
    }
    Ok(Gap { summary: made.summary, gap: made.gap, why: made.why, evidence, notes })
}
