//! A judgement of all statements at once, in view of the changes.

use graphloom_agents::{Agent, AgentError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::analyze::merge;
use super::super::visit::Visit;
use super::Judged;
use crate::analyze::{asks_for_change, claims_change};
use crate::ask::value;
use crate::overlay_tools::diff_of;
use crate::state::{ExecutedAction, Finding};
use crate::view::vault_args;

/// How many characters of the changes a judge sees.
const SHOWN: usize = 4_000;

/// A judgement as a model writes it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Judgement {
    statements: Vec<Statement>,
    complete: bool,
    confidence: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Statement {
    holds: bool,
    evidence: String,
}

/// Judges the statements at their places in the evidence, and how sure the whole is.
pub(super) async fn judge(
    visit: &Visit,
    agent: &Agent<'_>,
    questions: &[(usize, String)],
    evidence: &mut [Finding],
    judged: &mut Judged,
) -> Result<(), AgentError> {
    let state = &visit.state;
    let actions: Vec<String> = state.executed_actions.iter().map(ExecutedAction::line).collect();
    let diff: String = diff_of(visit.resources(), &state.changes).to_string().chars().take(SHOWN).collect();
    let mut args = json!({
        "request": state.session.original_request,
        "actions": actions.join("\n"),
        "diff": diff,
        "answer": state.answer,
        "questions": questions.iter().map(|(_, question)| question).collect::<Vec<_>>(),
    });
    merge(&mut args, vault_args(state));
    let answer = value::<Judgement>(&visit.setup, agent, &args, "judgement", schema(questions.len())).await?;
    judged.exchanges.push(answer.exchange);
    judged.complete = answer.value.complete;
    judged.stated = Some(answer.value.confidence);
    for ((at, _), statement) in questions.iter().zip(&answer.value.statements) {
        evidence[*at].holds = statement.holds;
        evidence[*at].evidence = format!("judged: {}", statement.evidence);
    }
    // A judge may believe what the answer claims; the notes say otherwise.
    let request = &state.session.original_request;
    if state.changes.is_empty() && asks_for_change(request) && claims_change(&state.answer) {
        judged.complete = false;
        judged.stated = Some(0.0);
        for (at, _) in questions {
            evidence[*at].holds = false;
            evidence[*at].evidence = "the answer says that something was changed, and no note would be".to_owned();
        }
    }
    Ok(())
}

fn schema(count: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "statements": {
                "type": "array",
                "minItems": count,
                "maxItems": count,
                "items": {
                    "type": "object",
                    "properties": {"holds": {"type": "boolean"}, "evidence": {"type": "string"}},
                    "required": ["holds", "evidence"],
                    "additionalProperties": false
                }
            },
            "complete": {"type": "boolean"},
            "confidence": {"type": "number"}
        },
        "required": ["statements", "complete", "confidence"],
        "additionalProperties": false
    })
}
