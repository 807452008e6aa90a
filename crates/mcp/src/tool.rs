//! A tool of a server as a tool of the registry.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::{Risk, Tool, ToolError, ToolOutput};
use graphloom_llm::ToolSpec;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest, GetPromptRequestParams,
    ReadResourceRequest, ReadResourceRequestParams,
};
use serde_json::{Map, Value};

use crate::ask::ask;
use crate::content::{Gathered, listed as listed_resource, of_result};
use crate::failure::is_unknown;
use crate::listing::{Listed, Listing, Work};
use crate::offered;
use crate::pages::{Of, Pages, pages};
use crate::schema::original;
use crate::server::Server;
use crate::{McpError, McpEventKind};

/// A tool of a server, under the name that the model calls.
#[derive(Debug)]
pub(crate) struct McpTool {
    pub(crate) server: Arc<Server>,
    pub(crate) listing: Arc<Listing>,
    /// Where it stands in the listing.
    pub(crate) index: usize,
    pub(crate) spec: ToolSpec,
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        self.listing.tools.get(self.index).map_or(Risk::Destructive, |listed| listed.treatment.risk)
    }

    fn must_ask(&self) -> bool {
        self.listing.tools.get(self.index).is_none_or(|listed| listed.treatment.ask)
    }

    /// A call limits itself, and says more about it; this is for all that it may take with a new start of the server.
    fn time_limit(&self) -> Option<Duration> {
        let options = &self.server.options;
        let call = self.listing.tools.get(self.index).and_then(|listed| listed.limit).unwrap_or(options.call_limit);
        Some(call + options.start_limit * 2 + Duration::from_secs(1))
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let Some(listed) = self.listing.tools.get(self.index) else {
            return Err(ToolError::Unknown { tool: self.spec.name.clone(), known: Vec::new() });
        };
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::failed(format!("the arguments of `{}` are no object", self.spec.name)));
        };
        run(&self.server, listed, arguments).await.map_err(|error| match error {
            McpError::UnknownTool { .. } => {
                let listing = self.server.listing();
                let known = listing.tools.iter().map(|other| other.name.clone()).collect();
                ToolError::Unknown { tool: self.spec.name.clone(), known }
            }
            error => ToolError::Server {
                server: error.server().to_owned(),
                tool: listed.name.clone(),
                message: error.to_string(),
                retryable: error.is_retryable(),
            },
        })
    }
}

/// Makes a call with arguments that fit.
pub(crate) async fn run(
    server: &Server,
    listed: &Listed,
    arguments: Map<String, Value>,
) -> Result<ToolOutput, McpError> {
    let limit = server.options.answer_bytes;
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (gathered, data, of) = match listed.work {
        Work::Tool => return call(server, listed, arguments).await,
        Work::ListResources => {
            let (list, mut gathered) = listing(server, listed, Of::Resources).await?;
            let items = read_items(list, &mut gathered, "resource", |resource, gathered| {
                gathered.line(&listed_resource(resource)?);
                Ok(())
            });
            (gathered, items, "resources".to_owned())
        }
        Work::ReadResource => {
            let uri = text("uri");
            let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri.clone()));
            let result = asked(server, listed, ClientRequest::ReadResourceRequest(request)).await?;
            (Gathered::of_resources(&result, limit), Value::Null, format!("resource {uri}"))
        }
        Work::ListPrompts => {
            let (list, mut gathered) = listing(server, listed, Of::Prompts).await?;
            let items = read_items(list, &mut gathered, "prompt", |prompt, gathered| {
                offered::name(prompt)?;
                gathered.line(&prompt.to_string());
                Ok(())
            });
            (gathered, items, "prompts".to_owned())
        }
        Work::GetPrompt => {
            let name = text("name");
            let mut params = GetPromptRequestParams::new(name.clone());
            if let Some(Value::Object(filled)) = arguments.get("arguments") {
                params = params.with_arguments(filled.clone());
            }
            let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
            let result = asked(server, listed, request).await?;
            (Gathered::of_messages(&result, limit), Value::Null, format!("prompt {name}"))
        }
    };
    told(server, listed, &gathered);
    Ok(gathered.output(data, format!("MCP server {}, {of}", server.config.name)))
}

