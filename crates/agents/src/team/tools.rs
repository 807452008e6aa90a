//! The tools by which agents of a team call each other.

use std::collections::BTreeMap;

use async_trait::async_trait;
use graphloom_llm::ToolSpec;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Risk, Tool, ToolError, ToolOutput};

/// The tool by which an agent hands its task on.
pub(super) const HAND_ON: &str = "hand_on";

/// Calls an agent. The graph makes it a task of the agent.
pub(super) struct CallAgent {
    spec: ToolSpec,
}

/// Hands a task on to another agent. Its success ends the agent that calls it.
pub(super) struct HandOn {
    spec: ToolSpec,
}

/// The arguments of [`HandOn`].
#[derive(Deserialize)]
pub(super) struct HandOnArguments {
    pub(super) to: String,
    pub(super) task: String,
}

impl CallAgent {
    pub(super) fn new(name: &str, description: &str) -> Self {
        let task = "What it is to do, with all that it must know: it reads nothing else.";
        let parameters = json!({
            "type": "object",
            "properties": {"task": {"type": "string", "minLength": 1, "description": task}},
            "required": ["task"],
            "additionalProperties": false
        });
        let description = format!("Another agent works on a task and answers. {description}");
        Self { spec: ToolSpec { name: name.to_owned(), description, parameters, strict: false } }
    }
}

impl HandOn {
    pub(super) fn new(names: &[String], descriptions: &BTreeMap<String, String>) -> Self {
        let known = |name: &String| {
            let description = descriptions.get(name).map(String::as_str).unwrap_or_default();
            format!("`{name}`: {description}")
        };
        let known: Vec<String> = names.iter().map(known).collect();
        let parameters = json!({
            "type": "object",
            "properties": {
                "to": {"enum": names, "description": known.join("; ")},
                "task": {"type": "string", "minLength": 1, "description": "What it is to do, with all that it must know."}
            },
            "required": ["to", "task"],
            "additionalProperties": false
        });
        let description = "Hands your task on to another agent, who answers in your place. You say nothing after it.";
        Self {
            spec: ToolSpec { name: HAND_ON.to_owned(), description: description.to_owned(), parameters, strict: false },
        }
    }
}

#[async_trait]
impl Tool for CallAgent {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The agent's own tools ask by themselves.
    fn risk(&self) -> Risk {
        Risk::Read
    }

    fn aliases(&self) -> &[(&str, &str)] {
        &[("message", "task"), ("request", "task"), ("input", "task"), ("prompt", "task"), ("query", "task")]
    }

    async fn call(&self, _arguments: Value) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed(format!("`{}` is an agent, which only the graph of its team calls", self.spec.name)))
    }
}

#[async_trait]
impl Tool for HandOn {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        Risk::Read
    }

    fn aliases(&self) -> &[(&str, &str)] {
        &[("agent", "to"), ("name", "to"), ("message", "task")]
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let to = arguments.get("to").and_then(Value::as_str).unwrap_or_default();
        Ok(ToolOutput::new(format!("the task is handed on to {to}")))
    }
}
