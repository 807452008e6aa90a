//! Anthropic's messages.

use graphloom_llm::providers::Remote;
use graphloom_llm::{
    ChatModel, ChatRequest, DocumentSource, Effort, FinishReason, ImageSource, Message, ModelError, NoteKind, Part,
    Reasoning, Role, ToolCall, ToolChoice, Usage,
};
use serde_json::{Value, json};
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::*;

const PROVIDER: &str = "anthropic";

fn answer() -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-1",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s1"},
            {"type": "redacted_thinking", "data": "secret"},
            {"type": "text", "text": "Two calls."},
            {"type": "tool_use", "id": "toolu_1", "name": "tide", "input": {"place": "Brest"}},
            {"type": "tool_use", "id": "toolu_2", "name": "tide", "input": {}}
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20,
            "output_tokens": 30, "output_tokens_details": {"thinking_tokens": 9}}
    })
}

#[tokio::test]
async fn everything_is_sent_in_its_place() {
    let (response, sent) = exchange(PROVIDER, "", everything("anthropic", json!("secret")), &answer()).await;
    response.unwrap();
    let expected = json!({
        "model": "m",
        "max_tokens": 900,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "low"},
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
                {"type": "document", "title": "tides.pdf",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Look it up.", "signature": "sig"},
                {"type": "redacted_thinking", "data": "secret"},
                {"type": "tool_use", "id": "toolu_1", "name": "tide", "input": {"place": "Brest"}},
                {"type": "tool_use", "id": "toolu_2", "name": "tide", "input": {"place": "Dover"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "6 m"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "no such place", "is_error": true,
                    "cache_control": {"type": "ephemeral"}}]}
        ],
        "tools": [{"name": "tide", "description": "The height of the tide.", "input_schema": strict_parameters(),
            "strict": true}],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": true},
        "stop_sequences": ["END"]
    });
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn the_key_and_the_version_are_headers() {
    for base in ["", "/", "/v1", "/v1/"] {
        let server = MockServer::start().await;
        Mock::given(header("x-api-key", "sk-loopback"))
            .and(header("anthropic-version", "2026-10-21"))
            .and(path("/v1/messages"))
            .respond_with(json_answer(&answer()))
            .expect(1)
            .mount(&server)
            .await;
        let model = Remote::new(config(PROVIDER, &server, base)).unwrap();
        assert_eq!(model.chat(ChatRequest::user("hi")).await.unwrap().request_id.as_deref(), Some("req_7"), "{base}");
        assert!(server.received_requests().await.unwrap()[0].headers.get("authorization").is_none());
    }
}

#[tokio::test]
async fn a_whole_answer_has_all_its_parts() {
    let (response, _) = exchange(PROVIDER, "", ChatRequest::user("?"), &answer()).await;
    let response = response.unwrap();
    let call = |id: &str, arguments: Value| Part::ToolCall(ToolCall { id: id.into(), name: "tide".into(), arguments });
    assert_eq!(
        response.message.parts,
        [
            Part::Reasoning { text: "hm".into(), signature: Some("s1".into()) },
            Part::EncryptedReasoning { wire: "anthropic".into(), data: json!("secret") },
            Part::Text { text: "Two calls.".into() },
            call("toolu_1", json!({"place": "Brest"})),
            call("toolu_2", json!({})),
        ]
    );
    assert_eq!((&response.finish, response.model.as_str()), (&FinishReason::ToolCalls, "claude-x-1"));
    assert_eq!(
        response.usage,
        Usage { input: 125, output: 30, cache_read: 100, cache_write: 20, reasoning: 9, cost: None }
    );
    assert_eq!(response.request_id.as_deref(), Some("req_7"));

    // What was read goes back as it came.
    let again = ChatRequest {
        messages: vec![Message::user("?"), response.message.clone(), Message::user("Go on.")],
        ..ChatRequest::default()
    };
    let (_, sent) = exchange(PROVIDER, "", again, &answer()).await;
    assert_eq!(sent["messages"][1]["content"], answer()["content"]);
}

#[tokio::test]
async fn a_stream_says_the_same() {
    let events = [
        json!({"type": "message_start", "message": {"model": "claude-x-1", "content": [],
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s1"}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "x"}}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "größe "}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "日本"}}),
        json!({"type": "content_block_start", "index": 3,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "tide", "input": {}}}),
        json!({"type": "content_block_delta", "index": 3,
            "delta": {"type": "input_json_delta", "partial_json": "{\"place\":"}}),
        json!({"type": "content_block_delta", "index": 3,
            "delta": {"type": "input_json_delta", "partial_json": " \"Brest\"}"}}),
        json!({"type": "content_block_stop", "index": 3}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 44}}),
        json!({"type": "message_stop"}),
    ];
    let body: String = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"])).collect();
    let events = streamed(PROVIDER, "", &body, "text/event-stream").await;
    let response = done(&events);
    assert_eq!(response.text(), "größe 日本");
    assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: Some("s1".into()) });
    assert_eq!(response.message.parts[1], Part::EncryptedReasoning { wire: "anthropic".into(), data: json!("x") });
    let calls: Vec<_> = response.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("toolu_1", json!({"place": "Brest"}))]);
    assert_eq!(response.usage, Usage { input: 105, output: 44, cache_read: 100, ..Usage::default() });
}

