//! Scores by a small model, of a few documents.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Batch, Scored, Sizes};
use crate::ask::{AskFailure, value};
use crate::evidence::Scores;
use crate::resources::Resources;

pub(super) const SIZES: Sizes = Sizes { batch: 3, excerpt: 260, most: 3 };

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

/// The scores of the documents of a batch that the model scores.
pub(super) async fn score(cx: &Context<Resources>, batch: &Batch<'_>) -> Result<Result<Scored, AskFailure>, NodeError> {
    let take = |answer: SmallModelScores| Ok(answer.documents.into_iter().map(few).enumerate().collect());
    value(cx, &batch.ask().tries(1), &batch.args(), take).await
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
