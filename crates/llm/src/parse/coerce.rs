//! The changes of type that make a model's value fit its schema.
//!
//! A value is changed only where its schema does not allow its type:
//!
//! - `"true"` and `"false"` become booleans;
//! - text that is a number becomes a number where the schema asks for one, and a number becomes text where the schema
//!   asks for text;
//! - text becomes a list of its comma-separated parts where a list of texts is asked for; any other single value
//!   becomes a list of one; `null` becomes the empty list;
//! - text becomes the one allowed text that differs only in case and surrounding space;
//! - a `null` member that may be absent is dropped where the schema does not allow `null`.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::MAX_DEPTH;

/// One value that was changed to the type its schema asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coercion {
    /// The place of the value, as a JSON pointer.
    pub path: String,
    /// The kind of the change.
    pub kind: CoercionKind,
}

/// The kinds of coercion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CoercionKind {
    /// Text to boolean.
    TextToBoolean,
    /// Text to number.
    TextToNumber,
    /// Number to text.
    NumberToText,
    /// Comma-separated text to a list.
    TextToList,
    /// One value to a list of one.
    SingleToList,
    /// `null` to the empty list.
    NullToList,
    /// A `null` in place of an absent member.
    NullDropped,
    /// Text to an allowed text that differs in case or surrounding space.
    SpellingOfChoice,
}

/// Changes `value` where it does not fit `schema` and a listed change makes it fit.
pub fn coerce(value: &mut Value, schema: &Value) -> Vec<Coercion> {
    let mut changes = Vec::new();
    walk(value, schema, schema, &mut String::new(), 0, &mut changes);
    changes
}

/// The schema that a reference leads to within `root`; `schema` itself when it is no reference.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut current = schema;
    for _ in 0..32 {
        let Some(reference) = current.get("$ref").and_then(Value::as_str) else { return current };
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else {
            return current;
        };
        current = target;
    }
    current
}

fn walk(value: &mut Value, schema: &Value, root: &Value, path: &mut String, depth: usize, changes: &mut Vec<Coercion>) {
    if depth > MAX_DEPTH {
        return;
    }
    let schema = only_branch(resolve(schema, root), root, value);
    if let Some(kind) = adjust(value, schema, root) {
        changes.push(Coercion { path: path.clone(), kind });
    }
    let length = path.len();
    match value {
        Value::Object(members) => {
            drop_nulls(members, schema, root, path, changes);
            for (key, member) in members {
                let Some(inner) = schema.get("properties").and_then(|all| all.get(key)) else { continue };
                path.push('/');
                path.push_str(&key.replace('~', "~0").replace('/', "~1"));
                walk(member, inner, root, path, depth + 1, changes);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            let fixed = schema.get("prefixItems").and_then(Value::as_array);
            for (index, item) in items.iter_mut().enumerate() {
                let inner = fixed.and_then(|all| all.get(index)).or_else(|| schema.get("items"));
                let Some(inner) = inner else { continue };
                path.push('/');
                path.push_str(&index.to_string());
                walk(item, inner, root, path, depth + 1, changes);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// Drops members that are `null`, may be absent and may not be `null`. Strict providers write an absent member as
/// `null`.
fn drop_nulls(
    members: &mut serde_json::Map<String, Value>,
    schema: &Value,
    root: &Value,
    path: &str,
    changes: &mut Vec<Coercion>,
) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = schema.get("required").and_then(Value::as_array);
    let needed = |key: &str| required.is_some_and(|names| names.iter().any(|name| name == key));
    members.retain(|key, member| {
        let keep =
            !member.is_null() || needed(key) || properties.get(key).is_none_or(|inner| admits_null(inner, root, 0));
        if !keep {
            let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
            changes.push(Coercion { path, kind: CoercionKind::NullDropped });
        }
        keep
    });
}

fn admits_null(schema: &Value, root: &Value, depth: usize) -> bool {
    let schema = resolve(schema, root);
    if depth > MAX_DEPTH {
        return true;
    }
    if let Some(branches) = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(word)?.as_array()) {
        return branches.iter().any(|branch| admits_null(branch, root, depth + 1));
    }
    match (schema.get("type"), schema.get("enum"), schema.get("const")) {
        (_, Some(Value::Array(choices)), _) => choices.contains(&Value::Null),
        (_, _, Some(only)) => only.is_null(),
        (Some(_), ..) => allows(schema, "null"),
        _ => true,
    }
}

/// The one branch of a union that is not `null`, where there is just one such branch and the value is not `null`.
fn only_branch<'a>(schema: &'a Value, root: &'a Value, value: &Value) -> &'a Value {
    let Some(branches) = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(word)?.as_array()) else {
        return schema;
    };
    if value.is_null() {
        return schema;
    }
    let mut others =
        branches.iter().map(|branch| resolve(branch, root)).filter(|branch| branch.get("type") != Some(&"null".into()));
    match (others.next(), others.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

fn allows(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|each| each == name),
        _ => false,
    }
}

fn adjust(value: &mut Value, schema: &Value, root: &Value) -> Option<CoercionKind> {
    let (changed, kind) = match value {
        Value::String(text) => {
            if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
                (choice(text, choices)?, CoercionKind::SpellingOfChoice)
            } else if allows(schema, "string") || schema.get("type").is_none() {
                return None;
            } else if allows(schema, "boolean") {
                let flag = match text.trim().to_ascii_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return None,
                };
                (Value::Bool(flag), CoercionKind::TextToBoolean)
            } else if allows(schema, "integer") {
                (Value::from(text.trim().parse::<i64>().ok()?), CoercionKind::TextToNumber)
            } else if allows(schema, "number") {
                let number = Number::from_f64(text.trim().parse::<f64>().ok()?)?;
                (Value::Number(number), CoercionKind::TextToNumber)
            } else if allows(schema, "array") {
                list_of(text, schema, root)
            } else {
                return None;
            }
        }
        Value::Number(number)
            if allows(schema, "string") && !allows(schema, "number") && !allows(schema, "integer") =>
        {
            (Value::String(number.to_string()), CoercionKind::NumberToText)
        }
        Value::Null if allows(schema, "array") && !allows(schema, "null") => {
            (Value::Array(Vec::new()), CoercionKind::NullToList)
        }
        Value::Number(_) | Value::Bool(_) | Value::Object(_) if only_list(schema) => {
            (Value::Array(vec![value.take()]), CoercionKind::SingleToList)
        }
        _ => return None,
    };
    *value = changed;
    Some(kind)
}

