//! Ollama's own interface.

use graphloom_llm::providers::Remote;
use graphloom_llm::{
    ChatModel, ChatRequest, DocumentSource, Effort, FinishReason, ImageSource, Message, ModelError, Part, Reasoning,
    ResponseFormat, Role, Usage,
};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request};

use super::support::*;

const PROVIDER: &str = "ollama";

fn answer() -> Value {
    json!({
        "model": "qwen3", "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "Two calls.", "thinking": "hm", "tool_calls": [
            {"function": {"name": "tide", "arguments": {"place": "Brest"}}},
            {"function": {"name": "tide", "arguments": {}}}]},
        "done": true, "done_reason": "stop", "prompt_eval_count": 50, "prompt_eval_cached_count": 40, "eval_count": 7
    })
}

/// What every provider gets, but for the document, which Ollama cannot read.
fn without_document() -> ChatRequest {
    let mut request = everything("ollama", json!("x"));
    request.messages[1].parts.retain(|part| !matches!(part, Part::Document { .. }));
    request
}

#[tokio::test]
async fn everything_is_sent_in_its_place() {
    let (response, sent) = exchange(PROVIDER, "", without_document(), &answer()).await;
    response.unwrap();
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is this?", "images": [PICTURE]},
            {"role": "assistant", "content": "", "thinking": "Look it up.", "tool_calls": [
                {"function": {"name": "tide", "arguments": {"place": "Brest"}}},
                {"function": {"name": "tide", "arguments": {"place": "Dover"}}}]},
            {"role": "tool", "content": "6 m", "tool_name": "tide"},
            {"role": "tool", "content": "error: no such place", "tool_name": "tide"}
        ],
        "stream": false,
        "tools": [{"type": "function", "function": {
            "name": "tide", "description": "The height of the tide.",
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}}],
        "think": "low",
        "options": {"num_ctx": 8192, "num_predict": 900, "seed": i32::MAX, "temperature": 0.7, "top_p": 0.95,
            "stop": ["END"]}
    });
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_whole_answer_has_all_its_parts() {
    let (response, _) = exchange(PROVIDER, "", ChatRequest::user("?"), &answer()).await;
    let response = response.unwrap();
    assert_eq!(response.text(), "Two calls.");
    assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: None });
    let calls: Vec<_> = response.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("call_0", json!({"place": "Brest"})), ("call_1", json!({}))]);
    assert_eq!(response.finish, FinishReason::ToolCalls);
    assert_eq!(response.usage, Usage { input: 50, output: 7, cache_read: 40, ..Usage::default() });
}

#[tokio::test]
async fn lines_are_a_stream() {
    let line =
        |content: &str| json!({"model": "qwen3", "message": {"role": "assistant", "content": content}, "done": false});
    let mut last = answer();
    last["message"] = json!({"role": "assistant", "content": ""});
    last["done_reason"] = json!("length");
    let body: String = [line("größe "), line("日本"), last].iter().map(|line| format!("{line}\n")).collect();
    // The last line may lack its end.
    for body in [body.as_str(), body.trim_end()] {
        let events = streamed(PROVIDER, "", body, "application/x-ndjson").await;
        let response = done(&events);
        assert_eq!((response.text().as_str(), &response.finish), ("größe 日本", &FinishReason::Length));
        assert_eq!(response.usage.total(), 57);
    }
    let body = format!("{}\n{}\n", line("half"), json!({"error": "an error was encountered while running the model"}));
    let events = streamed(PROVIDER, "", &body, "application/x-ndjson").await;
    let Some(Err(ModelError::StreamInterrupted { partial, message, .. })) = events.last() else { panic!("{events:?}") };
    assert!(partial == "half" && message.contains("an error was encountered"), "{message}");
}

#[tokio::test]
async fn a_schema_is_the_format_and_any_object_a_word() {
    let (_, sent) = exchange(PROVIDER, "", structured_request(), &answer()).await;
    assert_eq!(sent["format"]["properties"]["n"], json!({"type": "integer", "minimum": 1}));
    let request = ChatRequest { format: ResponseFormat::JsonObject, ..ChatRequest::user("?") };
    let (_, sent) = exchange(PROVIDER, "", request, &answer()).await;
    assert_eq!(sent["format"], "json");
}

#[tokio::test]
async fn a_long_conversation_gets_a_context_that_it_fits_into() {
    for (length, expected) in [(10, 8192), (30_000, 16_384), (200_000, 131_072)] {
        let (_, sent) = exchange(PROVIDER, "", ChatRequest::user("x".repeat(length)), &answer()).await;
        assert_eq!(sent["options"]["num_ctx"], expected, "{length}");
    }
    let server = serve(json_answer(&answer())).await;
    let mut config = config(PROVIDER, &server, "");
    config.context = Some(4096);
    Remote::new(config).unwrap().chat(ChatRequest::user("?")).await.unwrap();
    assert_eq!(bodies(&server).await[0]["options"]["num_ctx"], 4096);
}

#[tokio::test]
async fn what_ollama_cannot_do_is_told_before_anything_is_sent() {
    let with = |part| ChatRequest {
        messages: vec![Message { role: Role::User, parts: vec![part] }],
        ..ChatRequest::default()
    };
    let source = DocumentSource::Base64 { media_type: "application/pdf".into(), data: PDF.into() };
    let image = ImageSource::Url { url: "https://h.example/a.png".into() };
    for (part, expected) in [
        (Part::Document { name: None, source }, "`ollama:m` cannot read documents"),
        (Part::Image { source: image }, "`ollama:m` cannot fetch images from an address"),
    ] {
        let (response, sent) = exchange(PROVIDER, "", with(part), &answer()).await;
        assert_eq!((response.unwrap_err().to_string().as_str(), sent), (expected, Value::Null));
    }
}

#[tokio::test]
async fn a_model_that_does_not_think_is_asked_without() {
    let server = MockServer::start().await;
    Mock::given(path("/api/chat"))
        .respond_with(|request: &Request| {
            let body: Value = request.body_json().unwrap();
            match body.get("think") {
                Some(_) => {
                    ResponseTemplate::new(400).set_body_json(json!({"error": "\"llama3.2\" does not support thinking"}))
                }
                None => json_answer(&answer()),
            }
        })
        .mount(&server)
        .await;
    let model = Remote::new(config(PROVIDER, &server, "")).unwrap();
    let mut request = ChatRequest::user("?");
    request.params.reasoning = Some(Reasoning::Effort(Effort::High));
    model.chat(request.clone()).await.unwrap();
    model.chat(request).await.unwrap();
    let thinks: Vec<Value> = bodies(&server).await.iter().map(|body| body["think"].clone()).collect();
    assert_eq!(thinks, [json!("high"), Value::Null, Value::Null]);
}