/// A list of the server, and where its items go.
async fn listing(server: &Server, listed: &Listed, of: Of) -> Result<(Pages, Gathered), McpError> {
    let limit = server.options.answer_bytes;
    let list = server
        .request(&listed.name, listed.limit, |peer| async move { pages(&peer, of, usize::MAX, limit).await })
        .await?;
    Ok((list, Gathered::new(limit)))
}

/// Reads the items of a list one by one, and gives those that can be read as data, unless a part of the list is left out,
/// which is told.
fn read_items(
    list: Pages,
    gathered: &mut Gathered,
    what: &str,
    read: impl Fn(&Value, &mut Gathered) -> Result<(), String>,
) -> Value {
    let mut items = Vec::with_capacity(list.items.len());
    for item in list.items {
        match read(&item, gathered) {
            Ok(()) => items.push(item),
            Err(reason) => gathered.not_read(&format!("a {what}: {reason}")),
        }
    }
    for odd in &list.odd {
        gathered.not_read(odd);
    }
    if list.more {
        gathered.line("[there are more, which were not asked for]");
    }
    if gathered.omitted > 0 || list.more { Value::Null } else { Value::Array(items) }
}

/// Makes a request for a whole result.
async fn asked(server: &Server, listed: &Listed, request: ClientRequest) -> Result<Value, McpError> {
    let result = server.request(&listed.name, listed.limit, |peer| async move { ask(&peer, request).await }).await?;
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => Err(wants(server, listed, "an answer of the user")),
        Some("task") => Err(wants(server, listed, "to be asked for its answer later")),
        _ => Ok(result),
    }
}

/// Calls a tool of the server itself.
async fn call(server: &Server, listed: &Listed, arguments: Map<String, Value>) -> Result<ToolOutput, McpError> {
    let arguments = original(arguments, &listed.renamed);
    let params = CallToolRequestParams::new(listed.name.clone()).with_arguments(arguments);
    let result = asked(server, listed, ClientRequest::CallToolRequest(CallToolRequest::new(params))).await?;
    let (server_name, tool) = (server.config.name.clone(), listed.name.clone());
    let answer = of_result(&result, server.options.answer_bytes);
    if answer.failed && is_unknown(answer.gathered.text(), &listed.name) {
        server.forgot();
        return Err(McpError::UnknownTool { server: server_name, tool });
    }
    told(server, listed, &answer.gathered);
    if answer.failed {
        let said = answer.gathered.text();
        let said = if said.is_empty() { "no more than that it failed" } else { said };
        let message = format!("`{tool}` of the MCP server `{server_name}` failed and says: {said}");
        return Err(McpError::Tool { server: server_name, tool, message });
    }
    if let Some(check) = &listed.output {
        let faults = match &answer.structured {
            None => vec!["there is no structured content".to_owned()],
            Some(content) => check.errors(content),
        };
        if !faults.is_empty() {
            return Err(McpError::Answer { server: server_name, tool, faults });
        }
    }
    let (gathered, data) = answer.parts();
    Ok(gathered.output(data, format!("MCP server {server_name}, tool {tool}")))
}

fn wants(server: &Server, listed: &Listed, wanted: &'static str) -> McpError {
    McpError::Wants { server: server.config.name.clone(), tool: listed.name.clone(), wanted }
}

/// Tells what of an answer was passed over or cut.
fn told(server: &Server, listed: &Listed, gathered: &Gathered) {
    for odd in &gathered.odd {
        server.events.tell_of(&listed.name, McpEventKind::Skipped, format!("in an answer: {odd}"));
    }
    if gathered.omitted > 0 {
        let message = format!("{} bytes of an answer were left out", gathered.omitted);
        server.events.tell_of(&listed.name, McpEventKind::Cut, message);
    }
}
