//! What a server rejects, and what its list says, is known to the next run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use graphloom_llm::providers::{LearntAbilities, Provider};
use graphloom_llm::{ChatModel, ChatRequest, Remote, RemoteConfig, ResponseFormat, StructuredSupport};
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// A server that takes no form of answer.
async fn server() -> MockServer {
    let server = MockServer::start().await;
    let answer = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if body.get("response_format").is_some() {
            return ResponseTemplate::new(400)
                .set_body_json(json!({"error": {"message": "unknown field response_format"}}));
        }
        let choice = json!({"finish_reason": "stop", "message": {"content": "{}"}});
        ResponseTemplate::new(200).set_body_json(json!({"choices": [choice]}))
    };
    Mock::given(method("POST")).respond_with(answer).mount(&server).await;
    server
}

#[tokio::test]
async fn a_rejection_is_remembered_by_the_next_run_for_this_model_only() {
    let (server, dir) = (server().await, tempfile::tempdir().unwrap());
    let file = dir.path().join("abilities.json");
    let asked = async |name: &str| {
        let mut config = RemoteConfig::compatible(name, format!("{}/v1", server.uri()));
        config.learnt = Some(LearntAbilities::open(&file));
        let model = Remote::new(config).unwrap();
        let before = server.received_requests().await.unwrap().len();
        let mut request = ChatRequest::user("x");
        request.format = ResponseFormat::JsonSchema { name: "n".into(), schema: json!({"type": "object"}) };
        model.chat(request).await.unwrap();
        (model.capabilities().structured, server.received_requests().await.unwrap().len() - before)
    };
    assert_eq!(asked("m").await, (StructuredSupport::JsonSchema, 3), "a schema, any object, then the prompt alone");
    assert_eq!(asked("m").await, (StructuredSupport::Prompted, 1), "the next run does not ask again");
    assert_eq!(asked("other").await, (StructuredSupport::JsonSchema, 3));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
    }
}

#[tokio::test]
async fn what_a_list_says_counts_for_a_model() {
    let (server, dir) = (MockServer::start().await, tempfile::tempdir().unwrap());
    let list = json!({"models": [
        {"name": "sees:1b", "capabilities": ["completion", "vision"], "details": {"context_length": 4096}},
        {"name": "calls:1b", "capabilities": ["completion", "tools"]},
        {"name": "silent:1b"},
    ]});
    Mock::given(method("GET"))
        .and(path("/api/tags"))
        .respond_with(ResponseTemplate::new(200).set_body_json(list))
        .mount(&server)
        .await;
    let ollama = Provider::named("ollama").unwrap();
    let learnt = LearntAbilities::open(&dir.path().join("abilities.json"));
    let config = |name: &str| {
        let mut config = RemoteConfig::new(ollama, name).at(server.uri());
        config.learnt = Some(learnt.clone());
        config
    };
    let models = Remote::new(config("any")).unwrap().list().await.unwrap();
    learnt.list(ollama, &server.uri(), &models);
    let can = |config: RemoteConfig| {
        let model = Remote::new(config).unwrap();
        let can = model.capabilities();
        (can.images, can.tools, can.context)
    };
    assert_eq!(can(config("sees:1b")), (true, false, Some(4096)));
    assert_eq!(can(config("calls:1b")), (false, true, None));
    assert_eq!(can(config("silent:1b")), (true, true, None), "as usual with the provider");
    // What the user says counts first.
    let mut told = config("sees:1b");
    (told.images, told.context) = (false, Some(2048));
    assert_eq!(can(told), (false, false, Some(2048)));
}
