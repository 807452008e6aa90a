//! The client against a loopback server: what is sent, how errors read, what is learnt from rejections.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::layers::{Retry, RetryPolicy};
use graphloom_llm::providers::ApiKey;
use graphloom_llm::{
    ChatEvent, ChatModel, ChatRequest, ModelError, NoteKind, Remote, RemoteConfig, StructuredOptions, structured,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const ENDPOINT: &str = "/v1/chat/completions";

fn config(server: &MockServer) -> RemoteConfig {
    let mut config = RemoteConfig::compatible("m", format!("{}/v1", server.uri()));
    config.key = ApiKey::new("sk-loopback");
    config
}

fn answer(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2}
    }))
}

async fn serve(responses: impl wiremock::Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path(ENDPOINT)).respond_with(responses).mount(&server).await;
    server
}

async fn bodies(server: &MockServer) -> Vec<Value> {
    server.received_requests().await.unwrap().iter().map(|request| request.body_json().unwrap()).collect()
}

#[tokio::test]
async fn a_whole_answer_comes_with_its_tokens() {
    let server = MockServer::start().await;
    Mock::given(header("authorization", "Bearer sk-loopback"))
        .and(body_partial_json(json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]})))
        .respond_with(answer("hello"))
        .expect(1)
        .mount(&server)
        .await;
    let model = Remote::new(config(&server)).unwrap();
    let response = model.chat(ChatRequest::user("hi")).await.unwrap();
    assert_eq!((response.text().as_str(), response.usage.total(), response.model.as_str()), ("hello", 7, "m-1"));
}

#[tokio::test]
async fn a_stream_is_read_and_a_server_that_does_not_stream_too() {
    let events = concat!(
        "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n",
        "data: [DONE]\n\n",
    );
    for response in [ResponseTemplate::new(200).set_body_raw(events, "text/event-stream"), answer("hello")] {
        let server = serve(response).await;
        let model = Remote::new(config(&server)).unwrap();
        let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
        let Some(Ok(ChatEvent::Done(done))) = events.last() else { panic!("{events:?}") };
        assert_eq!((done.text().as_str(), done.usage.total()), ("hello", 7));
        assert_eq!(bodies(&server).await[0]["stream_options"]["include_usage"], true);
    }
}

#[tokio::test]
async fn errors_tell_their_kind_and_hide_the_key() {
    let cases: [(ResponseTemplate, &str, &str); 5] = [
        (
            ResponseTemplate::new(401).set_body_json(json!({"error": {"message": "Incorrect key: sk-loopback"}})),
            "auth",
            "refused the key: Incorrect key: [key]; set `LLM_API_KEY`",
        ),
        (
            ResponseTemplate::new(429).insert_header("retry-after", "7").set_body_string("slow down"),
            "rate_limited",
            "slow down",
        ),
        (ResponseTemplate::new(404).set_body_string(""), "invalid", "does the server have `m`?"),
        (
            ResponseTemplate::new(502).set_body_string("<html><title>Bad Gateway</title></html>"),
            "server",
            "status 502: Bad Gateway",
        ),
        (ResponseTemplate::new(200).set_body_string("<html>login</html>"), "parse", "chat completion"),
    ];
    for (response, kind, words) in cases {
        let server = serve(response).await;
        let model = Remote::new(config(&server)).unwrap();
        let error = model.chat(ChatRequest::user("hi")).await.unwrap_err();
        assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        if kind == "rate_limited" {
            assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        }
        assert!(!format!("{model:?} {error:?}").contains("sk-loopback"));
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = serve(answer("stolen")).await;
        let place = format!("{}{ENDPOINT}", elsewhere.uri());
        let server = serve(ResponseTemplate::new(status).insert_header("location", place.as_str())).await;
        let model = Remote::new(config(&server)).unwrap();
        for error in [
            model.chat(ChatRequest::user("hi")).await.unwrap_err(),
            model.stream(ChatRequest::user("hi")).await.map(|_| ()).unwrap_err(),
        ] {
            let told = error.to_string();
            assert!(told.contains(&format!("redirects to `{place}`")) && !error.is_retryable(), "{status}: {told}");
        }
        assert_eq!(bodies(&elsewhere).await, Vec::<Value>::new(), "{status}");
        assert_eq!(bodies(&server).await.len(), 2, "{status}");
    }
}

