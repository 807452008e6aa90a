//! Which parameters hold secrets.

use serde_json::Value;

use super::dotted;

/// What the names of secrets end in.
const ENDINGS: [&str; 10] = [
    "api_key",
    "apikey",
    "access_key",
    "secret_key",
    "private_key",
    "password",
    "passwd",
    "secret",
    "token",
    "authorization",
];

/// The parameter, `key` itself or one inside it, that `value` gives a secret.
pub(super) fn named_in(key: &str, value: &Value) -> Option<String> {
    let name = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase().replace('-', "_");
    if ENDINGS.iter().any(|ending| name.ends_with(ending)) && holds_text(value) {
        return Some(key.to_owned());
    }
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| named_in(&dotted(key, name), value)),
        Value::Array(items) => items.iter().find_map(|value| named_in(key, value)),
        _ => None,
    }
}

/// Whether there is something in it that could be a secret: nothing, yes and no are none.
fn holds_text(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(holds_text),
        Value::Object(fields) => fields.values().any(holds_text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_told_from_other_parameters() {
        for (key, value, expected) in [
            ("llm_config.general.api_key", json!("sk"), Some("llm_config.general.api_key")),
            ("llm_config.general", json!({ "api_key": "sk" }), Some("llm_config.general.api_key")),
            ("extension", json!([{ "headers": { "X-Auth-Token": 7 } }]), Some("extension.headers.X-Auth-Token")),
            ("auth.TOKEN", json!(["a"]), Some("auth.TOKEN")),
            ("llm_config.general.api_key", json!(""), None),
            ("llm_config.general.hyper_parameters.max_tokens", json!(300), None),
            ("secret", json!(true), None),
            ("literature.contact", json!("me@example.org"), None),
        ] {
            assert_eq!(named_in(key, &value).as_deref(), expected, "{key}");
        }
    }
}
