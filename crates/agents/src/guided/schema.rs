//! The form of small answers.

use serde_json::{Value, json};

/// The schema of an object of exactly these properties, without room for white space.
///
/// ```
/// use graphloom_agents::guided::object_schema;
/// use serde_json::json;
///
/// let schema = object_schema(&json!({ "title": { "type": "string", "maxLength": 60 } }));
/// assert_eq!(schema["required"], json!(["title"]));
/// assert_eq!(schema["additionalProperties"], json!(false));
/// ```
#[must_use]
pub fn object_schema(properties: &Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|properties| properties.keys().cloned().collect()).unwrap_or_default();
    json!({
        "x-guidance": { "whitespace_flexible": false },
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
