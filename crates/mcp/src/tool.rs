//! A tool of a server as a tool of the registry.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::{Risk, Tool, ToolError, ToolOutput};
use graphloom_llm::ToolSpec;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, ReadResourceRequestParams,
    ReadResourceResponse,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::content::{Gathered, listed as listed_resource, of_result};
use crate::failure::is_unknown;
use crate::listing::{Listed, Listing, Work};
use crate::pages::{Pages, pages};
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
            let resources = server.request(&listed.name, listed.limit, |peer| async move {
                pages(&peer, usize::MAX, limit, |peer, params| async move {
                    peer.list_resources(Some(params)).await.map(|page| (page.resources, page.next_cursor))
                })
                .await
            });
            let resources = resources.await?;
            let mut gathered = Gathered::new(limit);
            for resource in &resources.items {
                gathered.line(&listed_resource(resource));
            }
            let data = whole(&mut gathered, &resources);
            (gathered, data, "resources".to_owned())
        }
        Work::ReadResource => {
            let uri = text("uri");
            let params = ReadResourceRequestParams::new(uri.clone());
            let response = server
                .request(&listed.name, listed.limit, |peer| async move { peer.read_resource_once(params).await })
                .await?;
            let ReadResourceResponse::Complete(result) = response else {
                return Err(wants(server, listed, "an answer of the user"));
            };
            (Gathered::of_resources(&result.contents, limit), Value::Null, format!("resource {uri}"))
        }
        Work::ListPrompts => {
            let prompts = server.request(&listed.name, listed.limit, |peer| async move {
                pages(&peer, usize::MAX, limit, |peer, params| async move {
                    peer.list_prompts(Some(params)).await.map(|page| (page.prompts, page.next_cursor))
                })
                .await
            });
            let prompts = prompts.await?;
            let mut gathered = Gathered::new(limit);
            gathered.line(&serde_json::to_string(&prompts.items).unwrap_or_default());
            let data = whole(&mut gathered, &prompts);
            (gathered, data, "prompts".to_owned())
        }
        Work::GetPrompt => {
            let name = text("name");
            let mut params = GetPromptRequestParams::new(name.clone());
            if let Some(Value::Object(filled)) = arguments.get("arguments") {
                params = params.with_arguments(filled.clone());
            }
            let response = server
                .request(&listed.name, listed.limit, |peer| async move { peer.get_prompt_once(params).await })
                .await?;
            let GetPromptResponse::Complete(result) = response else {
                return Err(wants(server, listed, "an answer of the user"));
            };
            (Gathered::of_messages(&result.messages, limit), Value::Null, format!("prompt {name}"))
        }
    };
    told_if_cut(server, listed, &gathered);
    Ok(gathered.output(data, format!("MCP server {}, {of}", server.config.name)))
}

/// A list as data, unless a part of it is left out, which is told.
fn whole<T: Serialize>(gathered: &mut Gathered, list: &Pages<T>) -> Value {
    if list.more {
        gathered.line("[there are more, which were not asked for]");
    }
    if gathered.omitted > 0 || list.more {
        return Value::Null;
    }
    serde_json::to_value(&list.items).unwrap_or_default()
}

/// Calls a tool of the server itself.
async fn call(server: &Server, listed: &Listed, arguments: Map<String, Value>) -> Result<ToolOutput, McpError> {
    let name = || (server.config.name.clone(), listed.name.clone());
    let arguments = original(arguments, &listed.renamed);
    let params = CallToolRequestParams::new(listed.name.clone()).with_arguments(arguments);
    let response =
        server.request(&listed.name, listed.limit, |peer| async move { peer.call_tool_once(params).await }).await?;
    let result = match response {
        CallToolResponse::Complete(result) => result,
        CallToolResponse::InputRequired(_) => return Err(wants(server, listed, "an answer of the user")),
        _ => return Err(wants(server, listed, "to be asked for its answer later")),
    };
    let (server_name, tool) = name();
    if is_unknown(&result, &listed.name) {
        server.forgot();
        return Err(McpError::UnknownTool { server: server_name, tool });
    }
    let (gathered, data) = of_result(&result, server.options.answer_bytes);
    told_if_cut(server, listed, &gathered);
    if result.is_error == Some(true) {
        let said = if gathered.text().is_empty() { "no more than that it failed" } else { gathered.text() };
        let message = format!("`{tool}` of the MCP server `{server_name}` failed and says: {said}");
        return Err(McpError::Tool { server: server_name, tool, message });
    }
    if let Some(check) = &listed.output {
        let faults = match &result.structured_content {
            None => vec!["there is no structured content".to_owned()],
            Some(content) => check.errors(content),
        };
        if !faults.is_empty() {
            return Err(McpError::Answer { server: server_name, tool, faults });
        }
    }
    Ok(gathered.output(data, format!("MCP server {server_name}, tool {tool}")))
}

fn wants(server: &Server, listed: &Listed, wanted: &'static str) -> McpError {
    McpError::Wants { server: server.config.name.clone(), tool: listed.name.clone(), wanted }
}

fn told_if_cut(server: &Server, listed: &Listed, gathered: &Gathered) {
    if gathered.omitted > 0 {
        let message = format!("{} bytes of an answer were left out", gathered.omitted);
        server.events.tell_of(&listed.name, McpEventKind::Cut, message);
    }
}
