//! What a server says of itself at its start, as the library reads it.

use rmcp::model::{InitializeResult, ProtocolVersion};
use serde_json::{Map, Value, json};

/// The answer to `initialize`, without what is not as it should be: nothing of it is needed but the kinds of things that
/// the server has.
///
/// # Errors
/// What is wrong with it.
pub(super) fn beginning(answer: &Value) -> Result<InitializeResult, String> {
    let Value::Object(answer) = answer else { return Err("it is no object".to_owned()) };
    let version = answer.get("protocolVersion").and_then(Value::as_str).filter(|version| !version.is_empty());
    let mut capabilities = Map::new();
    for (name, flags) in
        [("tools", &["listChanged"][..]), ("resources", &["listChanged", "subscribe"]), ("prompts", &["listChanged"])]
    {
        let Some(said) = answer.get("capabilities").and_then(|all| all.get(name)) else { continue };
        if matches!(said, Value::Null | Value::Bool(false)) {
            continue;
        }
        let flag =
            |flag: &&&str| said.get(**flag).and_then(Value::as_bool).map(|value| ((**flag).to_owned(), value.into()));
        capabilities.insert(name.to_owned(), Value::Object(flags.iter().filter_map(|name| flag(&name)).collect()));
    }
    let named = |name: &str| {
        let value = answer.get("serverInfo").and_then(|info| info.get(name)).and_then(Value::as_str);
        value.unwrap_or_default()
    };
    let mended = json!({
        "protocolVersion": version.unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE.as_str()),
        "capabilities": capabilities,
        "serverInfo": {"name": named("name"), "version": named("version")},
    });
    serde_json::from_value(mended).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_read_whatever_is_missing() {
        for (answer, name, tools, resources) in [
            (json!({}), "", false, false),
            (json!({"serverInfo": {"name": "s"}, "capabilities": {"tools": {}}}), "s", true, false),
            (json!({"serverInfo": "s", "capabilities": {"tools": true, "resources": false}}), "", true, false),
            (
                json!({"protocolVersion": 3, "capabilities": {"tools": [], "resources": {"subscribe": "yes"}, "prompts": null}}),
                "",
                true,
                true,
            ),
            (json!({"protocolVersion": "2024-11-05", "capabilities": "all", "serverInfo": null}), "", false, false),
            (
                json!({"protocolVersion": "3000-01-01", "capabilities": null, "serverInfo": {"version": 2}}),
                "",
                false,
                false,
            ),
        ] {
            let read = beginning(&answer).unwrap();
            assert_eq!(read.server_info.name, name, "{answer}");
            assert_eq!(read.capabilities.tools.is_some(), tools, "{answer}");
            assert_eq!(
                (read.capabilities.resources.is_some(), read.capabilities.prompts),
                (resources, None),
                "{answer}"
            );
        }
        assert_eq!(beginning(&json!("hello")).unwrap_err(), "it is no object");
    }
}
