//! The actions that a model asks for.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::state::{ExecutionPlan, PlannedAction};

/// Actions as a model writes them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WrittenActions {
    /// The actions.
    pub actions: Vec<WrittenAction>,
    /// What the person is told.
    pub answer: Option<String>,
}

/// An action as a model writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WrittenAction {
    /// Its name.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// A JSON object, or one written in a string.
    pub arguments: Value,
    /// The actions before it.
    pub depends_on: Vec<String>,
    /// The subtask.
    pub subtask: String,
}

/// The schema of [`WrittenActions`] for these tools.
pub fn actions_schema(tools: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "actions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "tool": {"enum": tools},
                        "arguments": {"type": "string", "description": "the arguments as a JSON object"},
                        "depends_on": {"type": "array", "items": {"type": "string"}},
                        "subtask": {"type": "string"}
                    },
                    "required": ["tool", "arguments"],
                    "additionalProperties": false
                }
            },
            "answer": {"type": ["string", "null"]}
        },
        "required": ["actions"],
        "additionalProperties": false
    })
}

/// The plan of what a model wrote, with all of its actions, however many. Actions get ids of their own, unique in the run;
/// what no action is called is no dependency.
pub fn read_actions(written: WrittenActions, iteration: u32) -> ExecutionPlan {
    let id = |name: &str| format!("{iteration}.{}", name.trim());
    let mut actions: Vec<PlannedAction> = Vec::new();
    for (at, action) in written.actions.into_iter().enumerate() {
        let name = if action.id.trim().is_empty() { format!("a{}", at + 1) } else { action.id.clone() };
        let mut unique = id(&name);
        if actions.iter().any(|other| other.id == unique) {
            unique = id(&format!("{name}-{}", at + 1));
        }
        // The registry reads arguments in a string too; an object is easier to look at.
        let arguments = match &action.arguments {
            Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| action.arguments.clone()),
            other => other.clone(),
        };
        actions.push(PlannedAction {
            id: unique,
            tool: action.tool,
            arguments,
            depends_on: action.depends_on.iter().map(|other| id(other)).collect(),
            subtask: action.subtask,
        });
    }
    let names: BTreeSet<String> = actions.iter().map(|action| action.id.clone()).collect();
    for action in &mut actions {
        action.depends_on.retain(|id| names.contains(id) && *id != action.id);
    }
    let answer = written.answer.filter(|answer| !answer.trim().is_empty());
    ExecutionPlan { actions, answer, later: Vec::new() }
}
