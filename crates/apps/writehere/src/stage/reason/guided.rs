//! Thinking by a small model: a few notes of one sentence.

use graphloom_agents::Answer;
use graphloom_agents::guided::object_schema;
use serde::Deserialize;
use serde_json::json;

use super::super::ask::{agent, seeded, value};
use super::super::{Setup, StageError, TaskContext};
use crate::context::PromptArgs;

#[derive(Deserialize)]
struct Notes {
    notes: Vec<String>,
}

/// A list of notes.
pub(super) async fn reason(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
) -> Result<Answer<String>, StageError> {
    let schema = object_schema(&json!({
        "notes": {
            "type": "array",
            "items": { "type": "string", "minLength": 12, "maxLength": 140 },
            "minItems": 1,
            "maxItems": 3,
        },
    }));
    let agent = agent(setup, "execute", &args.task_type)?;
    let answer = value::<Notes>(&agent, args, seeded(setup, &context, "think"), "notes", schema).await?;
    let line = |note: &String| format!("- {}", note.trim());
    Ok(answer.map(|made| made.notes.iter().map(line).collect::<Vec<_>>().join("\n")))
}
