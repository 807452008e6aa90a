//! Values that are read and never written.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// A key or password. It is written as an empty text, wherever it is written: to states, events, logs and recordings.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// A secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the request that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Secret(none)" } else { "Secret(…)" })
    }
}

/// Whether a key of a free table names a secret.
pub(super) fn is_secret(key: &str) -> bool {
    let key = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    ["api_key", "apikey", "token", "password", "secret", "authorization", "x-auth-token"]
        .iter()
        .any(|word| key.contains(word))
}

/// Empties the secrets of a free table.
pub(super) fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                if is_secret(key) {
                    *field = Value::String(String::new());
                } else {
                    forget(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

/// Finds the secrets of a free table, with the names of their keys.
pub(super) fn collect(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let name = format!("{name}.{key}");
                match field {
                    Value::String(text) if is_secret(key) => found.push((name, text.clone())),
                    _ => collect(&name, field, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_never_written() {
        let secret: Secret = serde_json::from_value(json!("sk-123")).unwrap();
        assert_eq!(secret.reveal(), "sk-123");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"\"");
        assert!(!format!("{secret:?}").contains("sk-"));
    }

    #[test]
    fn free_tables_lose_their_secrets() {
        let mut table = json!({ "a": 1, "vector_store": { "token": "t", "uri": "u" }, "list": [{ "api_key": "k" }] });
        let mut found = Vec::new();
        collect("extension", &table, &mut found);
        let named = |name: &str, secret: &str| (name.to_owned(), secret.to_owned());
        assert_eq!(found, [named("extension.vector_store.token", "t"), named("extension.list.api_key", "k")]);
        forget(&mut table);
        assert_eq!(table, json!({ "a": 1, "vector_store": { "token": "", "uri": "u" }, "list": [{ "api_key": "" }] }));
    }
}
