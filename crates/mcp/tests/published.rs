//! Servers that others published and use: those of the protocol's own project, from npm, in the versions of
//! `.ci/mcp-servers`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use graphloom_agents::Risk;
use graphloom_llm::ImageSource;
use graphloom_mcp::{McpError, McpEventKind, McpServers, ServerConfig};
use graphloom_test_support::ports::on_free_ports;
use serde_json::{Value, json};

use crate::support::{Events, StandingClock, connected, patient, published, stdio, until};

/// How long a call of these servers may take.
const LIMIT: Duration = Duration::from_secs(2);

/// What the everything server shows of the protocol, whichever way it is reached. Time passes for the call alone that takes too
/// long.
async fn everything_is_there(servers: &McpServers, name: &str, clock: &mut StandingClock) {
    let reports = servers.reports();
    assert_eq!(reports[0].error, None);
    assert!(reports[0].identity.as_deref().unwrap().starts_with("mcp-servers/everything"), "{:?}", reports[0]);
    let risk = |tool: &str| reports[0].tools.iter().find(|each| each.original == tool).map(|each| each.risk);
    assert_eq!(risk("echo"), Some(Risk::Read));
    assert_eq!(risk("toggle-simulated-logging"), Some(Risk::Write));
    // It adds only, but to an open world.
    assert_eq!(risk("gzip-file-as-resource"), Some(Risk::Destructive));
    assert_eq!(risk("read_resource"), Some(Risk::Read));
    assert!(reports[0].tools.iter().all(|tool| !tool.unknown && !tool.asks));

    let call = |tool: &'static str, arguments: Value| async move { servers.call(name, tool, arguments).await };
    assert_eq!(call("echo", json!({"message": "hé 数"})).await.unwrap().content, "Echo: hé 数");
    assert_eq!(call("get-sum", json!({"a": 2, "b": 40})).await.unwrap().content, "The sum of 2 and 40 is 42.");
    let error = call("get-sum", json!({"a": "two"})).await.unwrap_err();
    assert!(matches!(error, McpError::Arguments { .. }), "{error:?}");

    let weather = call("get-structured-content", json!({"location": "Chicago"})).await.unwrap();
    assert!(weather.data["temperature"].is_number(), "{weather:?}");
    let image = call("get-tiny-image", json!({})).await.unwrap();
    let [ImageSource::Base64 { media_type, data }] = image.images.as_slice() else { panic!("{image:?}") };
    assert!(media_type == "image/png" && data.starts_with("iVBORw0KGgo"), "{media_type}");
    assert!(image.content.contains("[image 1: image/png"), "{}", image.content);
    let links = call("get-resource-links", json!({"count": 2})).await.unwrap();
    assert_eq!(links.content.matches("[resource `").count(), 2, "{}", links.content);
    let embedded = call("get-resource-reference", json!({"resourceType": "Text", "resourceId": 1})).await.unwrap();
    assert!(embedded.content.contains("resource demo://resource/dynamic/text/1:"), "{}", embedded.content);

    let resources = call("list_resources", json!({})).await.unwrap();
    let listed = resources.data.as_array().unwrap();
    assert!(!listed.is_empty() && resources.content.contains("[resource `"), "{resources:?}");
    let uri = listed[0]["uri"].as_str().unwrap();
    let read = call("read_resource", json!({ "uri": uri })).await.unwrap();
    assert!(read.content.len() > uri.len() + 20, "{}", read.content);
    assert_eq!(read.origin.as_deref(), Some(format!("MCP server {name}, resource {uri}").as_str()));
    let error = call("read_resource", json!({"uri": "demo://nowhere"})).await.unwrap_err();
    assert!(matches!(error, McpError::Protocol { .. }), "{error:?}");

    let prompts = call("list_prompts", json!({})).await.unwrap();
    assert!(prompts.data.as_array().unwrap().iter().any(|prompt| prompt["name"] == "args-prompt"), "{prompts:?}");
    let arguments = json!({"name": "args-prompt", "arguments": {"city": "Lisbon", "state": "Lisboa"}});
    let prompt = call("get_prompt", arguments).await.unwrap();
    assert!(prompt.content.starts_with("user:\n") && prompt.content.contains("Lisbon"), "{}", prompt.content);

    let long = call("trigger-long-running-operation", json!({"duration": 30, "steps": 3}));
    let error = clock.jumps(Box::pin(long)).await.unwrap_err();
    assert!(matches!(error, McpError::TimedOut { .. }), "{error:?}");
    assert!(call("echo", json!({"message": "still there"})).await.is_ok());
}

#[tokio::test]
async fn the_everything_server_over_its_standard_streams() {
    let Some(server) = stdio("everything", &["stdio"]) else { return };
    let mut clock = StandingClock::new();
    let events = Events::default();
    let servers = connected(vec![server.with_timeout(LIMIT)], &events.options()).await;
    Box::pin(everything_is_there(&servers, "everything", &mut clock)).await;
    // What it does not get of this process it cannot tell.
    let variables = servers.call("everything", "get-env", json!({})).await.unwrap().content;
    assert!(variables.contains("PATH") && !variables.contains("CARGO_MANIFEST_DIR"), "{variables}");
    assert!(events.of(McpEventKind::Failed).is_empty());
    clock.jumps(servers.close()).await;
}

