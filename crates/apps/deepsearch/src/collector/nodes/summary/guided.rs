//! A summary of quotations: a small model invents, the sentences themselves are the better summary.

use graphloom_retrieval::extract::{best_sentences, clean};

use crate::collector::{CollectRequest, CollectorState, CollectorStateUpdate};
use crate::evidence::Document;

/// Sentences of a summary that no model wrote.
const SENTENCES: usize = 4;

/// A summary of sentences that fit the step.
pub(super) fn extracted(request: &CollectRequest, found: &[&Document]) -> CollectorStateUpdate {
    let question = request.question();
    let of = |found: &&Document| {
        let best = best_sentences(&question, &found.text, SENTENCES);
        best.into_iter().map(|sentence| (sentence.score, clean(&found.text[sentence.range]))).collect::<Vec<_>>()
    };
    let mut best: Vec<(f32, String)> = found.iter().flat_map(of).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    let sentences: Vec<String> = best.into_iter().take(SENTENCES).map(|(_, sentence)| sentence).collect();
    let evaluation = format!("{} documents were found.", found.len());
    CollectorState::update().info_summary(sentences.join(" ")).evaluation(evaluation)
}
