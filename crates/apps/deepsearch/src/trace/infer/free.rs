//! The reasons of a conclusion, as given by a model.

use graphloom_core_graph::{Context, NodeError};

use super::provenance::Provenance;
use super::sections::Chapter;
use super::{guided, requests};
use crate::resources::Resources;
use crate::state::Locale;
use crate::status::{Notice, StatusCode};

/// The inference in words, and the graph of its steps. The model is asked for edges between unconnected parts of the
/// graph. `None` when the model answers that the conclusion does not follow. When the model fails, the cited statements
/// are the reasons.
pub(super) async fn graph(
    cx: &Context<Resources>,
    place: usize,
    chapter: &Chapter<'_>,
    conclusion: &str,
    language: Locale,
    notices: &mut Vec<Notice>,
) -> Result<Option<(String, Provenance)>, NodeError> {
    let (inference, mut graph) = match requests::inference(cx, place, chapter, conclusion).await? {
        Ok(Some((inference, steps))) => (inference, Provenance::build(conclusion, &chapter.records(), &steps)),
        Ok(None) => return Ok(None),
        Err(failure) => {
            let message = format!("`{}` is traced by its citations alone: {failure}", chapter.title);
            notices.push(Notice::exception(StatusCode::InferenceGraph, message));
            guided::graph(chapter, conclusion, language)
        }
    };
    let parts = graph.parts();
    if parts.len() > 1 {
        match requests::supplement(cx, place, conclusion, &graph, &parts).await? {
            Ok(edges) => edges.into_iter().for_each(|(from, to)| graph.connect(from, to)),
            Err(failure) => {
                let message = format!("`{}` keeps only the part of its conclusion: {failure}", chapter.title);
                notices.push(Notice::warning(StatusCode::InferenceGraph, message));
            }
        }
    }
    Ok(Some((inference, graph)))
}