/// A server that is ended with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The everything server at an address of this machine.
fn served() -> Option<(Served, String)> {
    let program = published("everything")?;
    Some(on_free_ports(|[port]| {
        let mut child = Command::new("node")
            .arg(&program)
            .arg("streamableHttp")
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let served = Served(child);
        let listens = lines.any(|line| line.unwrap().contains("listening on port"));
        // Its further words are read, so that it is never held up.
        std::thread::spawn(move || lines.for_each(drop));
        listens.then(|| (served, format!("http://127.0.0.1:{port}/mcp")))
    }))
}

#[tokio::test]
async fn the_everything_server_over_http() {
    let Some((process, address)) = served() else { return };
    let mut clock = StandingClock::new();
    let server = ServerConfig::http("web", address.parse().unwrap()).with_timeout(LIMIT);
    let mut options = patient();
    options.message_bytes = 50_000;
    let servers = connected(vec![server], &options).await;
    Box::pin(everything_is_there(&servers, "web", &mut clock)).await;
    let error = servers.call("web", "echo", json!({"message": "x".repeat(70_000)})).await.unwrap_err();
    assert!(matches!(error, McpError::TooLong { limit: 50_000, .. }), "{error:?}");
    assert!(servers.call("web", "echo", json!({"message": "x".repeat(30_000)})).await.is_ok());
    drop(process);
    let error = servers.call("web", "echo", json!({"message": "a"})).await.unwrap_err();
    assert!(matches!(error, McpError::Ended { .. } | McpError::Start { .. }), "{error:?}");
    assert!(!error.to_string().contains("/mcp"), "an address may hold a key: {error}");
}

#[tokio::test]
async fn the_file_server_reads_and_writes_in_its_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let Some(server) = stdio("filesystem", &[place.to_str().unwrap()]) else { return };
    let servers = connected(vec![server], &patient()).await;
    let path = place.join("note.md");
    let call = |tool: &'static str, arguments: Value| servers.call("filesystem", tool, arguments);
    call("write_file", json!({"path": path, "content": "Tides follow the moon."})).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "Tides follow the moon.");
    let read = call("read_text_file", json!({"path": path})).await.unwrap();
    assert_eq!(read.content, "Tides follow the moon.");
    assert_eq!(read.data, json!({"content": "Tides follow the moon."}));
    let error = call("read_text_file", json!({"path": "/etc/hostname"})).await.unwrap_err();
    assert!(matches!(&error, McpError::Tool { message, .. } if message.contains("Access denied")), "{error:?}");
    // A note that is there, and a limit that it is too long for.
    std::fs::write(&path, "x".repeat(3_000_000)).unwrap();
    let read = call("read_text_file", json!({"path": path})).await.unwrap();
    assert!(read.content.len() < 1_100_000 && read.content.contains("were left out"), "{}", read.content.len());
    assert!(read.data.is_null());
    let risks: Vec<(String, Risk)> =
        servers.reports()[0].tools.iter().map(|tool| (tool.name.clone(), tool.risk)).collect();
    for (tool, risk) in
        [("read_text_file", Risk::Read), ("create_directory", Risk::Write), ("write_file", Risk::Destructive)]
    {
        assert!(risks.contains(&(tool.to_owned(), risk)), "{risks:?}");
    }
}

#[tokio::test]
async fn the_memory_server_keeps_what_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = stdio("memory", &[]) else { return };
    let server = server.with_env("MEMORY_FILE_PATH", folder.path().join("memory.jsonl").to_str().unwrap());
    let servers = connected(vec![server.clone()], &patient()).await;
    let entities = json!({"entities": [{"name": "Lisbon", "entityType": "city", "observations": ["has tides"]}]});
    servers.call("memory", "create_entities", entities).await.unwrap();
    servers.close().await;
    let servers = connected(vec![server], &patient()).await;
    let found = servers.call("memory", "search_nodes", json!({"query": "tides"})).await.unwrap();
    assert_eq!(found.data["entities"][0]["name"], "Lisbon", "{found:?}");
}

#[tokio::test]
async fn the_thinking_server_counts_thoughts() {
    let Some(server) = stdio("sequential-thinking", &[]) else { return };
    let events = Events::default();
    let servers = connected(vec![server], &events.options()).await;
    let thought =
        json!({"thought": "The moon pulls.", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    let counted = servers.call("sequential-thinking", "sequentialthinking", thought).await.unwrap();
    assert_eq!(counted.data["thoughtNumber"], 1, "{counted:?}");
    // It writes its thoughts to its errors.
    until("a line of its errors", || !events.of(McpEventKind::Stderr).is_empty()).await;
}
