//! Schemas and descriptions that every provider takes.

use graphloom_text::is_visible;
use serde_json::{Map, Value};

use crate::names::fitted;

/// The largest schema of a tool, in bytes.
const SCHEMA: usize = 64 * 1024;
/// The longest description of a tool, in characters.
const DESCRIPTION: usize = 4_096;
/// Words of a schema that say nothing about the arguments, and that some providers refuse.
const NOISE: [&str; 3] = ["$schema", "$id", "$comment"];

/// The schema of a tool's arguments as the model sees it.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) schema: Value,
    /// Arguments that got another name, as (name that the model sees, name that the server knows).
    pub(crate) renamed: Vec<(String, String)>,
    /// What was changed, in words.
    pub(crate) changes: Vec<String>,
}

/// Makes a schema fit: an object with `properties`, without what says nothing, with names of arguments that are made of
/// letters, digits, `_`, `.` and `-`.
///
/// # Errors
/// Why it cannot be made fit.
pub(crate) fn fit(original: &Map<String, Value>) -> Result<Fitted, String> {
    let bytes = Value::Object(original.clone()).to_string().len();
    if bytes > SCHEMA {
        return Err(format!("its schema has {bytes} bytes; at most {SCHEMA} are taken"));
    }
    let mut schema = plain(original);
    let mut changes = Vec::new();
    match schema.get("type") {
        None | Some(Value::Null) => {
            schema.insert("type".to_owned(), "object".into());
        }
        Some(Value::String(kind)) if kind == "object" => {}
        Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "object") => {
            schema.insert("type".to_owned(), "object".into());
        }
        Some(other) => return Err(format!("its arguments are of the type {other}, and must be an object")),
    }
    if schema.get("required").is_some_and(|required| !required.is_array()) {
        schema.shift_remove("required");
        changes.push("the `required` of its schema is no list and was left out".to_owned());
    }
    widen(&mut schema, &mut changes);
    let mut renamed = Vec::new();
    match schema.shift_remove("properties") {
        None | Some(Value::Null) => {
            schema.insert("properties".to_owned(), Value::Object(Map::new()));
        }
        // Some languages write an empty object so.
        Some(Value::Array(none)) if none.is_empty() => {
            schema.insert("properties".to_owned(), Value::Object(Map::new()));
        }
        Some(Value::Object(properties)) => {
            let mut fit = Map::new();
            for (name, property) in &properties {
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
                let mut chosen = name.clone();
                if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
                    chosen = fitted(name);
                    while fit.contains_key(&chosen) || properties.contains_key(&chosen) {
                        let before = chosen.clone();
                        chosen.truncate(62);
                        chosen.push('_');
                        if fit.contains_key(&chosen) || chosen == before {
                            return Err("two of its arguments have names that cannot be told apart".to_owned());
                        }
                    }
                    changes.push(format!("the argument `{name}` is called `{chosen}`"));
                    renamed.push((chosen.clone(), name.clone()));
                }
                fit.insert(chosen, property.clone());
            }
            schema.insert("properties".to_owned(), Value::Object(fit));
        }
        Some(_) => return Err("the `properties` of its schema are no object".to_owned()),
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        for item in required {
            if let Some((name, _)) = renamed.iter().find(|(_, original)| item.as_str() == Some(original)) {
                *item = name.as_str().into();
            }
        }
    }
    let mut schema = Value::Object(schema);
    if reveal(&mut schema) {
        changes.push("descriptions of its arguments held characters that nobody sees, which were taken out".to_owned());
    }
    Ok(Fitted { schema, renamed, changes })
}

/// Takes out of the top of a schema what providers refuse there; the server checks it itself. Arguments that only a branch
/// names stay.
fn widen(schema: &mut Map<String, Value>, changes: &mut Vec<String>) {
    for word in ["oneOf", "anyOf", "allOf", "not", "enum"] {
        let Some(removed) = schema.shift_remove(word) else { continue };
        changes.push(format!("`{word}` at the top of its schema was left out"));
        let branches = match removed {
            Value::Array(branches) if word.ends_with("Of") => branches,
            _ => Vec::new(),
        };
        for branch in branches {
            let Some(members) = branch.get("properties").and_then(Value::as_object).cloned() else { continue };
            let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(properties) = properties {
                for (name, property) in members {
                    properties.entry(name).or_insert(property);
                }
            }
        }
    }
}

