//! Reading the arguments of a call tolerantly, and saying exactly what does not fit.

use graphloom_llm::parse::coerce::coerce;
use graphloom_llm::parse::json::{Shape, scan};
use graphloom_llm::parse::{Parsed, SchemaCheck, read_value};
use serde_json::{Map, Value};

use super::ToolError;
use crate::notes::{of_coercion, of_steps};
use crate::profile::quoted;

/// Arguments that fit, and what had to be tolerated.
pub(crate) struct Arguments {
    pub(crate) value: Value,
    pub(crate) notes: Vec<String>,
}

/// How the arguments of a tool are read.
pub(crate) struct Reader<'a> {
    pub(crate) tool: &'a str,
    pub(crate) schema: &'a Value,
    pub(crate) check: &'a SchemaCheck,
    pub(crate) aliases: &'a [(&'a str, &'a str)],
}

impl Reader<'_> {
    /// In order: text is read as JSON and repaired; arguments under another spelling get their name; values of another
    /// type are changed where that is safe; what then does not fit is an error.
    pub(crate) fn read(&self, raw: &Value) -> Result<Arguments, ToolError> {
        let mut notes = Vec::new();
        let mut value = match raw {
            Value::Null => Value::Object(Map::new()),
            Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
            Value::String(text) if is_glued(text) => {
                let fault = "several objects stand one after the other, as if they were the arguments of several calls, and \
                             not all of them can be read; make a call for each";
                return Err(self.fault(vec![fault.to_owned()]));
            }
            Value::String(text) => match read_value(text, None) {
                // JSON in a text of JSON.
                Ok(Parsed { value: Value::String(inner), .. }) if inner.len() < text.len() => {
                    return self.read(&Value::String(inner));
                }
                Ok(parsed) => {
                    notes.extend(of_steps(&parsed.steps));
                    parsed.value
                }
                Err(failure) => return Err(self.fault(failure.errors)),
            },
            other => other.clone(),
        };
        if let Value::Object(members) = &mut value {
            self.rename(members, &mut notes);
        }
        let mut faults = self.check.errors(&value);
        if !faults.is_empty() {
            let changes = coerce(&mut value, self.schema);
            notes.extend(changes.iter().map(of_coercion));
            faults = self.check.errors(&value);
        }
        if faults.is_empty() { Ok(Arguments { value, notes }) } else { Err(self.fault(faults)) }
    }

    /// Gives members that the schema does not know the name that they stand for, unless that one is there too.
    fn rename(&self, members: &mut Map<String, Value>, notes: &mut Vec<String>) {
        let Some(known) = self.schema.get("properties").and_then(Value::as_object) else { return };
        let strangers: Vec<String> = members.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
        for stranger in strangers {
            let plain = snake_case(&stranger);
            let alias = self.aliases.iter().find(|(other, _)| *other == stranger || *other == plain);
            let name = alias.map_or(plain.as_str(), |(_, name)| name);
            if known.contains_key(name)
                && !members.contains_key(name)
                && let Some(value) = members.shift_remove(&stranger)
            {
                members.insert(name.to_owned(), value);
                notes.push(format!("the argument `{stranger}` was read as `{name}`"));
            }
        }
    }

    fn fault(&self, faults: Vec<String>) -> ToolError {
        let faults = faults.into_iter().map(|fault| with_choices(fault, self.schema)).collect();
        ToolError::Arguments { tool: self.tool.to_owned(), faults, hint: hint(self.schema) }
    }
}

/// Whether a text begins with an object, right behind which another one begins.
fn is_glued(text: &str) -> bool {
    let text = text.trim();
    let first = scan(text, Shape::Object).complete.into_iter().next();
    first.is_some_and(|first| {
        first.start == 0 && text[first.end..].trim_start_matches([',', ';', ' ', '\n', '\r', '\t']).starts_with('{')
    })
}

/// A fault with all that may stand in its place, where there is a list of that: validators name only a few.
fn with_choices(fault: String, schema: &Value) -> String {
    let place = fault.strip_prefix("at `/").and_then(|rest| rest.split('`').next());
    let argument = place.and_then(|name| schema.get("properties")?.get(name));
    let branches = argument.and_then(|argument| argument.get("anyOf").or_else(|| argument.get("oneOf")));
    let branches = branches.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let choices: Vec<String> = argument
        .into_iter()
        .chain(branches)
        .filter_map(|schema| schema.get("enum")?.as_array())
        .flatten()
        .filter(|choice| !choice.is_null())
        .map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned))
        .collect();
    if choices.is_empty() { fault } else { format!("{fault} (it is one of {})", quoted(choices)) }
}

