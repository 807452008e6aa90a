//! Questions for a small model that answers inside a grammar.

use graphloom_citations::Question;
use serde_json::json;

use super::{Form, judgements};

/// The most bytes of a passage that are shown.
const PASSAGE: usize = 600;

/// The questions with the beginnings of passages, and a grammar that fixes the number of answers. The doubts of the
/// rules are left out, because a small model takes a doubt for an answer.
pub(super) fn form(questions: &[Question]) -> Form {
    let pair = |question: &Question| {
        let cut = question.passage.floor_char_boundary(PASSAGE.min(question.passage.len()));
        let passage = &question.passage[..cut];
        json!({ "claim": question.claim, "passage": passage, "title": question.title, "doubts": [] })
    };
    let count = questions.len();
    let schema = judgements(&json!({
        "type": "array",
        "items": { "type": "string", "enum": ["entails", "contradicts", "neither"] },
        "minItems": count,
        "maxItems": count,
    }));
    Form { pairs: questions.iter().map(pair).collect(), schema }
}
