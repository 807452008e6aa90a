//! Questions of a small model, inside a grammar.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AGENT;
use crate::ask::{Ask, AskFailure, value};
use crate::resources::Resources;
use crate::stream::{self, Place};

/// Three questions about a request.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Questions {
    #[schemars(length(min = 3, max = 3))]
    questions: Vec<Question>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Question {
    #[schemars(length(min = 8, max = 160))]
    text: String,
}

/// The questions under their numbers, streamed when they are there.
pub(super) async fn questions(
    cx: &Context<Resources>,
    ask: Ask,
    args: &Value,
) -> Result<Result<String, AskFailure>, NodeError> {
    let made = value(cx, &ask, args, |answer: Questions| {
        let lines: Vec<String> = (1..)
            .zip(&answer.questions)
            .map(|(number, question)| format!("{number}. {}", question.text.trim()))
            .collect();
        Ok(lines.join("\n"))
    });
    let made = made.await?;
    if let Ok(questions) = &made {
        stream::emit_whole(cx, AGENT, Place::default(), questions).await;
    }
    Ok(made)
}
