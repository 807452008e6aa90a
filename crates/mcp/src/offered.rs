//! A tool as its server lists it.

use rmcp::model::ToolAnnotations;
use serde_json::{Map, Value, json};

/// A tool, read as far as it can be read.
#[derive(Debug)]
pub(crate) struct Offered {
    /// What it says about itself.
    pub(crate) text: String,
    /// The schema of its arguments.
    pub(crate) input: Map<String, Value>,
    /// The schema of its answers.
    pub(crate) output: Option<Map<String, Value>>,
    pub(crate) annotations: Option<ToolAnnotations>,
    /// What is not as it should be and costs nothing, in words.
    pub(crate) odd: Vec<String>,
}

/// The name of a tool.
///
/// # Errors
/// Why it has none.
pub(crate) fn name(tool: &Value) -> Result<&str, String> {
    let Value::Object(members) = tool else { return Err(format!("it is {}, and no object", kind(tool))) };
    match members.get("name") {
        None | Some(Value::Null) => Err("it has no name".to_owned()),
        Some(Value::String(name)) if name.is_empty() => Err("its name is empty".to_owned()),
        Some(Value::String(name)) => Ok(name),
        Some(other) => Err(format!("its name is {}, and no text", kind(other))),
    }
}

/// Reads a tool.
///
/// # Errors
/// Why it cannot be offered.
pub(crate) fn offered(tool: &Value) -> Result<Offered, String> {
    let mut odd = Vec::new();
    let input = match (&tool["inputSchema"], &tool["input_schema"]) {
        (Value::Object(schema), _) => schema.clone(),
        (Value::Null, Value::Object(schema)) => {
            odd.push("its schema is called `input_schema`".to_owned());
            schema.clone()
        }
        (Value::Null, _) => {
            odd.push("it has no `inputSchema`, so it takes any object".to_owned());
            Map::from_iter([("type".to_owned(), json!("object"))])
        }
        (other, _) => return Err(format!("its `inputSchema` is {}, and no object", kind(other))),
    };
    let output = match &tool["outputSchema"] {
        Value::Null => None,
        Value::Object(schema) => Some(schema.clone()),
        other => {
            odd.push(format!("its answers are not checked: its `outputSchema` is {}, and no object", kind(other)));
            None
        }
    };
    let mut text = |name: &str| match &tool[name] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => {
            odd.push(format!("its {name} is {}, and no text", kind(other)));
            None
        }
    };
    let text = text("description").or_else(|| text("title")).unwrap_or_default();
    let annotations = annotations(&tool["annotations"], &mut odd);
    Ok(Offered { text, input, output, annotations, odd })
}

/// The hints of a tool that say how much it changes. One that is neither yes nor no says nothing.
fn annotations(said: &Value, odd: &mut Vec<String>) -> Option<ToolAnnotations> {
    let members = match said {
        Value::Null => return None,
        Value::Object(members) => members,
        other => {
            odd.push(format!("its annotations are {}, and no object", kind(other)));
            return None;
        }
    };
    let mut hint = |name: &str| match members.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::Bool(hint)) => Some(*hint),
        Some(other) => {
            odd.push(format!("its `{name}` is {}, and neither yes nor no", kind(other)));
            None
        }
    };
    let (read_only, destructive, open_world) = (hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint"));
    Some(ToolAnnotations::from_raw(None, read_only, destructive, None, open_world))
}

/// What a value is, in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a yes or no",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_text() {
        for (tool, expected) in [
            (json!({"name": "a"}), Ok("a")),
            (json!({}), Err("it has no name")),
            (json!({"name": null}), Err("it has no name")),
            (json!({"name": ""}), Err("its name is empty")),
            (json!({"name": ["a"]}), Err("its name is a list, and no text")),
            (json!("a"), Err("it is a text, and no object")),
        ] {
            assert_eq!(name(&tool), expected.map_err(str::to_owned), "{tool}");
        }
    }

    #[test]
    fn what_is_not_as_it_should_be_costs_itself_alone() {
        let schema = json!({"type": "object", "properties": {"n": {}}});
        for (tool, odd) in [
            (json!({"inputSchema": schema, "outputSchema": null, "annotations": null, "icons": 3}), vec![]),
            (json!({"input_schema": schema}), vec!["its schema is called `input_schema`"]),
            (
                json!({"inputSchema": schema, "description": 3, "outputSchema": [], "annotations": "safe"}),
                vec![
                    "its answers are not checked: its `outputSchema` is a list, and no object",
                    "its description is a number, and no text",
                    "its annotations are a text, and no object",
                ],
            ),
            (
                json!({"inputSchema": schema, "annotations": {"readOnlyHint": "true", "title": 4}}),
                vec!["its `readOnlyHint` is a text, and neither yes nor no"],
            ),
        ] {
            let read = offered(&tool).unwrap();
            assert_eq!(
                (Value::Object(read.input), read.odd),
                (schema.clone(), odd.into_iter().map(str::to_owned).collect())
            );
            assert!(read.annotations.is_none_or(|hints| hints.read_only_hint.is_none()), "{tool}");
        }
        for tool in [json!({}), json!({"inputSchema": null})] {
            let read = offered(&tool).unwrap();
            assert_eq!(Value::Object(read.input), json!({"type": "object"}));
            assert_eq!(read.odd, ["it has no `inputSchema`, so it takes any object"]);
        }
        for schema in [json!([]), json!("{}"), json!(true), json!(7)] {
            let error = offered(&json!({"inputSchema": schema})).unwrap_err();
            assert!(error.ends_with("and no object"), "{error}");
        }
    }
}
