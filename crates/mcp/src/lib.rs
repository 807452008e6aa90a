//! Tools, resources and prompts of [MCP] servers in a registry of tools.
//!
//! - [`McpConfig`] reads the file in which editors name servers: programs that are started, and addresses that speak
//!   streamable HTTP.
//! - [`McpServers`] reaches them all and is a [source](graphloom_agents::ToolSource) of tools for a
//!   [`ToolRegistry`](graphloom_agents::ToolRegistry), with risks, limits and names that every provider takes.
//! - A server that fails, hangs, lies or says too much is contained: [`McpError`] names server and tool, [`McpEvent`]s tell
//!   what happened, and the other servers go on.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use graphloom_agents::{Risk, ToolRegistry};
//! use graphloom_mcp::{McpConfig, McpOptions, McpServers};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = r#"{"mcpServers": {
//!     "files": {"command": "server-filesystem", "args": ["${FOLDER}"], "tools": {"write_file": {"ask": true}}}
//! }}"#;
//! let variable = |name: &str| (name == "FOLDER").then(|| "/home/me/notes".to_owned());
//! let config = McpConfig::parse(Path::new("servers.json"), file, variable)?;
//! let servers = McpServers::connect(&config, &McpOptions::default()).await;
//! for report in servers.reports() {
//!     match report.error {
//!         None => println!("{} has {} tools", report.server, report.tools.len()),
//!         Some(error) => println!("{error}"),
//!     }
//! }
//! let tools = ToolRegistry::new(Risk::Read).with_source(Arc::new(servers));
//! # let _ = tools;
//! # Ok(()) }
//! ```
//!
//! # Risk
//! What a server says of a tool, its annotations, is a hint: it sets the [`Risk`](graphloom_agents::Risk) where the user
//! says nothing. A [`ToolRule`] of the file raises or lowers it, and says whether a person is asked. Of a tool of which
//! nothing is known a person is asked before each call; where nobody can be asked, it is not called.
//!
//! # Resources and prompts
//! A model reaches them through tools of this client: `list_resources`, `read_resource`, `list_prompts` and `get_prompt`,
//! for each server that has any.
//!
//! # Limits
//! [`McpOptions`] has the limits: time of a start and of a call, calls at a time for one server and for all, new starts,
//! bytes of a message and of an answer. A message beyond its limit is refused, an answer beyond its own is cut with a
//! line that says so. A call that is dropped or runs out of time is cancelled at the server.
//!
//! # What is not as it should be
//! Each tool, resource, prompt and block of an answer is read by itself: a broken one costs no other, and an [`McpEvent`]
//! says what is wrong with it. Messages are read whatever frames them. An answer that cannot be read fails its call at
//! once.
//!
//! # Logins
//! A server at an address may ask for a login. [`login()`] makes one in the browser, a [`LoginFolder`] keeps it, and with
//! [`McpOptions::logins`] connections use it. Without one the server's [report](McpServers::reports) is
//! [`McpError::LoginNeeded`].
//!
//! # Programs
//! A program runs in a process group of its own and ends with everything that it started when [`McpServers`] is
//! dropped. It gets the few variables of [`passed_on`] and those that the file gives it, so no key of this process.
//!
//! # What a server cannot do
//! It is given no model, no folder and no form to fill in: requests of a server are declined.
//!
//! [MCP]: https://modelcontextprotocol.io

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

/// The examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tools.md")]
mod guide {}

mod ask;
mod config;
mod content;
mod error;
mod event;
mod failure;
mod handler;
mod listing;
mod login;
mod names;
mod offered;
mod options;
mod pages;
mod risk;
mod schema;
mod server;
mod servers;
mod structured;
mod tool;
mod transport;

pub use config::{McpConfig, OAuthClient, Place, ServerConfig, ToolRule};
pub use error::{ConfigError, McpError};
pub use event::{McpEvent, McpEventKind, McpWatch};
pub use login::{Login, LoginError, LoginFolder, login};
pub use options::McpOptions;
pub use servers::{McpServers, ServerReport, ToolReport};
pub use transport::passed_on;
