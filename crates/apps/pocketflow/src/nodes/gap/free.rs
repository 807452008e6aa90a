//! A gap in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::ids_of;
use crate::resources::Resources;
use crate::session::{Gap, Session, numbered};

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

/// What the model says in one call.
pub(super) async fn find(cx: &Context<Resources>, session: &Session) -> Result<Gap, NodeError> {
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
