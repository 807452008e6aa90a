//! Bounds for schemas that have none, so that a small model cannot write a string, a number, a list or members of its own
//! invention without end.

use serde_json::{Map, Value};

/// The most characters of a string whose schema sets no limit.
const STRING: u64 = 400;

/// The most items of an array whose schema sets no limit.
const ITEMS: u64 = 8;

/// The largest whole number, and the smallest without its sign, of a schema that sets no limits: all up to it are exact as JSON
/// (RFC 8259, section 6).
const INTEGER: i64 = (1 << 53) - 1;

/// Keywords whose value is one schema.
const ONE: [&str; 3] = ["items", "additionalProperties", "additionalItems"];

/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["prefixItems", "anyOf", "oneOf", "allOf"];

/// Keywords whose value is a map to schemas.
const MAP: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];

/// The schema with limits for strings, whole numbers and arrays that have none, and without members that it does not name in
/// objects that it describes. Every answer of it is an answer of `schema`.
pub(crate) fn bounded(schema: &Value) -> Value {
    limited(schema, !is_composed(schema))
}

/// Whether several schemas may speak of the members of one object, so that none of them can be closed.
fn is_composed(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let described = members.get("properties").is_some_and(Value::is_object);
            members.keys().any(|keyword| match keyword.as_str() {
                "allOf" | "unevaluatedProperties" | "if" | "dependentSchemas" => true,
                "anyOf" | "oneOf" | "$ref" => described,
                _ => false,
            }) || members.values().any(is_composed)
        }
        Value::Array(items) => items.iter().any(is_composed),
        _ => false,
    }
}

/// The schema with limits; `close` says that objects get no members but those it names.
fn limited(schema: &Value, close: bool) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut schema: Map<String, Value> = schema.clone();
    for (keyword, value) in &mut schema {
        let keyword = keyword.as_str();
        match value {
            Value::Object(_) if ONE.contains(&keyword) => *value = limited(value, close),
            Value::Array(list) if LIST.contains(&keyword) => {
                list.iter_mut().for_each(|item| *item = limited(item, close));
            }
            Value::Object(map) if MAP.contains(&keyword) => {
                map.values_mut().for_each(|item| *item = limited(item, close));
            }
            _ => {}
        }
    }
    let fixed = ["enum", "const", "$ref"].iter().any(|keyword| schema.contains_key(*keyword));
    if fixed {
        return Value::Object(schema);
    }
    let least = |keyword: &str| schema.get(keyword).and_then(Value::as_u64).unwrap_or(0);
    let (string, items) = (STRING.max(least("minLength")), ITEMS.max(least("minItems")));
    let free = ["pattern", "format", "maxLength"].iter().all(|keyword| !schema.contains_key(*keyword));
    if is(&schema, "string") && free {
        schema.insert("maxLength".to_owned(), string.into());
    }
    if is(&schema, "array") && !schema.contains_key("maxItems") {
        let fixed = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len) as u64;
        schema.insert("maxItems".to_owned(), items.max(fixed).into());
    }
    let limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
    if is(&schema, "integer") && !is(&schema, "number") && !limits.iter().any(|keyword| schema.contains_key(*keyword)) {
        schema.insert("minimum".to_owned(), (-INTEGER).into());
        schema.insert("maximum".to_owned(), INTEGER.into());
    }
    if close && is_described_whole(&schema) {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    Value::Object(schema)
}

/// Whether an object is described and needs no member but those that are named: closed, it still has answers.
fn is_described_whole(schema: &Map<String, Value>) -> bool {
    const OPEN: [&str; 4] = ["additionalProperties", "patternProperties", "minProperties", "dependentRequired"];
    let Some(Value::Object(named)) = schema.get("properties") else { return false };
    let mut required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    !named.is_empty()
        && !OPEN.iter().any(|keyword| schema.contains_key(*keyword))
        && required.all(|name| name.as_str().is_some_and(|name| named.contains_key(name)))
}

/// Whether the schema's type is, or may be, `name`.
fn is(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_are_added_where_there_are_none() {
        let cases = [
            (json!({"type": "string"}), json!({"type": "string", "maxLength": 400})),
            (json!({"type": ["string", "null"]}), json!({"type": ["string", "null"], "maxLength": 400})),
            (
                json!({"type": "string", "minLength": 900}),
                json!({"type": "string", "minLength": 900, "maxLength": 900}),
            ),
            (json!({"type": "array", "minItems": 20}), json!({"type": "array", "minItems": 20, "maxItems": 20})),
            (
                json!({"type": "object", "properties": {"maxItems": {"type": "array", "items": {"type": "string"}}}}),
                json!({"type": "object", "additionalProperties": false, "properties": {
                    "maxItems": {"type": "array", "items": {"type": "string", "maxLength": 400}, "maxItems": 8}
                }}),
            ),
            (
                json!({"type": ["integer", "null"]}),
                json!({"type": ["integer", "null"], "minimum": -9_007_199_254_740_991_i64, "maximum": 9_007_199_254_740_991_i64}),
            ),
            (
                json!({"$defs": {"a": {"type": "string"}}, "anyOf": [{"type": "string"}, {"$ref": "#/$defs/a"}]}),
                json!({"$defs": {"a": {"type": "string", "maxLength": 400}},
                       "anyOf": [{"type": "string", "maxLength": 400}, {"$ref": "#/$defs/a"}]}),
            ),
        ];
        for (schema, wanted) in cases {
            assert_eq!(bounded(&schema), wanted);
        }
    }

    #[test]
    fn what_is_bounded_or_not_a_schema_stays() {
        for schema in [
            json!({"type": "string", "maxLength": 5}),
            json!({"type": "string", "pattern": "^a$"}),
            json!({"type": "string", "enum": ["a"]}),
            json!({"const": {"type": "string"}}),
            json!({"enum": [{"type": "array"}]}),
            json!({"type": "object", "default": {"type": "string"}}),
            json!({"type": "integer", "minimum": 0}),
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "null"}}),
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "patternProperties": {"b": {"type": "null"}}}),
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["b"]}),
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "minProperties": 2}),
            json!({"allOf": [{"properties": {"a": {"type": "null"}}}, {"properties": {"b": {"type": "null"}}}]}),
            json!({"properties": {"a": {"type": "null"}}, "oneOf": [{"properties": {"b": {"const": 1}}}]}),
            json!({"type": "array", "prefixItems": [{"type": "null"}], "maxItems": 1, "items": false}),
            json!(true),
        ] {
            assert_eq!(bounded(&schema), schema);
        }
    }
}