#[tokio::test]
async fn nobody_there_says_where() {
    let nobody = graphloom_test_support::ports::Deserted::new();
    let config = RemoteConfig::compatible("m", format!("http://{}/v1", nobody.address));
    let address = config.base_url.clone();
    let error = Remote::new(config).unwrap().chat(ChatRequest::user("hi")).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains(&address) && error.is_retryable(), "{error}");
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Verdict {
    approved: bool,
    #[serde(default)]
    notes: Vec<String>,
}

#[tokio::test]
async fn a_server_that_takes_no_schema_is_asked_otherwise_and_remembered() {
    let server = serve(|request: &Request| {
        let body: Value = request.body_json().unwrap();
        match body["response_format"]["type"].as_str() {
            Some("json_schema") => {
                ResponseTemplate::new(500).set_body_string("Input should be 'text' or 'json_object'")
            }
            Some(_) => ResponseTemplate::new(422).set_body_json(json!({"detail": "response_format is unknown"})),
            None => answer("Sure: {\"approved\": true}"),
        }
    })
    .await;
    let config = config(&server);
    let notes = config.notes.clone();
    let model = Remote::new(config).unwrap();
    for _ in 0..2 {
        let request = ChatRequest::user("good?");
        let verdict = structured::<Verdict>(&model, request, &StructuredOptions::default()).await.unwrap();
        assert!(verdict.value.approved && verdict.value.notes.is_empty());
    }
    let formats: Vec<Value> =
        bodies(&server).await.iter().map(|body| body["response_format"]["type"].clone()).collect();
    assert_eq!(formats, [json!("json_schema"), json!("json_object"), Value::Null, Value::Null]);
    let kinds: Vec<NoteKind> = notes.all().iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::Degraded, NoteKind::Degraded]);
    assert!(bodies(&server).await[3]["messages"][0]["content"].as_str().unwrap().contains("\"approved\""));
}

#[tokio::test]
async fn absent_members_that_strict_servers_send_as_null_are_read() {
    let server = serve(answer("{\"approved\": false, \"notes\": null}")).await;
    let model = Remote::new(config(&server)).unwrap();
    let verdict = structured::<Verdict>(&model, ChatRequest::user("?"), &StructuredOptions::default()).await.unwrap();
    assert!(verdict.value.notes.is_empty());
    let sent = &bodies(&server).await[0]["response_format"]["json_schema"];
    assert_eq!((&sent["strict"], &sent["name"]), (&json!(true), &json!("Verdict")));
    assert_eq!(sent["schema"]["additionalProperties"], false);
}

#[tokio::test]
async fn a_retry_waits_as_the_server_asks() {
    let server = MockServer::start().await;
    Mock::given(path(ENDPOINT))
        .respond_with(ResponseTemplate::new(429).insert_header("retry-after-ms", "20"))
        .up_to_n_times(2)
        .mount(&server)
        .await;
    Mock::given(path(ENDPOINT)).respond_with(answer("late")).mount(&server).await;
    let policy = RetryPolicy::default();
    let notes = policy.notes.clone();
    let model = Retry::new(Arc::new(Remote::new(config(&server)).unwrap()), policy);
    assert_eq!(model.chat(ChatRequest::user("hi")).await.unwrap().text(), "late");
    let told: Vec<String> = notes.all().into_iter().map(|note| note.message).collect();
    assert_eq!(told.len(), 2);
    assert!(told[0].contains("the next one comes in 20ms"), "{told:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_in_the_middle_keeps_the_words() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        let _ = socket.read(&mut buffer).await.unwrap();
        let data = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let text = format!("{head}{:x}\r\n{data}\r\n", data.len());
        socket.write_all(text.as_bytes()).await.unwrap();
    });
    let mut config = RemoteConfig::compatible("m", format!("http://127.0.0.1:{port}/v1"));
    config.key = None;
    let model = Remote::new(config).unwrap();
    let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
    serving.await.unwrap();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(
        matches!(&events[1], Err(ModelError::StreamInterrupted { partial, .. }) if partial == "half"),
        "{events:?}"
    );
}
