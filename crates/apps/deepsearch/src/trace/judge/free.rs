//! Questions for a model with free output: whole passages, with the doubts of the rules.

use graphloom_citations::{Fault, FaultKind, Question};
use serde_json::{Value, json};

use super::{Form, judgements};

/// The questions with whole passages and the doubts of the rules. The schema does not fix the number of answers; the
/// caller counts the answers.
pub(super) fn form(questions: &[Question]) -> Form {
    let pair = |question: &Question| {
        let doubts: Vec<_> = question.doubts.iter().map(look).collect();
        json!({
            "claim": question.claim, "passage": question.passage, "title": question.title, "doubts": doubts,
        })
    };
    let schema = judgements(&json!({
        "type": "array",
        "items": { "type": "string", "enum": ["entails", "contradicts", "neither"] },
    }));
    Form { pairs: questions.iter().map(pair).collect(), schema }
}

/// A doubt of a rule, for the template: its kind, and the words of the statement.
fn look(doubt: &Fault) -> Value {
    let kind = match doubt.kind {
        FaultKind::Number | FaultKind::Unit | FaultKind::Date => "amount",
        FaultKind::Name => "name",
        FaultKind::Negation => "denied",
        FaultKind::Frame => "frame",
        _ => "word",
    };
    json!({ "kind": kind, "words": doubt.claimed })
}
