//! A JSON Schema in the strict dialect of a provider.
//!
//! No object takes other properties, references have no siblings. With OpenAI every property is required, and optional
//! properties become nullable. Rules that a dialect lacks are written into descriptions. Values are checked against the
//! original schema later.

use serde_json::{Map, Value, json};

/// Keywords that the dialect ignores or refuses.
const DROPPED: [&str; 6] = ["default", "$schema", "$id", "examples", "$comment", "uniqueItems"];

/// What a provider's dialect of JSON Schema lacks.
#[derive(Debug)]
pub(super) struct SchemaDialect {
    /// Keywords that move into the description.
    described: &'static [&'static str],
    /// Whether every property must be required.
    all_required: bool,
}

/// OpenAI's strict dialect.
pub(super) const OPENAI: SchemaDialect =
    SchemaDialect { described: &["minLength", "maxLength", "minProperties", "maxProperties"], all_required: true };

/// Anthropic's dialect.
pub(super) const ANTHROPIC: SchemaDialect = SchemaDialect {
    described: &[
        "minLength",
        "maxLength",
        "pattern",
        "minProperties",
        "maxProperties",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ],
    all_required: false,
};

/// Formats that the dialect knows.
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// The most levels of references and of nested schemas.
const MAX_DEPTH: usize = 64;

/// The strict form of `schema`. `None` when the dialect cannot express the schema, such as an object with free keys.
/// The caller then sends `schema` unchanged and not strict.
pub(super) fn convert(schema: &Value, dialect: &SchemaDialect) -> Option<Value> {
    let mut trail = Vec::new();
    let result = converted(schema, schema, dialect, &mut trail, 0)?;
    (result.get("type").is_some_and(|name| name == "object")).then_some(result)
}

