//! A summary in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::guided::extracted;
use crate::ask::value;
use crate::collector::prompt::documents_in_prompt;
use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::evidence::Document;
use crate::resources::{Resources, Stage};

/// How much of a document is shown, in characters.
const EXCERPT: usize = 3000;
/// The most documents that are shown.
const MOST_SHOWN: usize = 30;

/// What was found for a step.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Final {
    /// Whether a program would have to compute something.
    #[serde(default)]
    need_programmer: bool,
    /// What it would have to compute.
    #[serde(default)]
    programmer_task: String,
    /// What was found, in at most 500 words.
    info_summary: String,
    /// How well that answers the step and what is missing, in at most 300 words.
    #[serde(default)]
    evaluation: String,
}

/// What the model makes of the documents; where it cannot be asked they are quoted, with a note.
pub(super) async fn summary(
    state: &CollectorState,
    cx: &Context<Resources>,
    found: &[&Document],
) -> Result<CollectorStateUpdate, NodeError> {
    let request = &*state.request;
    let step = &request.step.id;
    if !cx.resources().may_spend(Stage::Research) {
        let note = format!("step `{step}`: its summary is quoted, the budget of research is spent");
        return Ok(extracted(request, found).notes([note]));
    }
    let documents = documents_in_prompt(found.iter().copied(), MOST_SHOWN, EXCERPT);
    let args = request.args(json!({ "knowledge_gap": state.knowledge_gap, "documents": documents }));
    let ask = request.ask("summary", "collector_final");
    let check = |given: Final| {
        if given.info_summary.trim().is_empty() { Err("`info_summary` is empty".to_owned()) } else { Ok(given) }
    };
    Ok(match value(cx, &ask, &args, check).await? {
        Ok(given) => {
            let update = CollectorState::update().info_summary(given.info_summary).evaluation(given.evaluation);
            let update = update.need_programmer(given.need_programmer).programmer_task(given.programmer_task);
            if given.need_programmer {
                update.notes([format!("step `{step}`: the model asked for a program, which is not available")])
            } else {
                update
            }
        }
        Err(failure) => {
            let note = format!("step `{step}`: its summary is quoted from the documents: {failure}");
            extracted(request, found).notes([note])
        }
    })
}