/// Takes characters that nobody sees out of the descriptions of a schema; says whether there were any.
fn reveal(schema: &mut Value) -> bool {
    let mut changed = false;
    match schema {
        Value::Object(members) => {
            for (word, member) in members.iter_mut() {
                match member {
                    Value::String(text) if word == "description" || word == "title" => {
                        if !text.chars().all(is_visible) {
                            text.retain(is_visible);
                            changed = true;
                        }
                    }
                    other => changed |= reveal(other),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                changed |= reveal(item);
            }
        }
        _ => {}
    }
    changed
}

/// A schema without what says nothing about values.
pub(crate) fn plain(schema: &Map<String, Value>) -> Map<String, Value> {
    let said = |(name, _): &(&String, &Value)| !NOISE.contains(&name.as_str());
    schema.iter().filter(said).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Gives renamed arguments the names that the server knows.
pub(crate) fn original(arguments: Map<String, Value>, renamed: &[(String, String)]) -> Map<String, Value> {
    let known = |name: String| match renamed.iter().find(|(fit, _)| *fit == name) {
        Some((_, original)) => original.clone(),
        None => name,
    };
    arguments.into_iter().map(|(name, value)| (known(name), value)).collect()
}

/// A text of a server without characters that nobody sees: controls, directions of writing and tags can hide words from a
/// person that the model reads. Says whether it was changed.
pub(crate) fn described(text: &str) -> (String, bool) {
    let mut plain: String = text.chars().filter(|c| is_visible(*c)).collect();
    if let Some((cut, _)) = plain.char_indices().nth(DESCRIPTION) {
        plain.truncate(cut);
        plain.push('…');
    }
    let changed = plain != text;
    (plain, changed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fitted_schema(schema: Value) -> Result<Fitted, String> {
        let Value::Object(members) = schema else { panic!("an object") };
        fit(&members)
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_an_error_and_not_a_loop() {
        let x = "x".repeat(61);
        let properties = json!({format!("{x} y"): {}, format!("{x}_y"): {}, format!("{x}__"): {}});
        let error = fitted_schema(json!({"type": "object", "properties": properties})).unwrap_err();
        assert!(error.contains("cannot be told apart"), "{error}");
    }

    #[test]
    fn what_providers_refuse_at_the_top_is_left_out_and_its_arguments_stay() {
        let fitted = fitted_schema(json!({
            "type": "object", "properties": {"a": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"properties": {"b": {"anyOf": [{"type": "null"}]}}}]
        }))
        .unwrap();
        let expected = json!({"a": {"type": "string"}, "b": {"anyOf": [{"type": "null"}]}});
        assert_eq!((fitted.schema.get("anyOf"), &fitted.schema["properties"]), (None, &expected));
        assert_eq!(fitted.changes, ["`anyOf` at the top of its schema was left out"]);
    }

    #[test]
    fn nobody_hides_words_in_descriptions_of_arguments() {
        let hidden = "Query.\u{e0049}\u{202e}";
        let fitted = fitted_schema(json!({"properties": {"q": {"items": [{"description": hidden}]}}})).unwrap();
        assert_eq!(fitted.schema["properties"]["q"]["items"][0]["description"], "Query.");
        assert_eq!(fitted.changes.len(), 1);
    }

    #[test]
    fn a_schema_becomes_an_object_and_odd_names_get_plain_ones() {
        let fit = fitted_schema(json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"file name": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["file name"]
        }));
        let fit = fit.unwrap();
        assert_eq!(
            fit.schema,
            json!({
                "required": ["file_name"],
                "type": "object",
                "properties": {"file_name": {"type": "string"}, "n": {"type": "integer"}}
            })
        );
        assert_eq!(fit.changes.len(), 1);
        let Value::Object(arguments) = json!({"file_name": "a", "n": 1}) else { unreachable!() };
        assert_eq!(Value::Object(original(arguments, &fit.renamed)), json!({"file name": "a", "n": 1}));
        assert_eq!(fitted_schema(json!({})).unwrap().schema, json!({"type": "object", "properties": {}}));
    }

    #[test]
    fn a_schema_of_no_arguments_has_many_forms() {
        for schema in [
            json!({"type": null, "properties": null}),
            json!({"type": ["object", "null"], "properties": []}),
            json!({"type": "object", "required": null}),
        ] {
            let fitted = fitted_schema(schema.clone()).unwrap();
            assert_eq!(fitted.schema, json!({"type": "object", "properties": {}}), "{schema}");
        }
    }

    #[test]
    fn a_schema_that_cannot_be_used_says_why() {
        let large = json!({"description": "x".repeat(70_000)});
        for (schema, part) in [
            (json!({"type": "array"}), "must be an object"),
            (json!({"properties": 3}), "are no object"),
            (large, "at most 65536"),
        ] {
            assert!(fitted_schema(schema).unwrap_err().contains(part), "{part}");
        }
    }

    #[test]
    fn hidden_characters_are_taken_out_of_descriptions() {
        assert_eq!(described("Adds.\nTwo\tnumbers é 数"), ("Adds.\nTwo\tnumbers é 数".to_owned(), false));
        assert_eq!(described("Adds\u{e0041}\u{e0042}\u{202e}\u{1b}[31m\u{200b}."), ("Adds[31m.".to_owned(), true));
        assert_eq!(described(&"x".repeat(9_000)).0.chars().count(), DESCRIPTION + 1);
    }
}
