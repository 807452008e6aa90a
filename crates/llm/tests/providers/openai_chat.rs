//! Chat completions, and how the providers of the table depart from each other in them.

use graphloom_llm::providers::{Provider, Remote, Wire};
use graphloom_llm::{
    ChatModel, ChatRequest, DocumentSource, Effort, FinishReason, Message, Part, Reasoning, Role, Usage,
};
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer};

use super::support::*;

fn answer() -> Value {
    json!({
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "Two calls.",
            "reasoning_content": "hm", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{\"place\":\"Brest\"}"}},
                {"id": "c2", "type": "function", "function": {"name": "tide", "arguments": "{}"}}]}}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 27, "prompt_tokens_details": {"cached_tokens": 30},
            "completion_tokens_details": {"reasoning_tokens": 20}}
    })
}

#[tokio::test]
async fn everything_is_sent_in_its_place() {
    let (response, sent) = exchange("openai-chat", "/v1", everything("openai_chat", json!([])), &answer()).await;
    assert_eq!(response.unwrap().tool_calls().count(), 2);
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "tide", "arguments": arguments}});
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PICTURE}")}},
                {"type": "file", "file": {"filename": "tides.pdf",
                    "file_data": format!("data:application/pdf;base64,{PDF}")}}]},
            {"role": "assistant", "content": null, "tool_calls": [
                call("toolu_1", "{\"place\":\"Brest\"}"), call("toolu_2", "{\"place\":\"Dover\"}")]},
            {"role": "tool", "tool_call_id": "toolu_1", "content": "6 m"},
            {"role": "tool", "tool_call_id": "toolu_2", "content": "error: no such place"}
        ],
        "tools": [{"type": "function", "function": {"name": "tide", "description": "The height of the tide.",
            "parameters": strict_parameters(), "strict": true}}],
        "parallel_tool_calls": false,
        "temperature": 0.7, "top_p": 0.95, "max_completion_tokens": 900, "seed": i64::MAX, "stop": ["END"],
        "reasoning_effort": "minimal"
    });
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_whole_answer_has_all_its_parts() {
    let (response, _) = exchange("groq", "/openai/v1", ChatRequest::user("?"), &answer()).await;
    let response = response.unwrap();
    assert_eq!((response.text().as_str(), &response.finish), ("Two calls.", &FinishReason::ToolCalls));
    assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: None });
    assert_eq!(
        response.usage,
        Usage { input: 50, output: 27, cache_read: 30, cache_write: 0, reasoning: 20, cost: None }
    );
    assert_eq!(response.request_id.as_deref(), Some("req_7"));
}

#[tokio::test]
async fn every_provider_of_the_table_is_asked_in_its_own_words() {
    for provider in Provider::all().filter(|provider| provider.wire() == Wire::OpenAiChat) {
        let server = MockServer::start().await;
        Mock::given(path("/base/chat/completions")).respond_with(json_answer(&answer())).mount(&server).await;
        let model = Remote::new(config(provider.name(), &server, "/base")).unwrap();
        model.chat(everything("openai_chat", json!([{"type": "reasoning.text"}]))).await.unwrap();
        let request = server.received_requests().await.unwrap().pop().unwrap();
        let sent: Value = request.body_json().unwrap();
        let name = provider.name();

        let (header, key) = match name {
            "azure" => ("api-key", "sk-loopback"),
            _ => ("authorization", "Bearer sk-loopback"),
        };
        assert_eq!(request.headers[header], key, "{name}");
        assert_eq!(request.headers.get("api-key").is_some(), name == "azure");
        let limit =
            if ["openai-chat", "azure", "groq"].contains(&name) { "max_completion_tokens" } else { "max_tokens" };
        assert_eq!(sent[limit], 900, "{name}: {sent}");
        assert_eq!(sent[if name == "mistral" { "random_seed" } else { "seed" }], i64::MAX, "{name}: {sent}");

        let assistant = &sent["messages"][2];
        let gives_back = ["deepseek", "compatible", "vllm", "llamacpp", "lmstudio"].contains(&name);
        assert_eq!(assistant.get("reasoning_content").is_some(), gives_back, "{name}: {assistant}");
        assert_eq!(assistant.get("reasoning_details").is_some(), name == "openrouter", "{name}: {assistant}");
        match name {
            "openrouter" => assert_eq!(sent["reasoning"], json!({"effort": "minimal"})),
            "deepseek" => {
                assert_eq!(
                    (&sent["thinking"], &sent["reasoning_effort"]),
                    (&json!({"type": "enabled"}), &json!("low"))
                );
            }
            _ => assert_eq!(sent["reasoning_effort"], "minimal", "{name}"),
        }
    }
}

#[tokio::test]
async fn reasoning_goes_as_words_as_tokens_or_as_a_switch() {
    let sent = async |provider: &str, asked| {
        let mut request = ChatRequest::user("?");
        request.params.reasoning = Some(asked);
        exchange(provider, "", request, &answer()).await.1
    };
    assert_eq!(sent("openrouter", Reasoning::Tokens(700)).await["reasoning"], json!({"max_tokens": 700}));
    assert_eq!(sent("openrouter", Reasoning::Tokens(0)).await["reasoning"], json!({"effort": "none"}));
    assert_eq!(sent("xai", Reasoning::Tokens(700)).await["reasoning_effort"], "low");
    assert_eq!(sent("deepseek", Reasoning::Effort(Effort::None)).await["thinking"], json!({"type": "disabled"}));
    assert_eq!(sent("deepseek", Reasoning::Effort(Effort::High)).await["reasoning_effort"], "high");
}

#[tokio::test]
async fn details_of_reasoning_are_put_together_and_go_back_as_they_came() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let events = [
        delta(json!({"reasoning": "Read ", "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "Read ", "format": "f"}]})),
        delta(json!({"reasoning": "it.", "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "it.", "signature": "s"}]})),
        delta(json!({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "opaque"}]})),
        delta(json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "tide", "arguments": "{}"}}]})),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let body: String = events.iter().map(|event| format!(": PROCESSING\n\ndata: {event}\n\n")).collect();
    let events = streamed("openrouter", "/api/v1", &body, "text/event-stream").await;
    let details = json!([
        {"type": "reasoning.text", "index": 0, "text": "Read it.", "format": "f", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "data": "opaque"}]);
    let message = done(&events).message.clone();
    assert_eq!(message.parts[0], Part::EncryptedReasoning { wire: "openai_chat".into(), data: details.clone() });
    let again = ChatRequest { messages: vec![Message::user("?"), message], ..ChatRequest::default() };
    let (_, sent) = exchange("openrouter", "", again, &answer()).await;
    assert_eq!(sent["messages"][1]["reasoning_details"], details);
}

#[tokio::test]
async fn a_document_at_an_address_is_not_for_chat_completions() {
    let source = DocumentSource::Url { url: "https://h.example/a.pdf".into() };
    let message = Message { role: Role::User, parts: vec![Part::Document { name: None, source }] };
    let request = ChatRequest { messages: vec![message], ..ChatRequest::default() };
    let (response, sent) = exchange("openai-chat", "", request, &answer()).await;
    let told = response.unwrap_err().to_string();
    assert_eq!(told, "`openai-chat:m` cannot fetch documents from an address; send the bytes");
    assert_eq!(sent, Value::Null);
}
