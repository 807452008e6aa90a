//! The models that a provider lists.

use graphloom_llm::ModelError;
use graphloom_llm::providers::{Provider, Remote};
use serde_json::json;
use wiremock::matchers::{header, path, query_param, query_param_is_missing};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::support::config;

fn told(models: &[graphloom_llm::providers::OfferedModel]) -> Vec<(&str, Option<u64>)> {
    models.iter().map(|model| (model.name.as_str(), model.context)).collect()
}

#[tokio::test]
async fn pages_are_read_to_the_end() {
    let server = MockServer::start().await;
    let page = |body| ResponseTemplate::new(200).set_body_json(body);
    Mock::given(path("/v1/models"))
        .and(query_param_is_missing("after_id"))
        .and(header("x-api-key", "sk-loopback"))
        .respond_with(page(json!({"data": [{"id": "a", "display_name": "A", "max_input_tokens": 9}], "has_more": true,
            "last_id": "a"})))
        .mount(&server)
        .await;
    Mock::given(path("/v1/models"))
        .and(query_param("after_id", "a"))
        .respond_with(page(json!({"data": [{"id": "b"}], "has_more": false, "last_id": "b"})))
        .mount(&server)
        .await;
    let models = Remote::new(config("anthropic", &server, "")).unwrap().list().await.unwrap();
    assert_eq!(told(&models), [("a", Some(9)), ("b", None)]);

    let server = MockServer::start().await;
    Mock::given(path("/v1beta/models"))
        .and(query_param_is_missing("pageToken"))
        .respond_with(page(json!({"models": [
            {"name": "models/g", "displayName": "G", "inputTokenLimit": 5, "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/e", "supportedGenerationMethods": ["embedContent"]}], "nextPageToken": "x&y"})))
        .mount(&server)
        .await;
    Mock::given(path("/v1beta/models"))
        .and(query_param("pageToken", "x&y"))
        .respond_with(page(json!({"models": [{"name": "models/h"}]})))
        .mount(&server)
        .await;
    let models = Remote::new(config("gemini", &server, "/v1beta")).unwrap().list().await.unwrap();
    assert_eq!(told(&models), [("g", Some(5)), ("h", None)]);
}

#[tokio::test]
async fn a_list_without_an_end_is_left() {
    let server = MockServer::start().await;
    let page = json!({"data": [{"id": "a"}], "has_more": true, "last_id": "a"});
    Mock::given(path("/v1/models")).respond_with(ResponseTemplate::new(200).set_body_json(page)).mount(&server).await;
    let models = Remote::new(config("anthropic", &server, "")).unwrap().list().await.unwrap();
    assert_eq!(models.len(), 2, "the second page names itself as the next one");
}

#[tokio::test]
async fn each_wire_has_its_list() {
    let server = MockServer::start().await;
    let ollama =
        json!({"models": [{"name": "qwen3:8b", "details": {"parameter_size": "8.2B", "quantization_level": "Q4"}}]});
    let openai = json!({"data": [{"id": "gpt-x"}]});
    for (place, body) in [("/api/tags", ollama), ("/v1/models", openai)] {
        Mock::given(path(place)).respond_with(ResponseTemplate::new(200).set_body_json(body)).mount(&server).await;
    }
    let models = Remote::new(config("ollama", &server, "")).unwrap().list().await.unwrap();
    assert_eq!((told(&models), models[0].title.as_deref()), (vec![("qwen3:8b", None)], Some("8.2B Q4")));
    for provider in ["openai", "openai-chat", "compatible"] {
        let models = Remote::new(config(provider, &server, "/v1")).unwrap().list().await.unwrap();
        assert_eq!(told(&models), [("gpt-x", None)], "{provider}");
    }
}

#[tokio::test]
async fn what_is_no_list_is_told() {
    for provider in Provider::all() {
        let server = MockServer::start().await;
        Mock::given(wiremock::matchers::any())
            .respond_with(ResponseTemplate::new(200).set_body_string("<html>"))
            .mount(&server)
            .await;
        let error = Remote::new(config(provider.name(), &server, "")).unwrap().list().await.unwrap_err();
        assert!(matches!(&error, ModelError::Parse { .. }) && error.to_string().contains("list of models"), "{error}");
    }
    let server = MockServer::start().await;
    let error = Remote::new(config("anthropic", &server, "")).unwrap().list().await.unwrap_err();
    assert!(matches!(error, ModelError::Invalid { .. }), "{error}");
}