/// The arguments that a schema has, for a message.
pub(crate) fn hint(schema: &Value) -> String {
    let names = schema.get("properties").and_then(Value::as_object).map(Map::keys);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    match names {
        Some(names) if names.len() > 0 => {
            let must = if required.is_empty() { "none" } else { &quoted(&required) };
            format!("the arguments are {}, of which {must} must be there", quoted(names))
        }
        _ => "it takes no arguments".to_owned(),
    }
}

/// `filePath`, `File-Path` and `file path` become `file_path`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    for c in name.trim().chars() {
        if c.is_alphanumeric() {
            if c.is_uppercase() && lower_before {
                snake.push('_');
            }
            lower_before = !c.is_uppercase();
            snake.extend(c.to_lowercase());
        } else {
            lower_before = false;
            if !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(raw: &Value) -> Result<Arguments, ToolError> {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1},
                "field": {"enum": ["title", "tags", "text", "name", "date", null]},
                "max_results": {"type": "integer"}
            },
            "required": ["path"],
            "additionalProperties": false
        });
        let check = SchemaCheck::new(&schema).unwrap();
        Reader { tool: "find", schema: &schema, check: &check, aliases: &[("file", "path"), ("top_k", "max_results")] }
            .read(raw)
    }

    #[test]
    fn what_models_write_is_read_and_noted() {
        for (raw, expected, notes) in [
            (json!({"path": "a"}), json!({"path": "a"}), 0),
            (json!("{\"path\": \"a\"}"), json!({"path": "a"}), 0),
            (json!("{path: 'a', limit: 3,}"), json!({"path": "a", "limit": 3}), 1),
            (json!("```json\n{\"path\": \"a\"}\n```"), json!({"path": "a"}), 1),
            (json!({"file": "a"}), json!({"path": "a"}), 1),
            (json!({"Path": "a", "topK": 3}), json!({"path": "a", "max_results": 3}), 2),
            (json!({"path": "a", "limit": "3"}), json!({"path": "a", "limit": 3}), 1),
            (json!({"path": "a", "field": "Title"}), json!({"path": "a", "field": "title"}), 1),
            (json!({"path": "a", "limit": null}), json!({"path": "a"}), 1),
            (json!("\"{\\\"path\\\": \\\"a\\\"}\""), json!({"path": "a"}), 0),
        ] {
            let read = read(&raw).unwrap_or_else(|error| panic!("{raw}: {error}"));
            assert_eq!(read.value, expected, "{raw}");
            assert_eq!(read.notes.len(), notes, "{raw}: {:?}", read.notes);
        }
    }

    #[test]
    fn faults_name_their_place_and_what_there_is() {
        for (raw, parts) in [
            (json!({}), vec!["the top level", "`path` must be there"]),
            (json!(null), vec!["`path`"]),
            (json!({"path": "a", "limit": 0}), vec!["`/limit`", "minimum"]),
            (
                json!({"path": "a", "field": "body"}),
                vec!["`/field`", "it is one of `title`, `tags`, `text`, `name`, `date`"],
            ),
            (json!({"path": "a", "limt": 3}), vec!["limt", "`limit`"]),
            (json!({"path": "a", "file": "b"}), vec!["file"]),
            (json!([1]), vec!["object"]),
            (json!("{\"path\": \"a\"}{\"path\":"), vec!["several objects", "a call for each"]),
            (json!("{\"path\": \"a\"}, {\"path\": \"b\"}"), vec!["several objects"]),
            (json!("nothing here"), vec!["no JSON object"]),
        ] {
            let error = read(&raw).map(|_| ()).expect_err("does not fit").to_string();
            for part in parts {
                assert!(error.contains(part), "{raw}: {error}");
            }
        }
    }

    #[test]
    fn spellings_of_names() {
        for (name, expected) in
            [("filePath", "file_path"), ("File-Path", "file_path"), (" max results ", "max_results"), ("URL", "url")]
        {
            assert_eq!(snake_case(name), expected);
        }
    }
}
