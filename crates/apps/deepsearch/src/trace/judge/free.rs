//! Questions with all that the rules say of them.

use graphloom_citations::{Fault, FaultKind, Question};
use serde_json::{Value, json};

use super::{Form, judgements};

/// Whole passages, and the doubts of the rules. Answers are counted when they are there.
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

/// What a rule wants looked at, for the template: the kind of doubt, and the words of the statement.
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
