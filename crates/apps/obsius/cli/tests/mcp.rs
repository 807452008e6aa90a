//! Tools of MCP servers in a run. The model is a scripted server; the MCP server is a published one.

use graphloom_test_support::mcp::{program, published};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::{TestDir, text};

/// A model that adds two numbers by a tool and writes one, and then answers with what it was told.
fn adds(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let call = |id: &str, name: &str, arguments: Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    let results: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .filter_map(|message| message["content"].as_str())
        .collect();
    let message = if body.get("tools").is_some() && results.is_empty() {
        json!({"role": "assistant", "content": null, "tool_calls": [
            call("1", "get-sum", json!({"a": 40, "b": 2})),
            call("2", "toggle-simulated-logging", json!({})),
            call("3", "read_note", json!({"path": "Tides.md"})),
        ]})
    } else {
        json!({"role": "assistant", "content": format!("I was told: {}", results.join(" | "))})
    };
    let finish = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "answer", "object": "chat.completion", "created": 1, "model": "adder",
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    }))
}

#[test]
fn a_run_uses_what_a_server_has_that_only_reads() {
    let Some(everything) = published("everything") else { return };
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(adds).mount(&server).await;
        server
    });
    let dir = TestDir::new();
    let servers = json!({"mcpServers": {"all": {"command": program("node"), "args": [everything]}}});
    dir.write("servers.json", &servers.to_string());
    let model = format!("compatible:adder@{}/v1", server.uri());
    let line = ["run", "What is 40 and 2?", "--vault", "vault", "--model", &model, "--no-input", "--json"];
    let output = dir.run(&[&line[..], &["--mcp-config", "servers.json"]].concat());
    let told = text(&output.stdout);
    let requests: Vec<Value> = runtime
        .block_on(server.received_requests())
        .unwrap()
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    let offered: Vec<&str> = requests
        .iter()
        .filter_map(|request| request["tools"].as_array())
        .flatten()
        .filter_map(|tool| tool["function"]["name"].as_str())
        .collect();
    assert!(offered.contains(&"get-sum") && offered.contains(&"create_note"), "{offered:?}\n{told}");
    assert!(!offered.contains(&"toggle-simulated-logging"), "it changes something: {offered:?}");
    assert!(told.contains("The sum of 40 and 2 is 42."), "{told}");
    assert!(told.contains("Tides are moved by the moon."), "{told}");
    let sent = requests.iter().map(Value::to_string).collect::<String>();
    assert!(sent.contains("from: MCP server all, tool get-sum"), "the answer of a server is fenced");
    assert!(!sent.contains("Simulated logging"), "what changes something was not called");

    // A file that is wrong ends the run before it begins.
    dir.write("servers.json", "{}");
    let output = dir.run(&[&line[..], &["--mcp-config", "servers.json"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("it has no `mcpServers`"), "{}", text(&output.stdout));
}
