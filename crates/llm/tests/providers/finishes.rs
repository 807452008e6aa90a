//! Why an answer ended: what providers say when they break one off is never read as its end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::layers::{Retry, RetryPolicy};
use graphloom_llm::providers::Remote;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, FinishReason, ModelError};
use serde_json::json;
use wiremock::ResponseTemplate;

use super::support::{bodies, config, exchange, serve};

/// What an answer of the wire of chat completions is that ends with a word.
async fn ended(word: &str) -> Result<FinishReason, ModelError> {
    let body = json!({"choices": [{"index": 0, "finish_reason": word, "message": {"content": "First, the"}}]});
    let (response, _) = exchange("openai-chat", "", ChatRequest::user("?"), &body).await;
    response.map(|response| response.finish)
}

#[tokio::test]
async fn words_of_every_provider_say_what_became_of_the_answer() {
    for word in ["MAX_TOKENS", "model_context_window_exceeded", "Length", "max_tokens"] {
        assert_eq!(ended(word).await, Ok(FinishReason::Length), "{word}");
    }
    for word in ["sensitive", "safety", "SAFETY", "RECITATION", "content_filter"] {
        assert_eq!(ended(word).await, Ok(FinishReason::ContentFilter), "{word}");
    }
    for word in ["repetition_truncation", "nobody_knows_this"] {
        assert_eq!(ended(word).await, Ok(FinishReason::Other(word.to_owned())), "{word}");
    }
    for word in ["network_error", "Error", "abort"] {
        let error = ended(word).await.unwrap_err();
        assert!(error.is_retryable() && error.to_string().contains(word), "{word}: {error}");
    }
    for word in ["stop", "STOP", "end_turn", "eos_token", ""] {
        assert_eq!(ended(word).await, Ok(FinishReason::Stop), "{word}");
    }
}

#[tokio::test]
async fn a_stream_that_the_provider_gives_up_is_asked_for_again() {
    let event = |text: &str, word: Option<&str>| {
        let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": word});
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let broken = event("First, the", None) + &event("", Some("network_error"));
    let whole = event("First, the moon.", None) + &event("", Some("stop")) + "data: [DONE]\n\n";
    let replies = Mutex::new(vec![whole, broken]);
    let server = serve(move |_: &wiremock::Request| {
        let reply = replies.lock().unwrap().pop().unwrap();
        ResponseTemplate::new(200).set_body_raw(reply, "text/event-stream")
    })
    .await;
    let remote = Arc::new(Remote::new(config("openai-chat", &server, "")).unwrap());
    let mut policy = RetryPolicy::default();
    policy.base = Duration::ZERO;
    let model = Retry::new(remote, policy);
    let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
    let restart = events
        .iter()
        .position(|event| matches!(event, Ok(ChatEvent::Restart { message }) if message.contains("network_error")));
    assert_eq!(restart, Some(1), "{events:?}");
    let Some(Ok(ChatEvent::Done(response))) = events.last() else { panic!("{events:?}") };
    assert_eq!((response.text().as_str(), bodies(&server).await.len()), ("First, the moon.", 2));
}

#[tokio::test]
async fn a_call_whose_arguments_are_two_is_two_calls() {
    let call = |arguments: &str| json!({"id": "a", "function": {"name": "clock<|channel|>commentary", "arguments": arguments}});
    for (arguments, expected) in [
        (r#"{"text":"a"}{"text":"b"}"#, vec![json!({"text": "a"}), json!({"text": "b"})]),
        (r#""{\"text\":\"a\"}""#, vec![json!({"text": "a"})]),
        (r#"{"text":"a"}{"text":"#, vec![json!(r#"{"text":"a"}{"text":"#)]),
    ] {
        let body = json!({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [call(arguments)]}}]});
        let (response, _) = exchange("openai-chat", "", ChatRequest::user("?"), &body).await;
        let response = response.unwrap();
        let read: Vec<_> = response.tool_calls().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
        assert_eq!(read, expected.into_iter().map(|arguments| ("clock", arguments)).collect::<Vec<_>>(), "{arguments}");
    }
}

#[tokio::test]
async fn calls_that_a_server_gives_one_number_are_several() {
    let event = |id: &str, name: &str, text: &str| {
        let arguments = json!({ "text": text }).to_string();
        let call = json!({"index": 0, "id": id, "function": {"name": name, "arguments": arguments}});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let body = event("a", "echo", "1") + &event("b", "echo", "2") + &event("c", "shout", "3") + end;
    let events = super::support::streamed("openai-chat", "", &body, "text/event-stream").await;
    let response = super::support::done(&events);
    let calls: Vec<_> =
        response.tool_calls().map(|call| (call.name.as_str(), call.arguments["text"].clone())).collect();
    assert_eq!(calls, [("echo", json!("1")), ("echo", json!("2")), ("shout", json!("3"))]);
}
