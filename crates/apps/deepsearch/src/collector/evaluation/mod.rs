//! Scores of documents: relevance, answerability, authority and data density, 0 to 10 each, and when they were
//! published (`info_evaluator_doc` of openJiuwen DeepSearch). A score of 0 is a score; a document without one stays unscored.

mod free;
mod guided;

use std::collections::BTreeMap;

use futures::future::try_join_all;
use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError};
use serde::Serialize;
use serde_json::{Value, json};

use super::CollectRequest;
use crate::ask::Ask;
use crate::evidence::{Document, Scores};
use crate::resources::{Resources, Slot, Stage};

/// How much is shown.
struct Sizes {
    /// Documents in one call.
    batch: usize,
    /// How much of a document, in characters.
    excerpt: usize,
    /// The most documents of a round; the best of each query come first.
    most: usize,
}

/// Documents that are scored with one call.
struct Batch<'a> {
    request: &'a CollectRequest,
    /// Its place in the round.
    at: usize,
    documents: &'a [Document],
    /// How much of a document is shown, in characters.
    excerpt: usize,
}

#[derive(Serialize)]
struct PromptDocument<'a> {
    number: usize,
    title: &'a str,
    url: &'a str,
    text: String,
}

/// Scores documents in batches, at the same time. Returns notes on those that stay unscored.
///
/// # Errors
/// Only errors that no model caused.
pub(super) async fn evaluate(
    cx: &Context<Resources>,
    request: &CollectRequest,
    documents: &mut [Document],
) -> Result<Vec<String>, NodeError> {
    if documents.is_empty() {
        return Ok(Vec::new());
    }
    let resources = cx.resources();
    let step = &request.step.id;
    if !resources.may_spend(Stage::Research) {
        let count = documents.len();
        return Ok(vec![format!("step `{step}`: {count} documents are unscored, the budget of research is spent")]);
    }
    let strategy = resources.strategy(Slot::InfoCollecting);
    let Sizes { batch: size, excerpt, most } = match strategy {
        Strategy::Free => free::SIZES,
        Strategy::Guided => guided::SIZES,
    };
    let shown = documents.len().min(most);
    let batches: Vec<Batch<'_>> = (0..)
        .zip(documents[..shown].chunks(size))
        .map(|(at, documents)| Batch { request, at, documents, excerpt })
        .collect();
    let work = batches.iter().map(|batch| async move {
        match strategy {
            Strategy::Free => free::score(cx, batch).await,
            Strategy::Guided => guided::score(cx, batch).await,
        }
    });
    let answers = try_join_all(work).await?;
    let starts: Vec<usize> = (0..batches.len()).map(|at| at * size).collect();
    let mut notes = Vec::new();
    for (start, answer) in starts.into_iter().zip(answers) {
        match answer {
            Ok(scored) => {
                for (number, (scores, time)) in scored {
                    if let Some(found) = documents.get_mut(start + number) {
                        found.scores = Some(scores);
                        if found.published_at.is_none() {
                            found.published_at = time;
                        }
                    }
                }
            }
            Err(failure) => notes.push(format!("step `{step}`: documents stay unscored: {failure}")),
        }
    }
    let unscored = documents.iter().filter(|found| found.scores.is_none()).count();
    if notes.is_empty() && unscored > 0 {
        notes.push(format!("step `{step}`: {unscored} of {} documents are unscored", documents.len()));
    }
    Ok(notes)
}

/// Scores and time of publication by the place of the document in its batch.
type Scored = BTreeMap<usize, (Scores, Option<String>)>;

impl Batch<'_> {
    /// What is asked.
    fn ask(&self) -> Ask {
        Ask::new(format!("evaluate/{}", self.at), "info_evaluator_doc").slot(Slot::InfoCollecting).small_tokens(160)
    }

    /// What the prompt is told.
    fn args(&self) -> Value {
        let shown: Vec<PromptDocument<'_>> = (1..)
            .zip(self.documents)
            .map(|(number, found)| PromptDocument {
                number,
                title: &found.title,
                url: &found.url,
                text: found.text.chars().take(self.excerpt).collect(),
            })
            .collect();
        json!({
            "language": self.request.language.as_str(),
            "today": self.request.today,
            "question": self.request.question(),
            "documents": shown,
        })
    }
}
