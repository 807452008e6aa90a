//! Servers for the tests.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use graphloom_test_support::mcp::{published, python};

use graphloom_mcp::{McpConfig, McpEvent, McpEventKind, McpOptions, McpServers, ServerConfig};

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
