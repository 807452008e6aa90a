//! The calls of tools in an answer: their names and arguments as models and servers write them.

use serde_json::{Map, Value};

/// The most calls that are taken out of one text of arguments.
const MOST_GLUED: usize = 32;

/// How often JSON may be wrapped into a text of JSON.
const MOST_WRAPPED: usize = 3;

/// The arguments of each call that a text of arguments holds: JSON objects, or the raw text when they are none, which the
/// reader of the arguments refuses with the reason.
///
/// Some servers glue the arguments of calls of one tool together, some send an empty object or all of the arguments a second
/// time, some write the object as a text of JSON.
pub(super) fn arguments_of_calls(raw: &str) -> Vec<Value> {
    let text = unwrapped(raw);
    let text = text.trim();
    if text.is_empty() || text == "null" {
        return vec![Value::Object(Map::new())];
    }
    let values: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_str(text).into_iter().take(MOST_GLUED + 1).collect();
    let mut calls: Vec<Value> = match values {
        Ok(values) if values.len() <= MOST_GLUED && values.iter().all(Value::is_object) => values,
        _ => return vec![Value::String(text.to_owned())],
    };
    calls.dedup();
    if calls.len() > 1 {
        calls.retain(|call| call.as_object().is_some_and(|members| !members.is_empty()));
    }
    calls
}

/// Whether a text of arguments is whole: one JSON object.
pub(super) fn is_object(raw: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(raw).is_ok()
}

/// The text without the texts of JSON that it is wrapped in.
fn unwrapped(raw: &str) -> String {
    let mut text = raw.to_owned();
    for _ in 0..MOST_WRAPPED {
        match serde_json::from_str::<Value>(&text) {
            Ok(Value::String(inner)) => text = inner,
            _ => break,
        }
    }
    text
}

/// The arguments of a tool call as text, whether they come as text or as JSON.
pub(super) fn arguments_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(raw)) => raw.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_one_call_each() {
        let (a, b) = (json!({"text": "a"}), json!({"text": "b"}));
        for (raw, expected) in [
            (r#"{"text":"a"}"#, vec![a.clone()]),
            (r#"{"text":"a"}{"text":"b"}"#, vec![a.clone(), b.clone()]),
            ("{\"text\":\"a\"}\n {\"text\":\"b\"}", vec![a.clone(), b.clone()]),
            (r#"{}{"text":"a"}"#, vec![a.clone()]),
            (r#"{"text":"a"}{"text":"a"}"#, vec![a.clone()]),
            (r#""{\"text\":\"a\"}""#, vec![a.clone()]),
            (r#""{\"text\":\"a\"}{\"text\":\"b\"}""#, vec![a.clone(), b]),
            ("", vec![json!({})]),
            ("null", vec![json!({})]),
            ("{}", vec![json!({})]),
            (r#"{"text":"a"}{"text":"#, vec![json!(r#"{"text":"a"}{"text":"#)]),
            ("{broken", vec![json!("{broken")]),
            ("[1]", vec![json!("[1]")]),
        ] {
            assert_eq!(arguments_of_calls(raw), expected, "{raw}");
        }
    }
}
