//! Gemini's `generateContent`.

use graphloom_llm::providers::Remote;
use graphloom_llm::{
    ChatModel, ChatRequest, Effort, FinishReason, Message, ModelError, Part, Reasoning, ToolChoice, Usage,
};
use serde_json::{Value, json};
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::*;

const PROVIDER: &str = "gemini";
const BASE: &str = "/v1beta";

fn answer() -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "hm", "thought": true},
            {"text": "Two calls."},
            {"functionCall": {"name": "tide", "args": {"place": "Brest"}}, "thoughtSignature": "sig1"},
            {"functionCall": {"id": "abc", "name": "tide", "args": {}}}
        ]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 50, "candidatesTokenCount": 7, "thoughtsTokenCount": 20,
            "cachedContentTokenCount": 30, "totalTokenCount": 77},
        "modelVersion": "gemini-x-1"
    })
}

#[tokio::test]
async fn everything_is_sent_in_its_place() {
    let (response, sent) = exchange(PROVIDER, BASE, everything("gemini", json!("sig1")), &answer()).await;
    response.unwrap();
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [
                {"text": "What is this?"},
                {"inlineData": {"mimeType": "image/png", "data": PICTURE}},
                {"inlineData": {"mimeType": "application/pdf", "data": PDF}}]},
            {"role": "model", "parts": [
                {"functionCall": {"name": "tide", "args": {"place": "Brest"}, "id": "toolu_1"},
                    "thoughtSignature": "sig1"},
                {"functionCall": {"name": "tide", "args": {"place": "Dover"}, "id": "toolu_2"}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "tide", "response": {"result": "6 m"}, "id": "toolu_1"}},
                {"functionResponse": {"name": "tide", "response": {"error": "no such place"}, "id": "toolu_2"}}]}
        ],
        "generationConfig": {
            "maxOutputTokens": 900, "stopSequences": ["END"], "seed": i32::MAX, "temperature": 0.7, "topP": 0.95,
            "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "MINIMAL"}},
        "tools": [{"functionDeclarations": [{
            "name": "tide", "description": "The height of the tide.",
            "parametersJsonSchema": {"type": "object", "properties": {"place": {"type": "string"}},
                "required": ["place"]}}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}
    });
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn the_model_stands_in_the_address_and_the_key_in_a_header() {
    for (name, place) in [("m", "/v1beta/models/m:"), ("tunedModels/a b", "/v1beta/tunedModels/a%20b:")] {
        let server = MockServer::start().await;
        for (method, reply) in [
            ("generateContent", json_answer(&answer())),
            (
                "streamGenerateContent",
                ResponseTemplate::new(200).set_body_raw(format!("data: {}\n\n", answer()), "text/event-stream"),
            ),
        ] {
            Mock::given(header("x-goog-api-key", "sk-loopback"))
                .and(path(format!("{place}{method}")))
                .respond_with(reply)
                .expect(1)
                .mount(&server)
                .await;
        }
        let mut config = config(PROVIDER, &server, BASE);
        config.name = name.into();
        let model = Remote::new(config).unwrap();
        model.chat(ChatRequest::user("hi")).await.unwrap();
        drop(model.stream(ChatRequest::user("hi")).await.unwrap());
        let requests = server.received_requests().await.unwrap();
        assert_eq!(requests[1].url.query(), Some("alt=sse"), "without it the answer is no stream of events");
        assert!(requests.iter().all(|request| request.headers.get("authorization").is_none()));
    }
}

#[tokio::test]
async fn a_whole_answer_goes_back_with_its_signatures() {
    let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &answer()).await;
    let response = response.unwrap();
    assert_eq!(response.text(), "Two calls.");
    assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: None });
    let ids: Vec<&str> = response.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "abc"]);
    assert_eq!((&response.finish, response.model.as_str()), (&FinishReason::ToolCalls, "gemini-x-1"));
    assert_eq!(
        response.usage,
        Usage { input: 50, output: 27, cache_read: 30, cache_write: 0, reasoning: 20, cost: None }
    );

    let again = ChatRequest { messages: vec![Message::user("?"), response.message.clone()], ..ChatRequest::default() };
    let (_, sent) = exchange(PROVIDER, BASE, again, &answer()).await;
    // Summaries of thoughts stay, and so does an id that the provider never gave.
    let expected = json!([
        {"text": "Two calls."},
        {"functionCall": {"name": "tide", "args": {"place": "Brest"}}, "thoughtSignature": "sig1"},
        {"functionCall": {"id": "abc", "name": "tide", "args": {}}}]);
    assert_eq!(sent["contents"][1]["parts"], expected);
}

