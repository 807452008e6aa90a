//! Reading the file: its servers, one after the other.

use std::path::Path;

use serde_json::{Map, Value};

use super::server::Fields;
use super::{McpConfig, ServerConfig};
use crate::ConfigError;

/// The names under which editors keep the servers.
const LISTS: [&str; 2] = ["mcpServers", "servers"];

pub(super) fn parse(
    file: &Path,
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<McpConfig, ConfigError> {
    let wrong = |reason: String| ConfigError::Form { file: file.to_owned(), reason };
    let value: Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let Value::Object(members) = value else { return Err(wrong("it holds no object".to_owned())) };
    let mut config = McpConfig::default();
    let mut servers = None;
    for (name, member) in members {
        if LISTS.contains(&name.as_str()) {
            let Value::Object(list) = member else {
                return Err(wrong(format!("`{name}` is {}, and is an object of servers by name", kind(&member))));
            };
            if servers.replace(list).is_some() {
                return Err(wrong("it has both `mcpServers` and `servers`; keep one".to_owned()));
            }
        } else {
            config.notes.push(format!("`{}`: the field `{name}` is not known here and was left out", file.display()));
        }
    }
    let Some(servers) = servers else {
        return Err(wrong("it has no `mcpServers`, an object of servers by name".to_owned()));
    };
    for (name, fields) in servers {
        let Value::Object(fields) = fields else {
            let reason = format!("is {}, and is an object with `command` or `url`", kind(&fields));
            return Err(ConfigError::Field { file: file.to_owned(), server: name, field: String::new(), reason });
        };
        if let Some(server) = server(file, name, fields, variable, &mut config.notes)? {
            config.servers.push(server);
        }
    }
    Ok(config)
}

fn server(
    file: &Path,
    name: String,
    members: Map<String, Value>,
    variable: &dyn Fn(&str) -> Option<String>,
    notes: &mut Vec<String>,
) -> Result<Option<ServerConfig>, ConfigError> {
    let mut fields = Fields { file, server: &name, members, variable };
    if name.trim().is_empty() {
        return Err(fields.wrong("", "a server has no name"));
    }
    if fields.flag("disabled")?.unwrap_or(false) {
        return Ok(None);
    }
    let place = fields.place()?;
    let timeout = fields.seconds("timeout")?;
    let tools = fields.rules()?;
    for left in fields.members.keys() {
        let place = format!("`{}`: server `{name}`", file.display());
        notes.push(format!("{place}: the field `{left}` is not known here and was left out"));
    }
    Ok(Some(ServerConfig { name, place, timeout, tools }))
}

/// What a value is, for a message.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
