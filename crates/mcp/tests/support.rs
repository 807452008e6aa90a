//! Servers for the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use graphloom_mcp::{McpConfig, McpEvent, McpEventKind, McpOptions, McpServers, ServerConfig};

/// Where `.ci/run` installs the published servers.
fn folder() -> PathBuf {
    let cache = std::env::var_os("GRAPHLOOM_CI_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/graphloom-ci"),
        PathBuf::from,
    );
    cache.join("tools/mcp-servers/node_modules/@modelcontextprotocol")
}

/// The program of a published server. Where it is not installed the test says that it is skipped; where `.ci/run` says
/// that it is, the test fails.
pub(crate) fn published(name: &str) -> Option<PathBuf> {
    let program = folder().join(format!("server-{name}/dist/index.js"));
    let there = program.is_file() && runs("node");
    skip(there, &format!("the MCP server {name} is not installed; `.ci/run` installs it")).then_some(program)
}

/// Whether Python is there, in which the servers that behave badly are written.
pub(crate) fn python() -> bool {
    skip(runs("python3"), "there is no python3")
}

fn skip(there: bool, reason: &str) -> bool {
    assert!(there || std::env::var_os("GRAPHLOOM_REQUIRE_MCP").is_none(), "{reason}");
    if !there {
        eprintln!("skipped: {reason}");
    }
    there
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A published server over its standard streams.
pub(crate) fn stdio(name: &str, args: &[&str]) -> Option<ServerConfig> {
    let program = published(name)?;
    let mut all = vec![program.to_str().unwrap()];
    all.extend(args);
    Some(ServerConfig::command(name, "node", all))
}

/// The server that behaves badly. `heard` is the file in which it writes down what it hears.
pub(crate) fn bad(name: &str, how: &str, heard: &Path) -> ServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/misbehaving.py");
    ServerConfig::command(name, "python3", [script, how, heard.to_str().unwrap()])
}

/// The events of servers, as they come.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<McpEvent>>>);

impl Events {
    pub(crate) fn options(&self) -> McpOptions {
        let events = self.clone();
        McpOptions::default().watched_by(Arc::new(move |event| events.0.lock().unwrap().push(event.clone())))
    }

    /// The messages of one kind.
    pub(crate) fn of(&self, kind: McpEventKind) -> Vec<String> {
        let events = self.0.lock().unwrap();
        events.iter().filter(|event| event.kind == kind).map(ToString::to_string).collect()
    }
}

/// Connects to servers.
pub(crate) async fn connected(servers: Vec<ServerConfig>, options: &McpOptions) -> McpServers {
    let config = servers.into_iter().fold(McpConfig::default(), McpConfig::with);
    McpServers::connect(&config, options).await
}

/// Waits until something holds, for at most twenty seconds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("in vain: {what}");
}

/// Whether a process is there and is no zombie.
pub(crate) fn is_alive(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}
