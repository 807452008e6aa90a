//! A run that its budget stops reports the calls that it made. The server is scripted, and counts.

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::{TestDir, text};

/// A model that searches without end, each time for something else.
fn searches(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let asked = body["messages"].as_array().unwrap().len();
    let arguments = json!({ "query": format!("tides {asked}") }).to_string();
    let call = json!({ "id": "1", "type": "function", "function": { "name": "search_notes", "arguments": arguments } });
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "answer", "object": "chat.completion", "created": 1, "model": "seeker",
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
        "choices": [{ "index": 0, "finish_reason": "tool_calls",
            "message": { "role": "assistant", "content": null, "tool_calls": [call] } }],
    }))
}

/// The events of `--json`.
fn events(output: &std::process::Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_spent_budget_reports_the_calls_that_were_made() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(searches).mount(&server).await;
        server
    });
    let served = || runtime.block_on(server.received_requests()).unwrap().len() as u64;
    let model = format!("compatible:seeker@{}/v1", server.uri());
    for calls in [1, 2, 4] {
        let (dir, before, budget) = (TestDir::new(), served(), format!("calls={calls}"));
        let begin = ["run", "Where is the moon?", "--vault", "vault", "--model", &model, "--thread", "poor"];
        let output = dir.run(&[&begin[..], &["--budget", &budget, "--json"]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{budget}: {said}");
        assert_eq!(served() - before, calls, "{budget}: {said}");
        assert!(said.contains(&format!("{calls} calls, {} tokens", 120 * calls)), "{budget}: {said}");
        let events = events(&output);
        let failure = events.iter().find(|event| event["event"] == "failure").unwrap();
        assert_eq!(failure["spent"]["calls"].as_u64(), Some(calls), "{budget}: {failure}");
        assert_eq!(failure["spent"]["tokens"].as_u64(), Some(120 * calls), "{budget}: {failure}");

        // A larger budget goes a little further, and what was spent before counts.
        let more = format!("calls={}", calls + 1);
        let output = dir.run(&["resume", "poor", "--budget", &more]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{more}: {said}");
        assert_eq!(served() - before, calls + 1, "{more}: {said}");
        assert!(said.contains(&format!("{} calls, ", calls + 1)), "{more}: {said}");
    }
}