#[tokio::test]
async fn a_stream_joins_its_pieces_and_keeps_a_signature_at_the_end() {
    let piece = |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}}]});
    let events = [
        piece(json!([{"text": "h", "thought": true}])),
        piece(json!([{"text": "m", "thought": true}])),
        piece(json!([{"text": "größe "}])),
        piece(json!([{"text": "日本"}])),
        json!({"candidates": [{"content": {"parts": [{"text": "", "thoughtSignature": "end"}]},
            "finishReason": "MAX_TOKENS"}], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2}}),
    ];
    let body: String = events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect();
    let events = streamed(PROVIDER, BASE, &body, "text/event-stream").await;
    let response = done(&events);
    assert_eq!(
        response.message.parts,
        [
            Part::Reasoning { text: "hm".into(), signature: None },
            Part::Text { text: "größe 日本".into() },
            Part::EncryptedReasoning { wire: "gemini".into(), data: json!("end") },
        ]
    );
    assert_eq!((&response.finish, response.usage.total()), (&FinishReason::Length, 5));

    let again = ChatRequest { messages: vec![Message::user("?"), response.message.clone()], ..ChatRequest::default() };
    let (_, sent) = exchange(PROVIDER, BASE, again, &answer()).await;
    let expected = json!([{"text": "größe 日本"}, {"text": "", "thoughtSignature": "end"}]);
    assert_eq!(sent["contents"][1]["parts"], expected);
}

#[tokio::test]
async fn a_schema_and_forced_tools_have_their_own_members() {
    let (_, sent) = exchange(PROVIDER, BASE, structured_request(), &answer()).await;
    let config = &sent["generationConfig"];
    assert_eq!(config["responseMimeType"], "application/json");
    assert_eq!(config["responseJsonSchema"]["properties"]["n"], json!({"type": "integer", "minimum": 1}));
    for (choice, expected) in [
        (ToolChoice::None, json!({"mode": "NONE"})),
        (ToolChoice::Required, json!({"mode": "ANY"})),
        (ToolChoice::Named("tide".into()), json!({"mode": "ANY", "allowedFunctionNames": ["tide"]})),
    ] {
        let mut request = everything("x", Value::Null);
        request.tool_choice = choice;
        let (_, sent) = exchange(PROVIDER, BASE, request, &answer()).await;
        assert_eq!(sent["toolConfig"]["functionCallingConfig"], expected);
    }
}

#[tokio::test]
async fn reasoning_has_levels_and_budgets() {
    for (asked, expected) in [
        (Reasoning::Effort(Effort::None), json!({"thinkingBudget": 0})),
        (Reasoning::Effort(Effort::High), json!({"includeThoughts": true, "thinkingLevel": "HIGH"})),
        (Reasoning::Tokens(700), json!({"includeThoughts": true, "thinkingBudget": 700})),
    ] {
        let mut request = ChatRequest::user("?");
        request.params.reasoning = Some(asked);
        let (_, sent) = exchange(PROVIDER, BASE, request, &answer()).await;
        assert_eq!(sent["generationConfig"]["thinkingConfig"], expected);
    }
    // A model of an older kind has budgets only.
    let server = serve(|request: &Request| {
        let body: Value = request.body_json().unwrap();
        if body.pointer("/generationConfig/thinkingConfig/thinkingLevel").is_some() {
            let error = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
                "message": "Thinking level is not supported for this model."}});
            return ResponseTemplate::new(400).set_body_json(error);
        }
        json_answer(&answer())
    })
    .await;
    let model = Remote::new(config(PROVIDER, &server, BASE)).unwrap();
    let mut request = ChatRequest::user("?");
    request.params.reasoning = Some(Reasoning::Effort(Effort::Medium));
    model.chat(request).await.unwrap();
    assert_eq!(bodies(&server).await[1]["generationConfig"]["thinkingConfig"]["thinkingBudget"], 8192);
}

#[tokio::test]
async fn blocked_and_malformed_answers_are_told() {
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}});
    let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &blocked).await;
    assert!(matches!(response, Err(ModelError::Refused { message, .. }) if message.contains("(SAFETY)")));
    let withheld = json!({"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]});
    let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &withheld).await;
    assert!(matches!(response, Err(ModelError::Refused { .. })), "{response:?}");
    let malformed = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "bad call"}]});
    let (response, _) = exchange(PROVIDER, BASE, ChatRequest::user("?"), &malformed).await;
    let error = response.unwrap_err();
    assert!(error.is_retryable() && error.to_string().contains("(`MALFORMED_FUNCTION_CALL`): bad call"), "{error}");
}
