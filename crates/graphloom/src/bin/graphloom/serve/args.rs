//! The options of `graphloom serve`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use graphloom_cli::Failure;
use graphloom_server::{AllowedOrigins, Keys, Security, SecurityError};

use super::by_engine::ServeEngineArgs;
use super::queue::QueueArgs;
use crate::graphs::GraphArgs;

#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// The address to listen on. One that others can reach needs `--api-key-file`
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port to listen on; 0 finds a free one
    #[arg(long, value_name = "PORT", default_value_t = 2024)]
    port: u16,
    /// Serve MCP to the program that started this one, over standard input and output, and nothing else
    #[arg(long, conflicts_with_all = ["host", "port", "api_key_file", "cors", "private_network", "allow_host", "no_studio"])]
    pub(super) stdio: bool,
    /// Serve no studio, the page in which people see and work with graphs, threads and runs
    #[arg(long)]
    pub(super) no_studio: bool,
    /// Keep nothing: threads, runs and memories are gone when the server ends
    #[arg(long, conflicts_with = "engine")]
    pub(super) in_memory: bool,
    /// A file of the keys of clients, one a line: `NAME SCOPES KEY`, where the scopes are `read`, `run` and `admin` with
    /// commas between. Every request needs one then
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// Let the web pages of this origin call the server, as in `https://pages.example.org` or `http://localhost:*`; may be
    /// given several times. Without it pages of this machine may, with `*` every page
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// Let pages of the public web that `--cors` names call a server on this machine or a private network
    #[arg(long, requires = "cors")]
    private_network: bool,
    /// A name under which the server may be addressed, beside `localhost` and addresses; may be given several times
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    allow_host: Vec<String>,
    /// Post webhooks of runs to any host that the server can reach, also to this machine and private networks
    #[arg(long)]
    pub(super) allow_private_webhooks: bool,
    /// Have the tasks of runs executed by `graphloom worker`, in as many processes as there shall be; this one plans, commits
    /// and answers. It needs `--store postgres`
    #[arg(long, conflicts_with_all = ["in_memory", "engine"])]
    pub(super) workers: bool,
    #[command(flatten)]
    pub(super) queue: QueueArgs,
    #[command(flatten)]
    pub(super) engine: ServeEngineArgs,
    #[command(flatten)]
    pub(super) graphs: GraphArgs,
}

impl ServeArgs {
    /// What is asked of those who call the server.
    pub(super) fn security(&self) -> Result<Security, Failure> {
        let wrong = |error: SecurityError| Failure::usage(error.to_string());
        let mut security = Security::at(SocketAddr::new(self.host, self.port));
        if let Some(file) = &self.api_key_file {
            security.keys = Keys::from_file(file).map_err(wrong)?;
        }
        security.hosts.clone_from(&self.allow_host);
        security.cors.private_network = self.private_network;
        security.cors.origins = match self.cors.as_slice() {
            [] => AllowedOrigins::Loopback,
            origins if origins.iter().any(|origin| origin == "*") => AllowedOrigins::Any,
            origins => AllowedOrigins::Listed(
                origins.iter().map(|origin| origin.parse()).collect::<Result<_, _>>().map_err(wrong)?,
            ),
        };
        security.check().map_err(wrong)?;
        Ok(security)
    }
}

/// A name as it stands in the header `Host`, without a port.
fn host_name(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if text.is_empty() || !text.chars().all(is_part) {
        return Err("write the name of a host alone, as in `graphs.example.org`".to_owned());
    }
    Ok(text.to_owned())
}
