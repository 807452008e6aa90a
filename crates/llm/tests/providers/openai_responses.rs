//! OpenAI's responses.

use graphloom_llm::providers::Remote;
use graphloom_llm::{
    ChatModel, ChatRequest, DocumentSource, FinishReason, Message, ModelError, Part, Role, ToolChoice, Usage,
};
use serde_json::{Value, json};
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::*;

const PROVIDER: &str = "openai";
const BASE: &str = "/v1";

fn answer() -> Value {
    json!({
        "id": "resp_1", "object": "response", "status": "completed", "model": "gpt-x-1", "error": null,
        "incomplete_details": null,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "opaque", "status": "completed"},
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": "Two calls.", "annotations": []}]},
            {"type": "function_call", "call_id": "c1", "name": "tide", "arguments": "{\"place\":\"Brest\"}"},
            {"type": "function_call", "call_id": "c2", "name": "tide", "arguments": "{}"}
        ],
        "usage": {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 5},
            "output_tokens": 27, "output_tokens_details": {"reasoning_tokens": 20}}
    })
}

#[tokio::test]
async fn everything_is_sent_in_its_place() {
    let kept = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque"});
    let (response, sent) = exchange(PROVIDER, BASE, everything("openai_responses", kept.clone()), &answer()).await;
    response.unwrap();
    let expected = json!({
        "model": "m",
        "input": [
            {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Be brief."}]},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "detail": "auto", "image_url": format!("data:image/png;base64,{PICTURE}")},
                {"type": "input_file", "filename": "tides.pdf",
                    "file_data": format!("data:application/pdf;base64,{PDF}")}]},
            kept,
            {"type": "function_call", "call_id": "toolu_1", "name": "tide", "arguments": "{\"place\":\"Brest\"}"},
            {"type": "function_call", "call_id": "toolu_2", "name": "tide", "arguments": "{\"place\":\"Dover\"}"},
            {"type": "function_call_output", "call_id": "toolu_1", "output": "6 m"},
            {"type": "function_call_output", "call_id": "toolu_2", "output": "error: no such place"}
        ],
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "minimal"},
        "tools": [{"type": "function", "name": "tide", "description": "The height of the tide.", "strict": true,
            "parameters": strict_parameters()}],
        "parallel_tool_calls": false,
        "temperature": 0.7, "top_p": 0.95, "max_output_tokens": 900
    });
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_whole_answer_has_all_its_parts_and_goes_back() {
    let server = MockServer::start().await;
    Mock::given(header("authorization", "Bearer sk-loopback"))
        .and(path("/v1/responses"))
        .respond_with(json_answer(&answer()))
        .mount(&server)
        .await;
    let model = Remote::new(config(PROVIDER, &server, BASE)).unwrap();
    let response = model.chat(ChatRequest::user("?")).await.unwrap();
    assert_eq!(response.text(), "Two calls.");
    assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: None });
    let calls: Vec<_> = response.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("c1", json!({"place": "Brest"})), ("c2", json!({}))]);
    assert_eq!((&response.finish, response.model.as_str()), (&FinishReason::ToolCalls, "gpt-x-1"));
    assert_eq!(
        response.usage,
        Usage { input: 50, output: 27, cache_read: 30, cache_write: 5, reasoning: 20, cost: None }
    );

    let messages = vec![Message::user("?"), response.message.clone()];
    model.chat(ChatRequest { messages, ..ChatRequest::default() }).await.unwrap();
    let sent = bodies(&server).await.pop().unwrap();
    let expected = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "opaque"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two calls."}]},
        {"type": "function_call", "call_id": "c1", "name": "tide", "arguments": "{\"place\":\"Brest\"}"},
        {"type": "function_call", "call_id": "c2", "name": "tide", "arguments": "{}"}]);
    assert_eq!(sent["input"].as_array().unwrap()[1..], expected.as_array().unwrap()[..]);
}

