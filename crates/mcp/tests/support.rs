//! Servers for the tests.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use graphloom_test_support::clock::StandingClock;
pub(crate) use graphloom_test_support::mcp::{published, python, saying};
pub(crate) use graphloom_test_support::wait::until_async as until;

use serde_json::{Value, json};

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

/// What a server says at its start: its beginning, nothing to the notification that follows, and its tools.
pub(crate) fn beginning(tools: &Value) -> [String; 3] {
    let begun = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "n", "version": "1"}});
    [answer(&begun), String::new(), answer(&json!({ "tools": tools }))]
}

/// The message that answers with a result.
pub(crate) fn answer(result: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":@ID@,"result":{result}}}"#)
}

/// A server that says what is written down here, see [`saying`].
pub(crate) fn says<S: AsRef<str>>(folder: &Path, answers: &[S]) -> ServerConfig {
    let (program, args) = saying(&folder.join("answers"), answers.iter().map(AsRef::as_ref));
    ServerConfig::command("odd", program, args)
}

/// Limits of time that no machine is too slow for, for tests that are not about them.
pub(crate) fn patient() -> McpOptions {
    let mut options = McpOptions::default();
    (options.start_limit, options.call_limit) = (Duration::from_secs(3_600), Duration::from_secs(3_600));
    options
}

/// The events of servers, as they come.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<McpEvent>>>);

impl Events {
    pub(crate) fn options(&self) -> McpOptions {
        let events = self.clone();
        patient().watched_by(Arc::new(move |event| events.0.lock().unwrap().push(event.clone())))
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

/// Whether a process is there and is no zombie.
pub(crate) fn is_alive(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}
