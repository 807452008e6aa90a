//! Action `execute` of a think task.

use graphloom_state_machine::TaskAction;
use serde::Deserialize;
use serde_json::json;

use super::ask::{agent, seeded, text, tolerated, value};
use super::{Outcome, Setup, StageError, TaskContext};
use crate::cite::cited_ids;
use crate::task::ActionResult;

const AGENT: &str = "execute/think";

#[derive(Deserialize)]
struct Notes {
    notes: Vec<String>,
}

/// Thinks: one call.
pub(super) async fn reason(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let args = context.args(setup)?;
    let agent = agent(setup, "execute", &args.task_type)?;
    let ask = seeded(setup, &context, "think");
    let answer = if agent.is_constrained() {
        let schema = json!({
            "x-guidance": { "whitespace_flexible": false },
            "type": "object",
            "properties": {
                "notes": {
                    "type": "array",
                    "items": { "type": "string", "minLength": 12, "maxLength": 140 },
                    "minItems": 1,
                    "maxItems": 3,
                },
            },
            "required": ["notes"],
            "additionalProperties": false,
        });
        let mut answer = value::<Notes>(&agent, &args, ask, "notes", schema).await?;
        let lines: Vec<String> = answer.value.notes.drain(..).map(|note| format!("- {}", note.trim())).collect();
        (lines.join("\n"), answer.exchange)
    } else {
        let answer = text(&agent, &args, ask).await?;
        (answer.value, answer.exchange)
    };
    let mut result = ActionResult::new(AGENT, answer.0);
    result.evidence = cited_ids(&result.text);
    let mut outcome = context.result(TaskAction::Execute, result);
    outcome.notes.extend(tolerated(context.key, &answer.1));
    outcome.exchanges.push(answer.1);
    outcome.notes.extend(args.cuts.iter().map(|cut| format!("task `{}`: {cut}", context.key)));
    Ok(outcome)
}
