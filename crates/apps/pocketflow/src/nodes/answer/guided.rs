//! A short answer of a small model.

use graphloom_core_graph::{Context, NodeError};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Asked;
use crate::resources::Resources;
use crate::small::{SmallQuestions, clip, quotable};

/// Sentences of what is shown that the model answers from.
const SENTENCES: usize = 3;

#[derive(Serialize, Deserialize)]
struct Answered {
    text: String,
}

/// Answers in one sentence, from the sentences of what is shown that fit the question best.
pub(super) async fn answer(
    cx: &Context<Resources>,
    round: usize,
    Asked { topic, shown, question }: Asked<'_>,
    notes: &mut Vec<String>,
) -> Result<String, NodeError> {
    let small = SmallQuestions::new(cx, "answer", round);
    let from = quotable(question, shown, SENTENCES);
    let args = json!({ "topic": clip(topic), "from": from, "question": clip(question) });
    let properties = json!({ "text": { "type": "string", "minLength": 20, "maxLength": 160 } });
    let check = |answered: &Answered| match answered.text.trim().is_empty() {
        true => Err("it is empty".to_owned()),
        false => Ok(()),
    };
    let asked = small.value("short", "short", &args, &properties, check).await?;
    match asked {
        Ok(answered) => {
            notes.push("a small model answered; what it says may be wrong".to_owned());
            Ok(answered.text)
        }
        Err(problem) => Err(NodeError::terminal(format!("the model gave no answer: {problem}"))),
    }
}
