//! What a server has: its tools, resources and prompts.

use std::fmt;
use std::time::Duration;

use graphloom_agents::Risk;
use graphloom_llm::parse::SchemaCheck;
use rmcp::model::Tool;
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::{Value, json};

use crate::event::EventSender;
use crate::pages::pages;
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
    listing.identity = info.server_info.as_ref().map(|server| format!("{} {}", server.name, server.version));
    if info.capabilities.tools.is_some() {
        let tools = pages(peer, MOST, MOST_BYTES, |peer, params| async move {
            peer.list_tools(Some(params)).await.map(|page| (page.tools, page.next_cursor))
        });
        for tool in tools.await?.items {
            listing.add(&tool, config, events);
        }
    }
    if info.capabilities.resources.is_some() {
        listing.offer(Work::ListResources, config);
        listing.offer(Work::ReadResource, config);
    }
    if info.capabilities.prompts.is_some() {
        listing.offer(Work::ListPrompts, config);
        listing.offer(Work::GetPrompt, config);
    }
    Ok(listing)
}

impl Listing {
    /// Takes a tool, or says why it is left out.
    fn add(&mut self, tool: &Tool, config: &ServerConfig, events: &EventSender) {
        let name = tool.name.as_ref();
        match self.listed(tool, config, events) {
            Ok(listed) => self.tools.push(listed),
            Err(reason) => {
                events.tell_of(name, McpEventKind::LeftOut, format!("it was left out: {reason}"));
                self.left_out.push((name.to_owned(), reason));
            }
        }
    }

    fn listed(&self, tool: &Tool, config: &ServerConfig, events: &EventSender) -> Result<Listed, String> {
        let name = tool.name.as_ref();
        let rule = config.tools.get(name).copied().unwrap_or_default();
        if rule.disabled {
            return Err("the file of servers switches it off".to_owned());
        }
        if self.tools.len() >= MOST {
            return Err(format!("the server has more than {MOST} tools"));
        }
        if self.tools.iter().any(|other| other.name == name) {
            return Err("the server has two tools of this name".to_owned());
        }
        let fitted = fit(&tool.input_schema)?;
        let input = SchemaCheck::new(&fitted.schema)?;
        let adapted = |change: &str| events.tell_of(name, McpEventKind::Adapted, change);
        for change in &fitted.changes {
            adapted(change);
        }
        let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
        let (description, changed) = described(text);
        if changed {
            adapted("its description was shortened, or held characters that nobody sees, which were taken out");
        }
        let output = tool.output_schema.as_deref().and_then(|schema| {
            SchemaCheck::new(&Value::Object(plain(schema)))
                .map_err(|error| adapted(&format!("its answers are not checked: {error}")))
                .ok()
        });
        Ok(Listed {
            name: name.to_owned(),
            work: Work::Tool,
            description,
            schema: fitted.schema,
            input,
            output,
            renamed: fitted.renamed,
            treatment: treatment(tool.annotations.as_ref(), rule),
            limit: rule.timeout.or(config.timeout),
        })
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
