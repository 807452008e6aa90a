//! The fields of one server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use graphloom_agents::Risk;
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::read::kind;
use super::variables::filled;
use super::{OAuthClient, Place, ToolRule};
use crate::ConfigError;

/// The names under which editors list the tools that need no confirmation.
const UNASKED: [&str; 2] = ["alwaysAllow", "autoApprove"];
/// The longest time limit of a file: a day.
const LONGEST: f64 = 86_400.0;

/// The fields that were not read yet.
pub(super) struct Fields<'a> {
    pub(super) file: &'a Path,
    pub(super) server: &'a str,
    pub(super) members: Map<String, Value>,
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Fields<'_> {
    pub(super) fn wrong(&self, field: &str, reason: impl Into<String>) -> ConfigError {
        ConfigError::Field {
            file: self.file.to_owned(),
            server: self.server.to_owned(),
            field: field.to_owned(),
            reason: reason.into(),
        }
    }

    /// How the server is reached.
    pub(super) fn place(&mut self) -> Result<Place, ConfigError> {
        let form = self.text("type")?;
        let command = self.text("command")?;
        let url = self.text("url")?;
        if let Some(form) = form.as_deref() {
            match form {
                "stdio" if command.is_none() => return Err(self.wrong("command", "is missing, and `type` is `stdio`")),
                "http" | "streamable-http" | "streamableHttp" | "streamable_http" if url.is_none() => {
                    return Err(self.wrong("url", format!("is missing, and `type` is `{form}`")));
                }
                "stdio" | "http" | "streamable-http" | "streamableHttp" | "streamable_http" => {}
                "sse" => {
                    let reason = "is `sse`, which newer servers no longer speak; give the address of the server's \
                                  streamable HTTP and `http`";
                    return Err(self.wrong("type", reason));
                }
                other => return Err(self.wrong("type", format!("is `{other}`; it is `stdio` or `http`"))),
            }
        }
        match (command, url) {
            (Some(_), Some(_)) => Err(self.wrong("url", "stands beside `command`; a server has one of them")),
            (None, None) => Err(self.wrong("command", "is missing; a server has a `command` or a `url`")),
            (Some(command), None) if command.trim().is_empty() => Err(self.wrong("command", "is empty")),
            (Some(command), None) => {
                let (args, env) = (self.texts("args")?, self.map("env")?);
                let folder = self.text("cwd")?.map(PathBuf::from);
                Ok(Place::Command { command, args, env, folder })
            }
            (None, Some(url)) => self.http(&url),
        }
    }

    fn http(&mut self, address: &str) -> Result<Place, ConfigError> {
        let url = Url::parse(address).map_err(|error| self.wrong("url", format!("is no address ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(self.wrong("url", "begins with neither `https://` nor `http://`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.wrong("url", "holds a user or a password; put a key into `headers`"));
        }
        let headers = self.map("headers")?;
        for (name, value) in &headers {
            if HeaderName::try_from(name.as_str()).is_err() {
                return Err(self.wrong(&format!("headers.{name}"), "is no name of a header"));
            }
            if HeaderValue::try_from(value.as_str()).is_err() {
                return Err(self.wrong(&format!("headers.{name}"), "holds characters that no header can have"));
            }
        }
        if !headers.is_empty() && url.scheme() == "http" && !graphloom_http::is_loopback(&url) {
            let reason = "go over plain `http` to another machine, where anyone can read a key; use `https`";
            return Err(self.wrong("headers", reason));
        }
        let oauth = self.oauth()?;
        Ok(Place::Http { url, headers, oauth })
    }

    /// The client of a login.
    fn oauth(&mut self) -> Result<OAuthClient, ConfigError> {
        let mut client = OAuthClient::default();
        let Some(value) = self.members.shift_remove("oauth") else { return Ok(client) };
        let Value::Object(members) = value else {
            return Err(self.wrong("oauth", format!("is {}, and is an object", kind(&value))));
        };
        for (name, value) in members {
            let field = format!("oauth.{name}");
            match (name.as_str(), &value) {
                ("clientId", _) => client.id = Some(self.fill(&field, &value)?),
                ("clientSecret", _) => client.secret = Some(self.fill(&field, &value)?),
                ("callbackPort", _) => {
                    let port = value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
                    client.callback_port = Some(port.ok_or_else(|| self.wrong(&field, "is no port"))?);
                }
                ("scopes", Value::Array(scopes)) => {
                    for scope in scopes {
                        client.scopes.push(self.fill(&field, scope)?);
                    }
                }
                ("scopes", _) => {
                    let scopes = self.fill(&field, &value)?;
                    client.scopes.extend(scopes.split_whitespace().map(str::to_owned));
                }
                _ => {
                    let there = "is not known; there are `clientId`, `clientSecret`, `scopes`, `callbackPort`";
                    return Err(self.wrong(&field, there));
                }
            }
        }
        if client.secret.is_some() && client.id.is_none() {
            return Err(self.wrong("oauth.clientSecret", "stands without `clientId`"));
        }
        Ok(client)
    }

    /// What the user says about single tools.
    pub(super) fn rules(&mut self) -> Result<BTreeMap<String, ToolRule>, ConfigError> {
        let mut rules: BTreeMap<String, ToolRule> = BTreeMap::new();
        for list in UNASKED {
            for tool in self.texts(list)? {
                rules.entry(tool).or_default().ask = Some(false);
            }
        }
        let Some(value) = self.members.shift_remove("tools") else { return Ok(rules) };
        let Value::Object(tools) = value else {
            return Err(self.wrong("tools", format!("is {}, and is an object of tools by name", kind(&value))));
        };
        for (tool, value) in tools {
            let place = format!("tools.{tool}");
            let Value::Object(members) = value else {
                return Err(self.wrong(&place, format!("is {}, and is an object", kind(&value))));
            };
            let rule = self.rule(&place, members, rules.get(&tool).copied().unwrap_or_default())?;
            rules.insert(tool, rule);
        }
        Ok(rules)
    }

    fn rule(&self, place: &str, members: Map<String, Value>, mut rule: ToolRule) -> Result<ToolRule, ConfigError> {
        for (name, value) in members {
            let field = format!("{place}.{name}");
            match (name.as_str(), &value) {
                ("risk", _) => match serde_json::from_value::<Risk>(value) {
                    Ok(risk) => rule.risk = Some(risk),
                    Err(_) => return Err(self.wrong(&field, "is one of `read`, `write` and `destructive`")),
                },
                ("ask", Value::Bool(ask)) => rule.ask = Some(*ask),
                ("disabled", Value::Bool(disabled)) => rule.disabled = *disabled,
                ("timeout", _) => rule.timeout = Some(self.duration(&field, &value)?),
                ("ask" | "disabled", _) => {
                    return Err(self.wrong(&field, format!("is {}, and is true or false", kind(&value))));
                }
                // What a person wrote about a risk is not passed over in silence.
                _ => return Err(self.wrong(&field, "is not known; there are `risk`, `ask`, `disabled`, `timeout`")),
            }
        }
        Ok(rule)
    }

    pub(super) fn flag(&mut self, field: &str) -> Result<Option<bool>, ConfigError> {
        match self.members.shift_remove(field) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong(field, format!("is {}, and is true or false", kind(&other)))),
        }
    }

    /// A number of seconds.
    pub(super) fn seconds(&mut self, field: &str) -> Result<Option<Duration>, ConfigError> {
        self.members.shift_remove(field).map(|value| self.duration(field, &value)).transpose()
    }

    fn duration(&self, field: &str, value: &Value) -> Result<Duration, ConfigError> {
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
        seconds.map(Duration::from_secs_f64).ok_or_else(|| self.wrong(field, "is no number of seconds up to 86400"))
    }

    fn text(&mut self, field: &str) -> Result<Option<String>, ConfigError> {
        self.members.shift_remove(field).map(|value| self.fill(field, &value)).transpose()
    }

    fn texts(&mut self, field: &str) -> Result<Vec<String>, ConfigError> {
        match self.members.shift_remove(field) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.iter().enumerate().map(|(at, item)| self.fill(&format!("{field}[{at}]"), item)).collect()
            }
            Some(other) => Err(self.wrong(field, format!("is {}, and is a list of texts", kind(&other)))),
        }
    }

    fn map(&mut self, field: &str) -> Result<BTreeMap<String, String>, ConfigError> {
        match self.members.shift_remove(field) {
            None => Ok(BTreeMap::new()),
            Some(Value::Object(members)) => members
                .iter()
                .map(|(name, value)| Ok((name.clone(), self.fill(&format!("{field}.{name}"), value)?)))
                .collect(),
            Some(other) => Err(self.wrong(field, format!("is {}, and is an object of texts", kind(&other)))),
        }
    }

    fn fill(&self, field: &str, value: &Value) -> Result<String, ConfigError> {
        let Value::String(text) = value else {
            return Err(self.wrong(field, format!("is {}, and is a text", kind(value))));
        };
        filled(text, self.variable).map_err(|reason| self.wrong(field, reason))
    }
}
