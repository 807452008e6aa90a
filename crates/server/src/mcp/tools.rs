//! Which tools there are, and what they take and give.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::graph::{Graph, Outline};
use crate::mcp::answer::{self, ANSWER};
use crate::records::{Assistant, system_assistant_id};

/// The longest name of a tool that all clients take.
const NAME: usize = 64;

/// An assistant as a tool.
pub(super) struct AssistantTool {
    name: String,
    pub(super) assistant: Assistant,
    pub(super) graph: Arc<dyn Graph>,
}

/// The assistants as tools, those of the graphs first.
pub(super) struct Tools(Vec<AssistantTool>);

impl Tools {
    /// The tools of assistants, given with the oldest first. Those whose graph is not served are left out.
    pub(super) fn new<'g>(assistants: Vec<Assistant>, graph: impl Fn(&str) -> Option<&'g Arc<dyn Graph>>) -> Self {
        let (system, own): (Vec<_>, Vec<_>) = assistants
            .into_iter()
            .partition(|assistant| assistant.assistant_id == system_assistant_id(&assistant.graph_id));
        let mut taken = BTreeSet::from([ANSWER.to_owned()]);
        let mut tools = Vec::new();
        for assistant in system.into_iter().chain(own) {
            let Some(graph) = graph(&assistant.graph_id) else { continue };
            let name = free_name(&assistant.name, assistant.assistant_id, &taken);
            taken.insert(name.clone());
            tools.push(AssistantTool { name, assistant, graph: Arc::clone(graph) });
        }
        Self(tools)
    }

    /// The tool of a name.
    pub(super) fn find(self, name: &str) -> Option<AssistantTool> {
        self.0.into_iter().find(|one| one.name == name)
    }

    /// All tools, with the one that answers.
    pub(super) fn all(self) -> Vec<Tool> {
        self.0.into_iter().map(AssistantTool::tool).chain([answer::tool()]).collect()
    }
}

/// A name out of letters, digits, `_` and `-`, of at most 64 characters.
fn normalised(name: &str) -> String {
    let mut normal = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
            normal.push(c);
        } else if !normal.ends_with('_') {
            normal.push('_');
        }
    }
    normal.truncate(NAME);
    let trimmed = normal.trim_matches('_');
    if trimmed.is_empty() { "assistant".to_owned() } else { trimmed.to_owned() }
}

/// The name of an assistant's tool: where an older assistant has it, with the beginning of the assistant's id, or all of it.
fn free_name(name: &str, assistant: Uuid, taken: &BTreeSet<String>) -> String {
    let plain = normalised(name);
    let id = assistant.simple().to_string();
    let with = |suffix: &str| {
        let mut name = plain.clone();
        name.truncate(NAME - suffix.len() - 1);
        format!("{name}_{suffix}")
    };
    // A random id does not begin with its time, as those of version 7 do.
    [plain.clone(), with(&id[24..])].into_iter().find(|name| !taken.contains(name)).unwrap_or_else(|| with(&id))
}

impl AssistantTool {
    /// What clients are told of it.
    fn tool(self) -> Tool {
        let Self { name, assistant, graph } = self;
        let outline = graph.outline();
        let description = assistant.description.filter(|text| !text.is_empty());
        let description = description.or_else(|| outline.description.clone()).unwrap_or_else(|| described(outline));
        let mut tool = Tool::new(Cow::Owned(name), Cow::Owned(description), input_schema(outline));
        tool.title = Some(assistant.name);
        tool.output_schema = Some(Arc::new(output_schema(outline)));
        tool
    }
}

/// What can be said of a graph that its author did not describe.
fn described(outline: &Outline) -> String {
    let nodes: Vec<_> = outline.nodes().map(|node| format!("`{node}`")).collect();
    format!("Runs the graph `{}`, with the nodes {}, and gives its state.", outline.name, nodes.join(", "))
}

/// An object of the graph's fields. None must be given, and none is there before a node has written it.
fn input_schema(outline: &Outline) -> JsonObject {
    as_object(outline.input_schema())
}

/// What a run gives has more fields, the more of its nodes have run.
fn output_schema(outline: &Outline) -> JsonObject {
    let mut schema = as_object(outline.state_schema.clone());
    schema.shift_remove("required");
    schema.shift_remove("additionalProperties");
    schema
}

/// The schema of an object, as tools have it.
fn as_object(schema: Value) -> JsonObject {
    let Value::Object(mut schema) = schema else { return JsonObject::new() };
    schema.shift_remove("$schema");
    schema.insert("type".to_owned(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_all_clients_take() {
        let cases = [
            ("pipeline", "pipeline"),
            ("My report (v2)", "My_report_v2"),
            ("tool-1_a", "tool-1_a"),
            ("  ", "assistant"),
            ("Überblick", "berblick"),
            ("报告", "assistant"),
        ];
        for (name, expected) in cases {
            assert_eq!(normalised(name), expected);
        }
        assert_eq!(normalised(&"x".repeat(200)), "x".repeat(64));
    }

    #[test]
    fn a_name_that_is_taken_gets_the_id_of_its_assistant() {
        let id = Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let mut taken = BTreeSet::from(["answer".to_owned()]);
        for expected in ["report", "report_89abcdef", "report_0123456789abcdef0123456789abcdef"] {
            let name = free_name("report", id, &taken);
            assert_eq!(name, expected);
            taken.insert(name);
        }
        assert_eq!(free_name("answer", id, &taken), "answer_89abcdef");
        let long = "x".repeat(70);
        taken.insert("x".repeat(64));
        assert_eq!(free_name(&long, id, &taken), format!("{}_89abcdef", "x".repeat(55)));
    }
}
