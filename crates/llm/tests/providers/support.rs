//! What the tests of all wires share.

use futures::StreamExt;
use graphloom_llm::providers::{ApiKey, Provider, Remote, RemoteConfig};
use graphloom_llm::{
    ChatEvent, ChatModel, ChatRequest, ChatResponse, DocumentSource, Effort, ImageSource, Message, ModelError, Params,
    Part, Reasoning, ResponseFormat, Role, ToolCall, ToolChoice, ToolResult, ToolSpec,
};
use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// The first bytes of a picture and of a document, in base64.
pub(super) const PICTURE: &str = "iVBORw0KGgo=";
pub(super) const PDF: &str = "JVBERi0xLjQ=";

/// A client of a provider whose server is on this machine, below `path`.
pub(super) fn config(provider: &str, server: &MockServer, path: &str) -> RemoteConfig {
    let mut config = RemoteConfig::new(Provider::named(provider).unwrap(), "m").at(format!("{}{path}", server.uri()));
    config.key = ApiKey::new("sk-loopback");
    config
}

pub(super) async fn serve(response: impl wiremock::Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(response).mount(&server).await;
    server
}

pub(super) fn json_answer(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body).insert_header("request-id", "req_7")
}

pub(super) async fn bodies(server: &MockServer) -> Vec<Value> {
    server.received_requests().await.unwrap().iter().map(|request| request.body_json().unwrap()).collect()
}

/// Sends one request to a server that gives this answer; the answer as it was read, and the body that was sent.
pub(super) async fn exchange(
    provider: &str,
    path: &str,
    request: ChatRequest,
    answer: &Value,
) -> (Result<ChatResponse, ModelError>, Value) {
    let server = serve(json_answer(answer)).await;
    let model = Remote::new(config(provider, &server, path)).unwrap();
    let response = model.chat(request).await;
    let sent = bodies(&server).await.pop().unwrap_or_default();
    (response, sent)
}

/// The events of a streamed answer.
pub(super) async fn streamed(provider: &str, path: &str, body: &str, kind: &str) -> Vec<Result<ChatEvent, ModelError>> {
    let reply = ResponseTemplate::new(200).set_body_raw(body, kind).insert_header("x-request-id", "req_8");
    let server = serve(reply).await;
    let model = Remote::new(config(provider, &server, path)).unwrap();
    model.stream(ChatRequest::user("hi")).await.unwrap().collect().await
}

/// The last event of a stream that went well.
pub(super) fn done(events: &[Result<ChatEvent, ModelError>]) -> &ChatResponse {
    let Some(Ok(ChatEvent::Done(response))) = events.last() else { panic!("{events:?}") };
    assert_eq!(response.request_id.as_deref(), Some("req_8"));
    let text: String = events
        .iter()
        .filter_map(|event| match event {
            Ok(ChatEvent::TextDelta { text }) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, response.text(), "the pieces are the text");
    response
}

/// A conversation with everything that a request can hold: pictures, a document, two calls at once with their results, and
/// reasoning of `wire` that goes back.
pub(super) fn everything(wire: &str, encrypted: Value) -> ChatRequest {
    let call = |id: &str, place: &str| {
        Part::ToolCall(ToolCall { id: id.into(), name: "tide".into(), arguments: json!({ "place": place }) })
    };
    let result = |id: &str, content: &str, is_error| {
        Part::ToolResult(ToolResult { call_id: id.into(), content: content.into(), is_error })
    };
    let image = ImageSource::Base64 { media_type: "image/png".into(), data: PICTURE.into() };
    let document = DocumentSource::Base64 { media_type: "application/pdf".into(), data: PDF.into() };
    let elsewhere = Part::EncryptedReasoning { wire: "elsewhere".into(), data: json!("never sent") };
    ChatRequest {
        messages: vec![
            Message::system("Be brief."),
            Message {
                role: Role::User,
                parts: vec![
                    Part::Text { text: "What is this?".into() },
                    Part::Image { source: image },
                    Part::Document { name: Some("tides.pdf".into()), source: document },
                ],
            },
            Message {
                role: Role::Assistant,
                parts: vec![
                    Part::Reasoning { text: "Look it up.".into(), signature: Some("sig".into()) },
                    Part::EncryptedReasoning { wire: wire.into(), data: encrypted },
                    elsewhere,
                    call("toolu_1", "Brest"),
                    call("toolu_2", "Dover"),
                ],
            },
            Message { role: Role::Tool, parts: vec![result("toolu_1", "6 m", false)] },
            Message { role: Role::Tool, parts: vec![result("toolu_2", "no such place", true)] },
        ],
        tools: vec![ToolSpec {
            name: "tide".into(),
            description: "The height of the tide.".into(),
            parameters: json!({"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}),
            strict: true,
        }],
        tool_choice: ToolChoice::Auto,
        parallel_tools: Some(false),
        params: Params {
            temperature: Some(0.7),
            top_p: Some(0.95),
            max_tokens: Some(900),
            seed: Some(u64::MAX),
            stop: vec!["END".into()],
            reasoning: Some(Reasoning::Effort(Effort::Minimal)),
        },
        ..ChatRequest::default()
    }
}

/// The strict form of the tool of [`everything`] for its schema.
pub(super) fn strict_parameters() -> Value {
    json!({"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"],
        "additionalProperties": false})
}

/// A request for a value of a schema that has an optional member and a bound.
pub(super) fn structured_request() -> ChatRequest {
    let schema = json!({
        "type": "object", "required": ["n"],
        "properties": {"n": {"type": "integer", "minimum": 1}, "note": {"type": "string"}}
    });
    ChatRequest {
        format: ResponseFormat::JsonSchema { name: "answer".into(), schema },
        ..ChatRequest::user("How many?")
    }
}
