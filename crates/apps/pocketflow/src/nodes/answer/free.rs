//! An answer in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Asked;
use crate::resources::Resources;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Answered {
    answer: String,
}

/// What the model says in one call.
pub(super) async fn answer(
    cx: &Context<Resources>,
    Asked { topic, shown, question }: Asked<'_>,
) -> Result<String, NodeError> {
    let args = json!({ "topic": topic, "shown": shown, "question": question });
    let answered = cx.resources().ask::<Answered>(cx, "answer", "answer", &args).await?;
    Ok(answered.answer)
}