fn converted(
    schema: &Value,
    root: &Value,
    dialect: &SchemaDialect,
    trail: &mut Vec<String>,
    depth: usize,
) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let Value::Object(members) = schema else {
        // The dialect cannot express `true`, which allows anything.
        return None;
    };
    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
        let siblings = members.keys().any(|key| key != "$ref" && !DROPPED.contains(&key.as_str()) && key != "$defs");
        let at_root = depth == 0;
        if (!siblings && !at_root) || trail.iter().any(|seen| seen == reference) {
            return Some(json!({"$ref": reference}));
        }
        let target = root.pointer(reference.strip_prefix('#')?)?;
        let mut merged = target.as_object()?.clone();
        merged
            .extend(members.iter().filter(|(key, _)| *key != "$ref").map(|(key, value)| (key.clone(), value.clone())));
        trail.push(reference.to_owned());
        let merged = converted(&Value::Object(merged), root, dialect, trail, depth + 1);
        trail.pop();
        return merged;
    }
    if ["not", "if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas", "prefixItems"]
        .iter()
        .any(|word| members.contains_key(*word))
    {
        return None;
    }
    if let Some(all) = members.get("allOf").and_then(Value::as_array) {
        let [only] = all.as_slice() else { return None };
        let mut merged = only.as_object()?.clone();
        merged
            .extend(members.iter().filter(|(key, _)| *key != "allOf").map(|(key, value)| (key.clone(), value.clone())));
        return converted(&Value::Object(merged), root, dialect, trail, depth + 1);
    }
    let is_object = members.get("type").is_some_and(|name| name == "object" || has(name, "object"));
    let mut out = Map::new();
    let mut remarks = Vec::new();
    for (key, value) in members {
        match key.as_str() {
            word if DROPPED.contains(&word) => {}
            word if dialect.described.contains(&word) => remarks.push(format!("{word}: {value}")),
            "format" => {
                if value.as_str().is_some_and(|name| FORMATS.contains(&name)) {
                    out.insert(key.clone(), value.clone());
                }
            }
            "properties" | "required" | "additionalProperties" => {}
            "$defs" | "definitions" => {
                let mut definitions = Map::new();
                for (name, inner) in value.as_object()? {
                    definitions.insert(name.clone(), converted(inner, root, dialect, trail, depth + 1)?);
                }
                out.insert(key.clone(), Value::Object(definitions));
            }
            "anyOf" | "oneOf" => {
                let branches: Option<Vec<Value>> =
                    value.as_array()?.iter().map(|branch| converted(branch, root, dialect, trail, depth + 1)).collect();
                out.insert("anyOf".to_owned(), Value::Array(branches?));
            }
            "items" => {
                out.insert(key.clone(), converted(value, root, dialect, trail, depth + 1)?);
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    if is_object {
        if !matches!(members.get("additionalProperties"), None | Some(Value::Bool(_))) {
            return None;
        }
        let properties = members.get("properties").and_then(Value::as_object);
        if properties.is_none_or(Map::is_empty) && members.get("additionalProperties") != Some(&Value::Bool(false)) {
            // The dialect cannot express an object with free keys.
            return None;
        }
        let required: Vec<&str> = members
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut members = Map::new();
        for (name, inner) in properties.into_iter().flatten() {
            let inner = converted(inner, root, dialect, trail, depth + 1)?;
            let is_optional = dialect.all_required && !required.contains(&name.as_str());
            members.insert(name.clone(), if is_optional { nullable(inner) } else { inner });
        }
        let names: Vec<Value> = members
            .keys()
            .filter(|name| dialect.all_required || required.contains(&name.as_str()))
            .cloned()
            .map(Value::String)
            .collect();
        out.insert("properties".to_owned(), Value::Object(members));
        out.insert("required".to_owned(), Value::Array(names));
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if !remarks.is_empty() {
        let description = out.get("description").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{description} ({})", remarks.join(", ")).trim().to_owned();
        out.insert("description".to_owned(), Value::String(text));
    }
    if !["type", "anyOf", "enum", "const"].iter().any(|word| out.contains_key(*word)) {
        return None;
    }
    Some(Value::Object(out))
}

fn has(names: &Value, wanted: &str) -> bool {
    names.as_array().is_some_and(|all| all.iter().any(|name| name == wanted))
}

/// The schema, extended by `null`.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    let plain = !["anyOf", "enum", "const", "$ref"].iter().any(|word| members.contains_key(*word));
    match members.get("type").cloned() {
        Some(Value::String(name)) if plain => {
            if name != "null" {
                members.insert("type".to_owned(), json!([name, "null"]));
            }
            Value::Object(members)
        }
        Some(Value::Array(mut names)) if plain => {
            if !names.iter().any(|name| name == "null") {
                names.push(json!("null"));
            }
            members.insert("type".to_owned(), Value::Array(names));
            Value::Object(members)
        }
        _ => {
            if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
                if !branches.iter().any(|branch| branch == &json!({"type": "null"})) {
                    branches.push(json!({"type": "null"}));
                }
                return Value::Object(members);
            }
            json!({"anyOf": [Value::Object(members), {"type": "null"}]})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_become_strict() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Plan", "type": "object", "required": ["tasks"],
            "properties": {
                "tasks": {"type": "array", "items": {"$ref": "#/$defs/Task"}, "minItems": 1},
                "note": {"type": "string", "default": "", "minLength": 3, "description": "A note."},
                "kind": {"description": "Which.", "$ref": "#/$defs/Kind"},
                "size": {"type": "integer", "format": "uint32", "minimum": 0}
            },
            "$defs": {
                "Task": {"type": "object", "required": ["id"], "properties": {
                    "id": {"type": "string"}, "inner": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Task"}}}},
                "Kind": {"oneOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}]}
            }
        });
        let expected = json!({
            "title": "Plan", "type": "object", "additionalProperties": false,
            "required": ["kind", "note", "size", "tasks"],
            "properties": {
                "tasks": {"type": "array", "items": {"$ref": "#/$defs/Task"}, "minItems": 1},
                "note": {"type": ["string", "null"], "description": "A note. (minLength: 3)"},
                "kind": {"description": "Which.", "anyOf": [
                    {"type": "string", "const": "a"}, {"type": "string", "const": "b"}, {"type": "null"}]},
                "size": {"type": ["integer", "null"], "minimum": 0}
            },
            "$defs": {
                "Task": {"type": "object", "additionalProperties": false, "required": ["id", "inner"], "properties": {
                    "id": {"type": "string"}, "inner": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Task"}}}},
                "Kind": {"anyOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}]}
            }
        });
        let mut strict = convert(&schema, &OPENAI).unwrap();
        if let Some(names) = strict["required"].as_array_mut() {
            names.sort_by_key(Value::to_string);
        }
        assert_eq!(strict, expected);
    }

    #[test]
    fn anthropic_keeps_what_is_optional_and_tells_bounds_in_words() {
        let schema = json!({
            "type": "object", "required": ["n"], "$schema": "x",
            "properties": {
                "n": {"type": "integer", "minimum": 1, "maximum": 10, "description": "A number."},
                "tags": {"type": "array", "items": {"type": "string", "pattern": "^a"}, "maxItems": 3},
                "kind": {"oneOf": [{"const": "a"}, {"const": "b"}]}
            }
        });
        let expected = json!({
            "type": "object", "required": ["n"], "additionalProperties": false,
            "properties": {
                "n": {"type": "integer", "description": "A number. (minimum: 1, maximum: 10)"},
                "tags": {"type": "array", "description": "(maxItems: 3)",
                    "items": {"type": "string", "description": "(pattern: \"^a\")"}},
                "kind": {"anyOf": [{"const": "a"}, {"const": "b"}]}
            }
        });
        assert_eq!(convert(&schema, &ANTHROPIC).unwrap(), expected);
    }

    #[test]
    fn what_the_dialect_cannot_say_is_left() {
        for schema in [
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "properties": {"any": true}}),
            json!({"type": "object"}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "object", "properties": {"a": {"not": {"type": "string"}}}}),
            json!({"$ref": "#/$defs/none"}),
            json!({"$ref": "#"}),
        ] {
            assert_eq!(convert(&schema, &OPENAI), None, "{schema}");
        }
    }

    #[test]
    fn a_reference_at_the_root_is_resolved() {
        let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}}}});
        let strict = convert(&schema, &OPENAI).unwrap();
        assert_eq!(strict["type"], "object");
        assert_eq!(strict["properties"]["x"], json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}));
        assert_eq!(strict["$defs"]["A"]["additionalProperties"], false);
    }
}
