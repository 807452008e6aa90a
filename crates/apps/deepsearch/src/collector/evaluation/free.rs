//! Scores with the number of each document, and when it was published.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Batch, Scored, Sizes};
use crate::ask::{AskFailure, value};
use crate::evidence::Scores;
use crate::resources::Resources;

/// Tries of a batch.
const TRIES: u32 = 3;
pub(super) const SIZES: Sizes = Sizes { batch: 8, excerpt: 2000, most: usize::MAX };
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

/// The scores of every document of a batch.
pub(super) async fn score(cx: &Context<Resources>, batch: &Batch<'_>) -> Result<Result<Scored, AskFailure>, NodeError> {
    let ask = batch.ask().tries(TRIES);
    let check = |answer: Evaluations| {
        let mut scored = Scored::new();
        for one in answer.documents {
            let place = usize::try_from(one.content).ok().and_then(|number| number.checked_sub(1));
            let Some(place) = place.filter(|place| *place < batch.documents.len()) else {
                return Err(format!("there is no document {}; they are 1 to {}", one.content, batch.documents.len()));
            };
            scored.insert(place, (scores(&one.scores), time(&one.doc_time)));
        }
        if scored.len() < batch.documents.len() {
            let missing =
                (0..batch.documents.len()).filter(|place| !scored.contains_key(place)).map(|at| (at + 1).to_string());
            return Err(format!("scores are missing for documents {}", missing.collect::<Vec<_>>().join(", ")));
        }
        Ok(scored)
    };
    value(cx, &ask, &batch.args(), check).await
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
