//! What a server has: its tools, resources and prompts.

use std::fmt;
use std::time::Duration;

use graphloom_agents::Risk;
use graphloom_llm::parse::SchemaCheck;
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::{Value, json};

use crate::event::EventSender;
use crate::failure::refusal;
use crate::offered::{self, offered};
use crate::pages::{Of, pages};
use crate::risk::{Treatment, treatment};
use crate::schema::{described, fit, plain};
use crate::{McpEventKind, ServerConfig};

/// The most tools of one server that are taken.
const MOST: usize = 512;
/// The most bytes of the list of its tools.
const MOST_BYTES: usize = 32 << 20;

/// What a server has.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<Listed>,
    /// Tools that were left out, each with the reason.
    pub(crate) left_out: Vec<(String, String)>,
    /// Whether no more tools are taken.
    full: bool,
    /// The server's own name and version.
    pub(crate) identity: Option<String>,
}

/// One tool of a server, made fit.
pub(crate) struct Listed {
    /// The name that the server knows.
    pub(crate) name: String,
    pub(crate) work: Work,
    pub(crate) description: String,
    pub(crate) schema: Value,
    pub(crate) input: SchemaCheck,
    pub(crate) output: Option<SchemaCheck>,
    pub(crate) renamed: Vec<(String, String)>,
    pub(crate) treatment: Treatment,
    pub(crate) limit: Option<Duration>,
}

/// What a call of a tool asks of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// To run a tool.
    Tool,
    /// To list its resources.
    ListResources,
    /// To read a resource.
    ReadResource,
    /// To list its prompts.
    ListPrompts,
    /// To fill in a prompt.
    GetPrompt,
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listed").field("name", &self.name).field("treatment", &self.treatment).finish_non_exhaustive()
    }
}

/// Asks a server for what it has.
///
/// # Errors
/// Those of the server.
pub(crate) async fn list(
    peer: &Peer<RoleClient>,
    config: &ServerConfig,
    events: &EventSender,
) -> Result<Listing, ServiceError> {
    let mut listing = Listing::default();
    let Some(info) = peer.peer_info() else { return Ok(listing) };
    let named = info.server_info.as_ref().map(|server| format!("{} {}", server.name, server.version));
    listing.identity = named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let has = &info.capabilities;
    let others = has.resources.is_some() || has.prompts.is_some();
    // One that names nothing that it has is asked, too.
    if has.tools.is_some() || !others {
        match pages(peer, Of::Tools, MOST, MOST_BYTES).await {
            Ok(pages) => {
                for odd in &pages.odd {
                    events.tell(McpEventKind::LeftOut, odd.as_str());
                }
                for (at, tool) in pages.items.iter().enumerate() {
                    listing.add(at, tool, config, events);
                }
            }
            Err(ServiceError::McpError(error)) if has.tools.is_none() => {
                let kind = McpEventKind::LeftOut;
                events.tell(kind, format!("it names nothing that it has, and listed no tools: {}", refusal(&error)));
            }
            Err(ServiceError::McpError(error)) if others => {
                events.tell(McpEventKind::LeftOut, format!("its tools could not be listed: {}", refusal(&error)));
            }
            Err(error) => return Err(error),
        }
    }
    if has.resources.is_some() {
        listing.offer(Work::ListResources, config);
        listing.offer(Work::ReadResource, config);
    }
    if has.prompts.is_some() {
        listing.offer(Work::ListPrompts, config);
        listing.offer(Work::GetPrompt, config);
    }
    Ok(listing)
}

impl Listing {
    /// Takes a tool, or says why it is left out. One without a name is called by its place.
    fn add(&mut self, at: usize, tool: &Value, config: &ServerConfig, events: &EventSender) {
        let name = offered::name(tool);
        let shown = name.as_ref().map_or_else(|_| format!("tool {}", at + 1), |name| (*name).to_owned());
        if self.full {
            return;
        }
        if self.tools.len() >= MOST {
            self.full = true;
            let reason = format!("the server has more than {MOST} tools, and those behind it were left out, too");
            events.tell_of(&shown, McpEventKind::LeftOut, format!("it was left out: {reason}"));
            self.left_out.push((shown, reason));
            return;
        }
        match name.and_then(|name| self.listed(name, tool, config)) {
            Ok((listed, odd)) => {
                if !odd.is_empty() {
                    events.tell_of(&shown, McpEventKind::Adapted, odd.join("; "));
                }
                self.tools.push(listed);
            }
            Err(reason) => {
                events.tell_of(&shown, McpEventKind::LeftOut, format!("it was left out: {reason}"));
                self.left_out.push((shown, reason));
            }
        }
    }

