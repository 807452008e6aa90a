//! Several servers as one source of tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphloom_agents::{Risk, Tool, ToolOutput, ToolSource};
use graphloom_llm::ToolSpec;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::names::distinct;
use crate::server::Server;
use crate::tool::{McpTool, run};
use crate::{McpConfig, McpError, McpEventKind, McpOptions, Place};

/// The servers of a configuration. Dropping it ends every program that was started for it.
///
/// A registry takes them as a [source](graphloom_agents::ToolRegistry::with_source) of tools.
#[derive(Debug)]
pub struct McpServers {
    servers: Vec<Arc<Server>>,
    changes: watch::Receiver<u64>,
}

/// What one server has, or why it has nothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerReport {
    /// The name that the configuration gives it.
    pub server: String,
    /// How it is reached: the program, or the host.
    pub place: String,
    /// The name and version that it gives itself.
    pub identity: Option<String>,
    /// Its tools.
    pub tools: Vec<ToolReport>,
    /// Tools that were left out, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// Why it is not there, where it is not.
    pub error: Option<McpError>,
}

/// How one tool is offered to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolReport {
    /// The name that the model calls.
    pub name: String,
    /// The name that the server knows.
    pub original: String,
    /// What the server says about it.
    pub description: String,
    /// How much it can change.
    pub risk: Risk,
    /// Whether a person is asked before each call.
    pub asks: bool,
    /// Whether neither the server nor the user says how much it can change.
    pub unknown: bool,
    /// Whether a registry gets it, under the [ceiling](McpOptions::ceiling).
    pub offered: bool,
}

impl McpServers {
    /// Starts or reaches every server, all at the same time. One that does not begin takes nothing from the others; its
    /// [report](Self::reports) says why.
    pub async fn connect(config: &McpConfig, options: &McpOptions) -> Self {
        let (changed, changes) = watch::channel(0);
        let slots = Arc::new(Semaphore::new(options.parallel.max(1)));
        let servers: Vec<Arc<Server>> = config
            .servers
            .iter()
            .map(|server| Server::new(server.clone(), options, Arc::clone(&slots), changed.clone()))
            .collect();
        let this = Self { servers, changes };
        // The trouble of each is kept with it.
        futures::future::join_all(this.servers.iter().map(|server| server.begin())).await;
        this
    }

    /// What each server has, in the order of the configuration, with the names that the tools have where no other tool
    /// is registered.
    pub fn reports(&self) -> Vec<ServerReport> {
        let tools = self.named(&BTreeSet::new());
        let report = |server: &Arc<Server>| {
            let listing = server.listing();
            let of_server = tools.iter().filter(|tool| Arc::ptr_eq(&tool.server, server));
            ServerReport {
                server: server.config.name.clone(),
                place: match &server.config.place {
                    Place::Command { command, .. } => command.clone(),
                    Place::Http { url, .. } => graphloom_http::authority(url),
                },
                identity: listing.identity.clone(),
                tools: of_server.filter_map(McpTool::report).collect(),
                left_out: listing.left_out.clone(),
                error: server.trouble(),
            }
        };
        self.servers.iter().map(report).collect()
    }

    /// Calls a tool of a server by the name that the server knows, without the rules of a registry. The arguments are
    /// checked against the tool's schema.
    ///
    /// # Errors
    /// [`McpError`], with server and tool.
    pub async fn call(&self, server: &str, tool: &str, arguments: Value) -> Result<ToolOutput, McpError> {
        let found = self.servers.iter().find(|each| each.config.name == server);
        let found = found.ok_or_else(|| McpError::UnknownServer { server: server.to_owned() })?;
        let listing = found.listing();
        let (server, tool) = (server.to_owned(), tool.to_owned());
        let Some(listed) = listing.tools.iter().find(|listed| listed.name == tool) else {
            return Err(found.trouble().unwrap_or(McpError::UnknownTool { server, tool }));
        };
        let faults = listed.input.errors(&arguments);
        match arguments {
            Value::Object(arguments) if faults.is_empty() => run(found, listed, arguments).await,
            _ => Err(McpError::Arguments { server, tool, faults }),
        }
    }

    /// Waits until a server has other tools than when this was called last, or when the servers were reached.
    pub async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            // Nobody is left who could change anything.
            std::future::pending::<()>().await;
        }
    }

    /// The processes that run for the servers, by the name of the server.
    pub async fn processes(&self) -> Vec<(String, u32)> {
        let mut found = Vec::new();
        for server in &self.servers {
            if let Some(id) = server.process().await {
                found.push((server.config.name.clone(), id));
            }
        }
        found
    }

    /// Ends every server and waits until the programs are gone. Calls that are still made fail with [`McpError::Closed`].
    pub async fn close(self) {
        futures::future::join_all(self.servers.iter().map(|server| server.end())).await;
    }

    fn named(&self, taken: &BTreeSet<String>) -> Vec<McpTool> {
        let listings: Vec<_> = self.servers.iter().map(|server| (server, server.listing())).collect();
        let every =
            || listings.iter().flat_map(|(server, listing)| listing.tools.iter().map(move |tool| (server, tool)));
        let originals: Vec<(&str, &str)> =
            every().map(|(server, tool)| (server.config.name.as_str(), tool.name.as_str())).collect();
        let mut names = distinct(&originals, taken).into_iter();
        let mut tools = Vec::with_capacity(originals.len());
        for (server, listing) in &listings {
            for (index, listed) in listing.tools.iter().enumerate() {
                let Some(name) = names.next() else { continue };
                let spec = ToolSpec {
                    name,
                    description: listed.description.clone(),
                    parameters: listed.schema.clone(),
                    strict: false,
                };
                tools.push(McpTool { server: Arc::clone(server), listing: Arc::clone(listing), index, spec });
            }
        }
        tools
    }
}

impl McpTool {
    fn report(&self) -> Option<ToolReport> {
        let listed = self.listing.tools.get(self.index)?;
        Some(ToolReport {
            name: self.spec.name.clone(),
            original: listed.name.clone(),
            description: listed.description.clone(),
            risk: listed.treatment.risk,
            asks: listed.treatment.ask,
            unknown: !listed.treatment.known,
            offered: self.is_offered(),
        })
    }

    fn is_offered(&self) -> bool {
        let ceiling = self.server.options.ceiling;
        self.risk() <= ceiling && (ceiling > Risk::Read || !self.must_ask())
    }
}

impl ToolSource for McpServers {
    fn tools(&self, taken: &BTreeSet<String>) -> Vec<Arc<dyn Tool>> {
        let tools: Vec<McpTool> = self.named(taken).into_iter().filter(McpTool::is_offered).collect();
        for tool in &tools {
            if let Some(listed) = tool.listing.tools.get(tool.index)
                && listed.name != tool.spec.name
                && tool.server.is_new_name(&listed.name, &tool.spec.name)
            {
                let message = format!("the model calls it `{}`", tool.spec.name);
                tool.server.events.tell_of(&listed.name, McpEventKind::Adapted, message);
            }
        }
        tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect()
    }
}