#[tokio::test]
async fn a_schema_goes_its_own_way_and_no_tool_is_forced_for_it() {
    let (_, sent) = exchange(PROVIDER, "", structured_request(), &answer()).await;
    let expected = json!({"format": {"type": "json_schema", "schema": {
        "type": "object", "required": ["n"], "additionalProperties": false,
        "properties": {"n": {"type": "integer", "description": "(minimum: 1)"}, "note": {"type": "string"}}}}});
    assert_eq!((&sent["output_config"], sent.get("tools")), (&expected, None));
}

#[tokio::test]
async fn reasoning_has_three_forms() {
    for (asked, thinking, effort, limit) in [
        (Reasoning::Effort(Effort::None), json!({"type": "disabled"}), Value::Null, 900),
        (Reasoning::Effort(Effort::High), json!({"type": "adaptive"}), json!("high"), 900),
        (Reasoning::Tokens(2000), json!({"type": "enabled", "budget_tokens": 2000}), Value::Null, 2900),
        (Reasoning::Tokens(5), json!({"type": "enabled", "budget_tokens": 1024}), Value::Null, 1924),
    ] {
        let mut request = ChatRequest::user("?");
        (request.params.reasoning, request.params.max_tokens) = (Some(asked), Some(900));
        let (_, sent) = exchange(PROVIDER, "", request, &answer()).await;
        assert_eq!(sent["thinking"], thinking, "{asked:?}");
        assert_eq!((&sent["output_config"]["effort"], &sent["max_tokens"]), (&effort, &json!(limit)), "{asked:?}");
    }
    let (_, sent) = exchange(PROVIDER, "", ChatRequest::user("?"), &answer()).await;
    assert_eq!((sent.get("thinking"), &sent["max_tokens"]), (None, &json!(16_384)));
}

#[tokio::test]
async fn addresses_are_sent_as_such_and_other_documents_are_refused() {
    let image = ImageSource::Url { url: "https://h.example/a.png".into() };
    let document = |source| Part::Document { name: None, source };
    let by_address = document(DocumentSource::Url { url: "https://h.example/a.pdf".into() });
    let with = |part| ChatRequest {
        messages: vec![Message { role: Role::User, parts: vec![Part::Image { source: image.clone() }, part] }],
        ..ChatRequest::default()
    };
    let (_, sent) = exchange(PROVIDER, "", with(by_address), &answer()).await;
    assert_eq!(
        sent["messages"][0]["content"],
        json!([
            {"type": "image", "source": {"type": "url", "url": "https://h.example/a.png"}},
            {"type": "document", "source": {"type": "url", "url": "https://h.example/a.pdf"}}])
    );
    let table = document(DocumentSource::Base64 { media_type: "text/csv".into(), data: "AA==".into() });
    let (refused, sent) = exchange(PROVIDER, "", with(table), &answer()).await;
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("`anthropic:m` cannot read documents of the type `text/csv`"), "{told}");
    assert_eq!(sent, Value::Null, "nothing was sent");
}

#[tokio::test]
async fn what_is_rejected_is_left_out_and_remembered() {
    let server = serve(|request: &Request| {
        let body: Value = request.body_json().unwrap();
        let rejected = |message: &str| {
            ResponseTemplate::new(400).set_body_json(json!({
                "type": "error", "error": {"type": "invalid_request_error", "message": message}}))
        };
        if body["thinking"]["type"] == "adaptive" {
            rejected("adaptive thinking is not supported on this model")
        } else if body["tool_choice"]["type"] == "any" {
            rejected("tool_choice: `any` is not supported on this model")
        } else if body.pointer("/system/0/cache_control").is_some() {
            rejected("system.0.cache_control: Extra inputs are not permitted")
        } else {
            json_answer(&answer())
        }
    })
    .await;
    let config = config(PROVIDER, &server, "");
    let notes = config.notes.clone();
    let model = Remote::new(config).unwrap();
    for _ in 0..2 {
        let mut request = everything("anthropic", json!("x"));
        request.tool_choice = ToolChoice::Required;
        request.params.max_tokens = Some(5000);
        model.chat(request).await.unwrap();
    }
    let bodies = bodies(&server).await;
    assert_eq!(bodies.len(), 5, "three rejections, then two answers");
    let last = &bodies[4];
    assert_eq!(last["thinking"], json!({"type": "enabled", "budget_tokens": 2048}));
    assert_eq!(last["tool_choice"]["type"], "auto");
    assert!(last.pointer("/system/0/cache_control").is_none());
    assert_eq!(notes.all().iter().filter(|note| note.kind == NoteKind::Degraded).count(), 3);
}

#[tokio::test]
async fn a_refusal_is_one_and_a_cut_answer_too() {
    let refusal = json!({"content": [], "stop_reason": "refusal", "stop_details": {"explanation": "not that"},
        "usage": {"input_tokens": 1, "output_tokens": 0}});
    let (response, _) = exchange(PROVIDER, "", ChatRequest::user("?"), &refusal).await;
    assert!(matches!(response, Err(ModelError::Refused { message, .. }) if message == "not that"));
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let cut = json!({"content": [{"type": "text", "text": "half"}], "stop_reason": reason});
        let (response, _) = exchange(PROVIDER, "", ChatRequest::user("?"), &cut).await;
        assert_eq!(response.unwrap().finish, FinishReason::Length, "{reason}");
    }
}
