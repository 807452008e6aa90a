//! Adding a schema to a request, in the way that the model supports.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::StructuredOptions;
use crate::{ChatRequest, Message, Part, ResponseFormat, Role, StructuredSupport};

/// The JSON Schema (draft 2020-12) of `T`.
pub fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// A name that providers allow for a schema: the letters, digits, `_` and `-` of a type's name, at most 64.
pub(super) fn safe_name(name: &str) -> String {
    let allowed: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .take(64)
        .collect();
    if allowed.is_empty() { "answer".to_owned() } else { allowed }
}

pub(super) fn prepare(
    mut request: ChatRequest,
    schema: &Value,
    name: &str,
    support: StructuredSupport,
    options: &StructuredOptions,
) -> ChatRequest {
    match support {
        StructuredSupport::Constrained | StructuredSupport::JsonSchema => {
            request.format = ResponseFormat::JsonSchema { name: name.to_owned(), schema: schema.clone() };
        }
        StructuredSupport::JsonObject => {
            request.format = ResponseFormat::JsonObject;
            instruct(&mut request, &options.instruction.replace("{schema}", &schema.to_string()));
        }
        StructuredSupport::Prompted => {
            request.format = ResponseFormat::Text;
            instruct(&mut request, &options.instruction.replace("{schema}", &schema.to_string()));
        }
    }
    request
}

/// The request with the schema written into its prompt in the default wording.
pub(crate) fn prepare_prompted(request: &ChatRequest, schema: &Value) -> ChatRequest {
    let mut request = request.clone();
    instruct(&mut request, &StructuredOptions::default().instruction.replace("{schema}", &schema.to_string()));
    request
}

/// Writes `text` under the last user message, or as a new user message when the conversation does not end with one.
fn instruct(request: &mut ChatRequest, text: &str) {
    match request.messages.last_mut() {
        Some(message) if message.role == Role::User => {
            message.parts.push(Part::Text { text: format!("\n\n{text}") });
        }
        _ => request.messages.push(Message::user(text)),
    }
}

/// The start of the schema, at most `limit` characters.
pub(super) fn excerpt(schema: &Value, limit: usize) -> String {
    if limit == 0 {
        return String::new();
    }
    let text = schema.to_string();
    match text.char_indices().nth(limit) {
        Some((cut, _)) => format!("The schema begins: {}…", &text[..cut]),
        None => format!("The schema: {text}"),
    }
}