fn only_list(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "array")
}

/// The parts of a text where the items are texts; else the text as the only item.
fn list_of(text: &str, schema: &Value, root: &Value) -> (Value, CoercionKind) {
    let texts = schema.get("items").is_some_and(|items| {
        let items = resolve(items, root);
        allows(items, "string") || allows(items, "integer")
    });
    if !texts {
        return (Value::Array(vec![Value::String(text.to_owned())]), CoercionKind::SingleToList);
    }
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let parts = inner.split(',').map(|part| part.trim().trim_matches(['"', '\'']).to_owned());
    (parts.filter(|part| !part.is_empty()).map(Value::String).collect(), CoercionKind::TextToList)
}

/// The one choice that differs from `text` only in case and surrounding space. `None` when `text` itself is a choice.
fn choice(text: &str, choices: &[Value]) -> Option<Value> {
    if choices.iter().any(|each| each == text) {
        return None;
    }
    let wanted = text.trim().to_lowercase();
    let mut same = choices.iter().filter(|each| each.as_str().is_some_and(|name| name.to_lowercase() == wanted));
    match (same.next(), same.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn listed_changes_are_made_and_no_others() {
        use CoercionKind::*;
        let text_list = json!({"type": "array", "items": {"type": "string"}});
        let cases = [
            (json!("true"), json!({"type": "boolean"}), json!(true), Some(TextToBoolean)),
            (json!("maybe"), json!({"type": "boolean"}), json!("maybe"), None),
            (json!("12"), json!({"type": "integer"}), json!(12), Some(TextToNumber)),
            (json!("1.5"), json!({"type": "number"}), json!(1.5), Some(TextToNumber)),
            (json!("x"), json!({"type": "number"}), json!("x"), None),
            (json!(3), json!({"type": "string"}), json!("3"), Some(NumberToText)),
            (json!(3), json!({"type": ["string", "integer"]}), json!(3), None),
            (json!("1, 2"), text_list.clone(), json!(["1", "2"]), Some(TextToList)),
            (json!("[\"1\", '2']"), text_list.clone(), json!(["1", "2"]), Some(TextToList)),
            (json!(""), text_list.clone(), json!([]), Some(TextToList)),
            (json!(null), text_list.clone(), json!([]), Some(NullToList)),
            (json!({"a": 1}), json!({"type": "array"}), json!([{"a": 1}]), Some(SingleToList)),
            (json!(" Write"), json!({"enum": ["write", "think"]}), json!("write"), Some(SpellingOfChoice)),
            (json!("a"), json!({"enum": ["A", "a"]}), json!("a"), None),
            (json!("other"), json!({"enum": ["a"]}), json!("other"), None),
            (json!(null), json!({"type": "string"}), json!(null), None),
            (json!("t"), json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!("t"), None),
            (json!("4"), json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!(4), Some(TextToNumber)),
        ];
        for (mut value, schema, expected, kind) in cases {
            let before = value.clone();
            let kinds: Vec<_> = coerce(&mut value, &schema).into_iter().map(|change| change.kind).collect();
            assert_eq!(value, expected, "{before} under {schema}");
            assert_eq!(kinds, kind.into_iter().collect::<Vec<_>>(), "{before} under {schema}");
        }
    }

    #[test]
    fn nested_places_are_named() {
        let schema = json!({
            "type": "object",
            "properties": {"tasks": {"type": "array", "items": {"$ref": "#/$defs/Task"}}},
            "$defs": {"Task": {"type": "object", "properties": {
                "id": {"type": "string"}, "dependency": {"type": "array", "items": {"type": "string"}}}}}
        });
        let mut value = json!({"tasks": [{"id": 1, "dependency": [0]}, {"id": "2", "dependency": "1"}]});
        let paths: Vec<_> = coerce(&mut value, &schema).into_iter().map(|change| change.path).collect();
        assert_eq!(paths, ["/tasks/0/id", "/tasks/0/dependency/0", "/tasks/1/dependency"]);
        assert_eq!(value, json!({"tasks": [{"id": "1", "dependency": ["0"]}, {"id": "2", "dependency": ["1"]}]}));
    }

    #[test]
    fn null_in_place_of_an_absent_member_goes() {
        let schema = json!({"type": "object", "required": ["need"], "properties": {
            "need": {"type": "string"}, "list": {"type": "array"}, "free": true,
            "maybe": {"type": ["string", "null"]}, "kind": {"enum": ["a"]}}});
        let mut value = json!({"need": null, "list": null, "free": null, "maybe": null, "kind": null, "other": null});
        let paths: Vec<_> = coerce(&mut value, &schema).into_iter().map(|change| change.path).collect();
        assert_eq!(paths, ["/list", "/kind"]);
        assert_eq!(value, json!({"need": null, "free": null, "maybe": null, "other": null}));
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"$ref": "#"});
        assert!(coerce(&mut json!({"a": 1}), &schema).is_empty());
    }
}