#[tokio::test]
async fn a_stream_says_the_same_with_or_without_numbers() {
    let kept = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque"});
    let events = [
        json!({"type": "response.created", "response": {"model": "gpt-x-1", "status": "in_progress"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}}),
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "item_id": "rs_1", "summary_index": 0}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "item_id": "rs_1", "delta": "hm"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": kept}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "msg_1"}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "msg_1", "content_index": 0, "delta": "größe "}),
        json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "msg_1", "content_index": 0, "delta": "日本"}),
        json!({"type": "response.output_item.added", "output_index": 2,
            "item": {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "tide", "arguments": ""}}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "item_id": "fc_1", "delta": "{\"place\":"}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "item_id": "fc_1", "delta": "\"Brest\"}"}),
        json!({"type": "response.output_item.done", "output_index": 2, "item": {"type": "function_call", "id": "fc_1",
            "call_id": "c1", "name": "tide", "arguments": "{\"place\":\"Brest\"}"}}),
        json!({"type": "response.completed", "response": {"status": "completed", "model": "gpt-x-1",
            "usage": {"input_tokens": 5, "output_tokens": 2}}}),
        json!({"type": "error", "message": "after the end"}),
    ];
    for numbered in [true, false] {
        let body: String = events
            .iter()
            .cloned()
            .map(|mut event| {
                if !numbered {
                    event.as_object_mut().unwrap().remove("output_index");
                }
                format!("event: {}\ndata: {event}\n\n", event["type"])
            })
            .collect();
        let events = streamed(PROVIDER, BASE, &body, "text/event-stream").await;
        let response = done(&events);
        assert_eq!(response.text(), "größe 日本");
        assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: None });
        let encrypted = Part::EncryptedReasoning { wire: "openai_responses".into(), data: kept.clone() };
        assert_eq!(response.message.parts[1], encrypted);
        let calls: Vec<_> = response.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
        assert_eq!(calls, [("c1", json!({"place": "Brest"}))]);
        assert_eq!((&response.finish, response.usage.total()), (&FinishReason::ToolCalls, 7));
    }
}

#[tokio::test]
async fn an_answer_that_failed_says_why() {
    for (code, expected) in [
        ("rate_limit_exceeded", "rate_limited"),
        ("insufficient_quota", "quota"),
        ("context_length_exceeded", "context_length"),
        ("server_error", "server"),
        ("invalid_prompt", "invalid"),
    ] {
        let failed = json!({"status": "failed", "output": [], "error": {"code": code, "message": "m"}});
        let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &failed).await;
        let error = response.unwrap_err();
        assert_eq!(serde_json::to_value(&error).unwrap()["error"], expected, "{error}");
        assert_eq!(error.request_id(), Some("req_7"));
        for event in [
            json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": code, "message": "m"}}}),
            json!({"type": "error", "code": code, "message": "m", "param": null}),
        ] {
            let events = streamed(PROVIDER, BASE, &format!("data: {event}\n\n"), "text/event-stream").await;
            let Some(Err(error)) = events.last() else { panic!("{events:?}") };
            assert_eq!(serde_json::to_value(error).unwrap()["error"], expected, "{event}: {error}");
        }
    }
    let cut = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "half"}]},
        {"type": "function_call", "call_id": "c", "name": "tide", "arguments": "{\"pla"}]});
    let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &cut).await;
    let response = response.unwrap();
    assert_eq!((&response.finish, response.tool_calls().count()), (&FinishReason::Length, 0), "half a call is none");
    let refusal = json!({"status": "completed", "output": [
        {"type": "message", "content": [{"type": "refusal", "refusal": "not that"}]}]});
    let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &refusal).await;
    assert!(matches!(response, Err(ModelError::Refused { message, .. }) if message == "not that"));
}

#[tokio::test]
async fn a_schema_is_strict_and_documents_may_be_addresses() {
    let (_, sent) = exchange(PROVIDER, BASE, structured_request(), &answer()).await;
    let format = &sent["text"]["format"];
    assert_eq!(
        (&format["type"], &format["strict"], &format["name"]),
        (&json!("json_schema"), &json!(true), &json!("answer"))
    );
    assert_eq!(format["schema"]["required"], json!(["n", "note"]));
    let source = DocumentSource::Url { url: "https://h.example/a.pdf".into() };
    let message = Message { role: Role::User, parts: vec![Part::Document { name: None, source }] };
    let request = ChatRequest { messages: vec![message], ..ChatRequest::default() };
    let (_, sent) = exchange(PROVIDER, BASE, request, &answer()).await;
    assert_eq!(sent["input"][0]["content"][0], json!({"type": "input_file", "file_url": "https://h.example/a.pdf"}));
    let mut request = everything("x", Value::Null);
    request.tool_choice = ToolChoice::Named("tide".into());
    let (_, sent) = exchange(PROVIDER, BASE, request, &answer()).await;
    assert_eq!(sent["tool_choice"], json!({"type": "function", "name": "tide"}));
}

#[tokio::test]
async fn a_model_without_encrypted_reasoning_is_asked_without() {
    let server = serve(|request: &Request| {
        let body: Value = request.body_json().unwrap();
        if body.get("include").is_some() {
            let error = json!({"error": {"message": "Encrypted content is not supported with this model.",
                "type": "invalid_request_error", "param": "include", "code": null}});
            return ResponseTemplate::new(400).set_body_json(error);
        }
        json_answer(&answer())
    })
    .await;
    let model = Remote::new(config(PROVIDER, &server, BASE)).unwrap();
    model.chat(ChatRequest::user("?")).await.unwrap();
    model.chat(ChatRequest::user("?")).await.unwrap();
    assert_eq!(bodies(&server).await.len(), 3);
}
