//! Scores of documents: relevance, answerability, authority and data density, 0 to 10 each, and when they were
//! published (`info_evaluator_doc` of openJiuwen DeepSearch). A score of 0 is a score; a document without one stays unscored.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::CollectRequest;
use crate::ask::{Ask, is_constrained, value};
use crate::evidence::{Document, Scores};
use crate::resources::{Resources, Slot, Stage};

/// Tries of a batch.
const TRIES: u32 = 5;
/// Documents in one call.
const BATCH: usize = 8;
/// The most documents of a round that a small model scores, the best of each query first.
const MOST_SMALL: usize = 3;
/// How much of a document is shown, in characters, to a strong model and to a small one.
const EXCERPT: usize = 2000;
const SHORT_EXCERPT: usize = 260;
/// The longest time of publication that is believed.
const MOST_TIME: usize = 40;

/// The scores of the documents that were shown.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Evaluations {
    /// One entry for each document.
    documents: Vec<Evaluation>,
}

/// The scores of one document.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Evaluation {
    /// The number of the document.
    content: i64,
    /// When it was published, as the document says; empty when it does not.
    #[serde(default)]
    doc_time: String,
    /// The scores.
    scores: DocumentScores,
}

/// Scores from 0 to 10.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Given")]
struct DocumentScores {
    /// How much it has to do with the question.
    relevance: i64,
    /// How far it answers the question.
    answerability: i64,
    /// How much its source can be trusted.
    authority: i64,
    /// How many figures and facts it holds.
    data_density: i64,
}

/// Scores by a small model, in the order of the documents.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Few")]
struct SmallModelScores {
    #[schemars(length(min = 1, max = 3))]
    documents: Vec<FewScores>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
struct FewScores {
    #[schemars(range(min = 0, max = 10))]
    relevance: u8,
    #[schemars(range(min = 0, max = 10))]
    answerability: u8,
    #[schemars(range(min = 0, max = 10))]
    authority: u8,
    #[schemars(range(min = 0, max = 10))]
    data_density: u8,
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
    let small = is_constrained(resources, Slot::InfoCollecting);
    let (size, most) = if small { (MOST_SMALL, MOST_SMALL) } else { (BATCH, usize::MAX) };
    let shown = documents.len().min(most);
    let batches: Vec<&[Document]> = documents[..shown].chunks(size).collect();
    let work = batches.iter().enumerate().map(|(at, batch)| score(cx, request, at, batch, small));
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

async fn score(
    cx: &Context<Resources>,
    request: &CollectRequest,
    at: usize,
    batch: &[Document],
    small: bool,
) -> Result<Result<Scored, crate::ask::AskFailure>, NodeError> {
    let excerpt = if small { SHORT_EXCERPT } else { EXCERPT };
    let shown: Vec<PromptDocument<'_>> = (1..)
        .zip(batch)
        .map(|(number, found)| PromptDocument {
            number,
            title: &found.title,
            url: &found.url,
            text: found.text.chars().take(excerpt).collect(),
        })
        .collect();
    let args = json!({
        "language": request.language.as_str(),
        "today": request.today,
        "question": request.question(),
        "documents": shown,
    });
    let ask = Ask::new(format!("evaluate/{at}"), "info_evaluator_doc")
        .slot(Slot::InfoCollecting)
        .tries(if small { 1 } else { TRIES })
        .small_tokens(160);
    if small {
        let take = |answer: SmallModelScores| Ok(answer.documents.into_iter().map(few).enumerate().collect());
        return value(cx, &ask, &args, take).await;
    }
    let check = |answer: Evaluations| {
        let mut scored = Scored::new();
        for one in answer.documents {
            let place = usize::try_from(one.content).ok().and_then(|number| number.checked_sub(1));
            let Some(place) = place.filter(|place| *place < batch.len()) else {
                return Err(format!("there is no document {}; they are 1 to {}", one.content, batch.len()));
            };
            scored.insert(place, (scores(&one.scores), time(&one.doc_time)));
        }
        if scored.len() < batch.len() {
            let missing = (0..batch.len()).filter(|place| !scored.contains_key(place)).map(|at| (at + 1).to_string());
            return Err(format!("scores are missing for documents {}", missing.collect::<Vec<_>>().join(", ")));
        }
        Ok(scored)
    };
    value(cx, &ask, &args, check).await
}

fn few(given: FewScores) -> (Scores, Option<String>) {
    let FewScores { relevance, answerability, authority, data_density } = given;
    let most = |score: u8| score.min(10);
    let scores = Scores {
        relevance: most(relevance),
        answerability: most(answerability),
        authority: most(authority),
        data_density: most(data_density),
    };
    (scores, None)
}

/// Scores outside the scale become its nearest end.
fn scores(given: &DocumentScores) -> Scores {
    let within = |score: i64| u8::try_from(score.clamp(0, 10)).unwrap_or_default();
    Scores {
        relevance: within(given.relevance),
        answerability: within(given.answerability),
        authority: within(given.authority),
        data_density: within(given.data_density),
    }
}

fn time(given: &str) -> Option<String> {
    let given = given.split_whitespace().collect::<Vec<_>>().join(" ");
    let says_something = given.chars().any(|c| c.is_ascii_digit()) && given.chars().count() <= MOST_TIME;
    says_something.then_some(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_stay_on_the_scale_and_zero_is_a_score() {
        let given = DocumentScores { relevance: 0, answerability: -3, authority: 12, data_density: 7 };
        let expected = Scores { relevance: 0, answerability: 0, authority: 10, data_density: 7 };
        assert_eq!(scores(&given), expected);
    }

    #[test]
    fn only_times_are_times() {
        assert_eq!(time(" 2024-05 "), Some("2024-05".to_owned()));
        assert_eq!(time("unknown"), None);
        assert_eq!(time(""), None);
        assert_eq!(time(&"1".repeat(99)), None);
    }
}
