//! Sums up what was found. In: the documents. Out: `info_summary`, `evaluation`, `need_programmer`, `programmer_task`.
//! Failure: sentences of the documents that fit the step best take the place of the summary, with a note. The
//! original leaves it empty, and dependent steps would then know nothing of what was found.
//! Source: openJiuwen DeepSearch, `SummaryNode` and its prompt `collector_final`.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_retrieval::extract::{best_sentences, clean};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ask::{is_constrained, value};
use crate::collector::asking::shown;
use crate::collector::{CollectRequest, CollectorState, CollectorStateUpdate};
use crate::evidence::Document;
use crate::resources::{Resources, Slot, Stage};

/// How much of a document is shown, in characters.
const EXCERPT: usize = 3000;
/// The most documents that are shown.
const MOST_SHOWN: usize = 30;
/// Sentences of a summary that no model wrote.
const SENTENCES: usize = 4;

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

pub(in crate::collector) async fn summary(
    state: Snapshot<CollectorState>,
    cx: Context<Resources>,
) -> Result<CollectorStateUpdate, NodeError> {
    let request = &*state.request;
    let resources = cx.resources();
    let found: Vec<&Document> = state.doc_infos.iter().collect();
    if found.is_empty() {
        let evaluation = "No documents were found.".to_owned();
        return Ok(CollectorState::update().info_summary(String::new()).evaluation(evaluation));
    }
    if is_constrained(resources, Slot::InfoCollecting) {
        // A small model invents; the sentences themselves are the better summary.
        return Ok(extracted(request, &found));
    }
    let step = &request.step.id;
    if !resources.may_spend(Stage::Research) {
        let note = format!("step `{step}`: its summary is quoted, the budget of research is spent");
        return Ok(extracted(request, &found).notes([note]));
    }
    let documents = shown(found.iter().copied(), MOST_SHOWN, EXCERPT);
    let args = request.args(json!({ "knowledge_gap": state.knowledge_gap, "documents": documents }));
    let ask = request.ask("summary", "collector_final");
    let check = |given: Final| {
        if given.info_summary.trim().is_empty() { Err("`info_summary` is empty".to_owned()) } else { Ok(given) }
    };
    Ok(match value(&cx, &ask, &args, check).await? {
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
            extracted(request, &found).notes([note])
        }
    })
}

/// A summary of sentences that fit the step.
fn extracted(request: &CollectRequest, found: &[&Document]) -> CollectorStateUpdate {
    let question = request.question();
    let of = |found: &&Document| {
        let best = best_sentences(&question, &found.text, SENTENCES);
        best.into_iter().map(|sentence| (sentence.score, clean(&found.text[sentence.range]))).collect::<Vec<_>>()
    };
    let mut best: Vec<(f32, String)> = found.iter().flat_map(of).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    let said: Vec<String> = best.into_iter().take(SENTENCES).map(|(_, sentence)| sentence).collect();
    let evaluation = format!("{} documents were found.", found.len());
    CollectorState::update().info_summary(said.join(" ")).evaluation(evaluation)
}
