//! Embeddings of every wire that has them.

use graphloom_llm::providers::{ApiKey, Provider, RemoteConfig, RemoteEmbedder};
use graphloom_llm::{Embedder, EmbeddingPurpose, ModelError};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::raw::Raw;
use super::support::{bodies, config, serve};

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

/// Answers in the wire of the path, with the vector `[number, 1]` of the text `text {number}`.
fn answer(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().unwrap();
    let number = |text: &Value| text.as_str().unwrap().trim_start_matches("text ").parse::<f64>().unwrap();
    let inputs = |list: &Value| list.as_array().unwrap().iter().map(number).collect::<Vec<_>>();
    let answer = match request.url.path() {
        "/v1/embeddings" => {
            let entry = |(index, n): (usize, &f64)| json!({"object": "embedding", "index": index, "embedding": [n, 1]});
            let numbers = inputs(&body["input"]);
            let entries = numbers.iter().enumerate().map(entry).rev().collect::<Vec<_>>();
            json!({"object": "list", "data": entries, "usage": {"prompt_tokens": numbers.len(), "total_tokens": 9999}})
        }
        "/api/embed" => {
            let numbers = inputs(&body["input"]);
            let vectors = numbers.iter().map(|n| json!([n, 1])).collect::<Vec<_>>();
            json!({"model": body["model"], "embeddings": vectors, "prompt_eval_count": numbers.len()})
        }
        "/v1beta/models/m:batchEmbedContents" => {
            let requests = body["requests"].as_array().unwrap();
            let vectors =
                requests.iter().map(|request| json!({"values": [number(&request["content"]["parts"][0]["text"]), 1]}));
            json!({"embeddings": vectors.collect::<Vec<_>>()})
        }
        other => panic!("{other}"),
    };
    ResponseTemplate::new(200).set_body_json(answer)
}

/// Every wire with the path of its base address, and the most texts of a request.
const WIRES: [(&str, &str, usize); 4] =
    [("openai", "/v1", 128), ("compatible", "/v1", 128), ("ollama", "", 64), ("gemini", "/v1beta", 100)];

#[tokio::test]
async fn every_wire_gives_a_vector_of_each_text_in_its_order() {
    for (provider, base, most) in WIRES {
        let server = serve(answer).await;
        let model = RemoteEmbedder::new(config(provider, &server, base)).unwrap();
        assert_eq!(model.limits().texts, most, "{provider}");
        let made = model.embed(&texts(300), EmbeddingPurpose::Passage).await.unwrap();
        assert_eq!(made.vectors.len(), 300);
        for (number, vector) in made.vectors.iter().enumerate() {
            let length = (number as f64).hypot(1.0);
            assert!((f64::from(vector[0]) - number as f64 / length).abs() < 1e-6, "{provider} {number}");
            assert!((f64::from(vector[1]) - 1.0 / length).abs() < 1e-6, "{provider} {number}");
        }
        let tokens = if provider == "gemini" { 0 } else { 300 };
        assert_eq!(made.usage.input, tokens, "{provider}");
        assert_eq!(server.received_requests().await.unwrap().len(), 300_usize.div_ceil(most), "{provider}");
        assert!(model.embed(&[], EmbeddingPurpose::Query).await.unwrap().vectors.is_empty());
    }
}

#[tokio::test]
async fn gemini_is_told_what_a_text_is() {
    let server = serve(answer).await;
    let model = RemoteEmbedder::new(config("gemini", &server, "/v1beta")).unwrap();
    model.embed(&texts(1), EmbeddingPurpose::Passage).await.unwrap();
    model.embed(&texts(1), EmbeddingPurpose::Query).await.unwrap();
    let tasks: Vec<Value> = bodies(&server).await.iter().map(|body| body["requests"][0]["taskType"].clone()).collect();
    assert_eq!(tasks, ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]);
    assert_eq!(bodies(&server).await[0]["requests"][0]["model"], "models/m");
}

#[tokio::test]
async fn what_is_no_list_of_vectors_is_told() {
    for (provider, base, _) in WIRES {
        for (body, told) in [
            ("<html>", "answers something else"),
            ("{}", "answers something else"),
            (r#"{"embeddings": [[1], [2]], "data": [{"embedding": [1]}, {"embedding": [2]}]}"#, ""),
            (r#"{"embeddings": [["x"]], "data": [{"embedding": ["x"]}]}"#, "answers something else"),
            (r#"{"embeddings": [[]], "data": [{"embedding": []}]}"#, ""),
        ] {
            let server = serve(ResponseTemplate::new(200).set_body_string(body)).await;
            let model = RemoteEmbedder::new(config(provider, &server, base)).unwrap();
            let error = model.embed(&texts(1), EmbeddingPurpose::Passage).await.unwrap_err();
            assert!(matches!(&error, ModelError::Parse { .. }), "{provider} {body}: {error}");
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}

#[tokio::test]
async fn failures_are_those_of_chats() {
    for (provider, base, _) in WIRES {
        for (status, body, kind) in [
            (401, json!({"error": {"message": "bad sk-loopback"}}), "auth"),
            (429, json!({"error": {"message": "slow down"}}), "rate_limited"),
            (404, json!({"error": {"message": "no such model"}}), "invalid"),
            (400, json!({"error": {"message": "maximum context length is 5 tokens"}}), "context_length"),
            (200, json!({"error": {"message": "sk-loopback is no key", "code": 401}}), "auth"),
            (503, json!({}), "server"),
        ] {
            let server = serve(ResponseTemplate::new(status).set_body_json(body)).await;
            let model = RemoteEmbedder::new(config(provider, &server, base)).unwrap();
            let error = model.embed(&texts(1), EmbeddingPurpose::Passage).await.unwrap_err();
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{provider} {status}: {error}");
            assert!(!format!("{error:?}").contains("sk-loopback"), "{error:?}");
        }
    }
    let error = RemoteEmbedder::new(RemoteConfig::new(Provider::named("anthropic").unwrap(), "m")).unwrap_err();
    assert!(error.to_string().contains("`anthropic` offers no embeddings"), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_a_key_goes_in_a_header_only() {
    for (provider, base, _) in WIRES {
        let elsewhere = MockServer::start().await;
        Mock::given(path("/v1/embeddings")).respond_with(answer).mount(&elsewhere).await;
        let reply = ResponseTemplate::new(307).insert_header("location", format!("{}/v1/embeddings", elsewhere.uri()));
        let server = serve(reply).await;
        let model = RemoteEmbedder::new(config(provider, &server, base)).unwrap();
        let error = model.embed(&texts(1), EmbeddingPurpose::Passage).await.unwrap_err();
        assert!(error.to_string().contains("which is not followed"), "{error}");
        assert!(elsewhere.received_requests().await.unwrap().is_empty());

        let server = Raw::start(|mut socket| async move {
            let _ = socket.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
        })
        .await;
        let mut config = RemoteConfig::new(Provider::named(provider).unwrap(), "m").at(server.address.as_str());
        config.key = ApiKey::new("sk-once");
        let model = RemoteEmbedder::new(config).unwrap();
        model.embed(&texts(1), EmbeddingPurpose::Passage).await.unwrap_err();
        assert!(server.saw("sk-once\r\n") && !server.saw("=sk-once"), "{provider}");
        let mut open = RemoteConfig::new(Provider::named(provider).unwrap(), "m").at("http://10.0.0.1/v1");
        open.key = ApiKey::new("sk-once");
        assert!(RemoteEmbedder::new(open).unwrap_err().to_string().contains("everybody on the way"));
    }
}
