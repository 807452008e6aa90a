//! The questions on conclusions to the model.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::provenance::{Kind, Provenance, RawStep};
use super::sections::Chapter;
use crate::ask::{Ask, AskFailure, value};
use crate::resources::Resources;

/// The sentence that concludes.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Conclusion {
    /// Its number, or 0 for none.
    sentence: usize,
}

/// How a conclusion follows.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Inference {
    /// The numbers of the records that have to do with it.
    relevant: Vec<u32>,
    /// The inference in a few sentences, with records as 《number》.
    inference: String,
    /// The steps, the last one to the conclusion.
    steps: Vec<RawStep>,
}

/// Edges between the parts of a graph.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Supplement {
    /// From a reason to what it is a reason for.
    edges: Vec<(usize, usize)>,
}

/// The index of the concluding sentence; `None` when no sentence concludes.
pub(super) async fn conclusion(
    cx: &Context<Resources>,
    place: usize,
    chapter: &Chapter<'_>,
) -> Result<Result<Option<usize>, AskFailure>, NodeError> {
    let sentences: Vec<&str> = chapter.candidates.iter().map(|(_, text)| text.as_str()).collect();
    let numbers: Vec<usize> = (0..=sentences.len()).collect();
    let schema = json!({
        "type": "object",
        "properties": { "sentence": { "type": "integer", "enum": numbers } },
        "required": ["sentence"],
        "additionalProperties": false,
    });
    let ask = Ask::new(format!("infer/conclusion/{place}"), "trace/conclusion").schema(schema).small_tokens(16);
    let args = json!({ "title": chapter.title, "sentences": sentences });
    value(cx, &ask, &args, |answer: Conclusion| match answer.sentence {
        0 => Ok(None),
        number if number <= sentences.len() => Ok(Some(number - 1)),
        number => Err(format!("there is no sentence {number}")),
    })
    .await
}

/// The inference and its steps; `None` when the model answers that the conclusion does not follow, or names fewer than
/// two records.
pub(super) async fn inference(
    cx: &Context<Resources>,
    place: usize,
    chapter: &Chapter<'_>,
    conclusion: &str,
) -> Result<Result<Option<(String, Vec<RawStep>)>, AskFailure>, NodeError> {
    let records: Vec<_> = chapter
        .citations
        .iter()
        .map(|citation| {
            let cited = citation.content.split_once("<mark>").and_then(|(_, rest)| rest.split_once("</mark>"));
            let text = cited.map_or(citation.content.as_str(), |(marked, _)| marked);
            json!({ "label": format!("record {}: {}", citation.reference_index, citation.title), "text": text })
        })
        .collect();
    let known = chapter.records();
    let ask = Ask::new(format!("infer/inference/{place}"), "trace/inference");
    let args = json!({ "conclusion": conclusion, "records": records });
    value(cx, &ask, &args, |answer: Inference| {
        let relevant: std::collections::BTreeSet<u32> =
            answer.relevant.iter().copied().filter(|number| known.contains_key(number)).collect();
        if says_no(&answer.inference) || relevant.len() < 2 {
            return Ok(None);
        }
        if answer.steps.is_empty() {
            return Err("there are no steps".to_owned());
        }
        Ok(Some((answer.inference.trim().to_owned(), answer.steps)))
    })
    .await
}

/// Whether the text of an inference says that nothing can be inferred.
fn says_no(inference: &str) -> bool {
    let lower = inference.to_lowercase();
    inference.trim().is_empty()
        || ["cannot be inferred", "unable to infer", "cannot conclude", "no conclusion can"]
            .iter()
            .any(|no| lower.contains(no))
        || ["无法推断", "无法得出", "不能推断"].iter().any(|no| lower.contains(no))
}

/// Edges between the parts of a graph, by the indices of their nodes.
pub(super) async fn supplement(
    cx: &Context<Resources>,
    place: usize,
    conclusion: &str,
    graph: &Provenance,
    parts: &[Vec<usize>],
) -> Result<Result<Vec<(usize, usize)>, AskFailure>, NodeError> {
    // Records are left out: no edge leads to a record.
    let shown: Vec<Vec<_>> = parts
        .iter()
        .map(|part| {
            let nodes = part.iter().filter(|&&at| graph.node(at).is_some_and(|node| node.kind != Kind::Record));
            nodes.filter_map(|&at| Some(json!({ "number": at, "text": graph.node(at)?.text }))).collect()
        })
        .collect();
    let ask = Ask::new(format!("infer/supplement/{place}"), "trace/supplement").tries(1);
    let args = json!({ "conclusion": conclusion, "parts": shown });
    value(cx, &ask, &args, |answer: Supplement| Ok(answer.edges)).await
}