    /// A tool made fit, with what was changed.
    ///
    /// # Errors
    /// Why it cannot be offered.
    fn listed(&self, name: &str, tool: &Value, config: &ServerConfig) -> Result<(Listed, Vec<String>), String> {
        let rule = config.tools.get(name).copied().unwrap_or_default();
        if rule.disabled {
            return Err("the file of servers switches it off".to_owned());
        }
        if self.tools.iter().any(|other| other.name == name) {
            return Err("the server has two tools of this name".to_owned());
        }
        let offered = offered(tool)?;
        let mut odd = offered.odd;
        let fitted = fit(&offered.input)?;
        let input = SchemaCheck::new(&fitted.schema)?;
        odd.extend(fitted.changes);
        let (description, changed) = described(&offered.text);
        if changed {
            let words = "its description was shortened, or held characters that nobody sees, which were taken out";
            odd.push(words.to_owned());
        }
        let output = offered.output.and_then(|schema| {
            SchemaCheck::new(&Value::Object(plain(&schema)))
                .map_err(|error| odd.push(format!("its answers are not checked: {error}")))
                .ok()
        });
        let listed = Listed {
            name: name.to_owned(),
            work: Work::Tool,
            description,
            schema: fitted.schema,
            input,
            output,
            renamed: fitted.renamed,
            treatment: treatment(offered.annotations.as_ref(), rule),
            limit: rule.timeout.or(config.timeout),
        };
        Ok((listed, odd))
    }

    /// Adds a tool of this client through which a model reaches resources or prompts. A tool of the server that has
    /// the same name stands above it.
    fn offer(&mut self, work: Work, config: &ServerConfig) {
        let Some((name, description, schema)) = work.offer() else { return };
        let rule = config.tools.get(name).copied().unwrap_or_default();
        if rule.disabled || self.tools.iter().any(|other| other.name == name) {
            return;
        }
        let Ok(input) = SchemaCheck::new(&schema) else { return };
        let known = Treatment { risk: Risk::Read, ask: false, known: true };
        self.tools.push(Listed {
            name: name.to_owned(),
            work,
            description: description.replace("SERVER", &config.name),
            schema,
            input,
            output: None,
            renamed: Vec::new(),
            treatment: Treatment { risk: rule.risk.unwrap_or(known.risk), ask: rule.ask.unwrap_or(known.ask), ..known },
            limit: rule.timeout.or(config.timeout),
        });
    }
}

impl Work {
    /// Name, description and arguments of the tool of this client; a server's own tool has none.
    fn offer(self) -> Option<(&'static str, &'static str, Value)> {
        let text = |description: &str| json!({"type": "string", "description": description});
        let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        Some(match self {
            Self::Tool => return None,
            Self::ListResources => (
                "list_resources",
                "Lists the resources of SERVER, with the address of each.",
                object(json!({}), json!([])),
            ),
            Self::ReadResource => (
                "read_resource",
                "Reads a resource of SERVER.",
                object(json!({"uri": text("The address of the resource.")}), json!(["uri"])),
            ),
            Self::ListPrompts => (
                "list_prompts",
                "Lists the prompts of SERVER: instructions for tasks that it is made for, with their arguments.",
                object(json!({}), json!([])),
            ),
            Self::GetPrompt => (
                "get_prompt",
                "Gets a prompt of SERVER, filled in.",
                object(
                    json!({
                        "name": text("The name of the prompt."),
                        "arguments": {"type": "object", "additionalProperties": {"type": "string"},
                                      "description": "The arguments of the prompt by name."}
                    }),
                    json!(["name"]),
                ),
            ),
        })
    }
}
