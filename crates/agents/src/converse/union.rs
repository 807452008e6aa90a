//! The schema of a turn for models without tool calls: a call, or the answer.

use graphloom_llm::{StructuredSupport, ToolSpec};
use serde_json::{Map, Value, json};

/// `{"answer": …}` alone.
pub(super) fn answer_only() -> Value {
    json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": false
    })
}

/// `{"tool": …, "arguments": …}` of one of the tools, or `{"answer": …}`.
///
/// A model whose replies are made by the schema is given each tool's own arguments. From another one any object is
/// taken: the registry says better what is wrong with it than a union of schemas can.
pub(super) fn tools_or_answer(tools: &[ToolSpec], support: StructuredSupport) -> Value {
    match support {
        StructuredSupport::Constrained | StructuredSupport::JsonSchema => exact(tools),
        _ => json!({
            "type": "object",
            "properties": {
                "tool": {"type": "string"},
                "arguments": {"type": "object"},
                "answer": {"type": "string"}
            },
            "anyOf": [{"required": ["tool"]}, {"required": ["answer"]}],
            "additionalProperties": false
        }),
    }
}

fn exact(tools: &[ToolSpec]) -> Value {
    let mut definitions = Map::new();
    let mut branches: Vec<Value> = Vec::with_capacity(tools.len() + 1);
    for tool in tools {
        let mut arguments = tool.parameters.clone();
        if has_reference(&arguments) {
            move_references(&mut arguments, &tool.name);
            definitions.insert(tool.name.clone(), arguments);
            arguments = json!({ "$ref": format!("#/$defs/{}", tool.name) });
        }
        branches.push(json!({
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": arguments},
            "required": ["tool", "arguments"],
            "additionalProperties": false
        }));
    }
    branches.push(answer_only());
    let mut schema = Map::new();
    schema.insert("anyOf".to_owned(), Value::Array(branches));
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Value::Object(schema)
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(has_reference),
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

/// Makes references from the root of a tool's schema lead to where that schema stands in the union.
fn move_references(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(target) if key == "$ref" => {
                        if let Some(rest) = target.strip_prefix('#') {
                            *target = format!("#/$defs/{name}{rest}");
                        }
                    }
                    other => move_references(other, name),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                move_references(item, name);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use graphloom_llm::parse::SchemaCheck;

    use super::*;

    fn tools() -> Vec<ToolSpec> {
        let tool = |name: &str, parameters: Value| ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters,
            strict: false,
        };
        vec![
            tool("read", json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})),
            tool(
                "tree",
                json!({
                    "type": "object",
                    "properties": {"root": {"$ref": "#/$defs/Node"}},
                    "$defs": {"Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}},
                                       "additionalProperties": false}}
                }),
            ),
        ]
    }

    #[test]
    fn a_call_must_fit_its_own_tool_and_references_still_lead_somewhere() {
        let check = SchemaCheck::new(&tools_or_answer(&tools(), StructuredSupport::Constrained)).unwrap();
        for (turn, fits) in [
            (json!({"tool": "read", "arguments": {"path": "a"}}), true),
            (json!({"tool": "read", "arguments": {}}), false),
            (json!({"tool": "write", "arguments": {"path": "a"}}), false),
            (json!({"tool": "tree", "arguments": {"root": {"child": {"child": {}}}}}), true),
            (json!({"tool": "tree", "arguments": {"root": {"child": {"other": {}}}}}), false),
            (json!({"answer": "done"}), true),
            (json!({"tool": "read"}), false),
            (json!({}), false),
        ] {
            assert_eq!(check.errors(&turn).is_empty(), fits, "{turn}");
        }
    }

    #[test]
    fn without_a_grammar_any_arguments_are_taken() {
        let check = SchemaCheck::new(&tools_or_answer(&tools(), StructuredSupport::Prompted)).unwrap();
        for (turn, fits) in [
            (json!({"tool": "write", "arguments": {"x": 1}}), true),
            (json!({"tool": "read"}), true),
            (json!({"answer": "done"}), true),
            (json!({"arguments": {}}), false),
        ] {
            assert_eq!(check.errors(&turn).is_empty(), fits, "{turn}");
        }
    }
}
