//! Servers that break off, cut characters, wait and close half: no word is lost, and what is missing is told.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::providers::{Provider, Remote, RemoteConfig};
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, ModelError};
use graphloom_test_support::clock::StandingClock;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

use super::raw::{Raw, send_chunk, send_head};

/// The text of every stream below.
const TEXT: &str = "größe 日本 \u{1f30a}";

/// Each wire with a stream that says [`TEXT`] in its pieces: what comes before the end, and the end.
fn streams() -> Vec<(&'static str, String, String)> {
    let (first, rest) = TEXT.split_at("größe".len());
    let events = |values: &[serde_json::Value]| values.iter().map(|value| format!("data: {value}\n\n")).collect();
    let chat = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let block =
        |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let item = |text: &str| json!({"type": "response.output_text.delta", "item_id": "i", "delta": text});
    let part = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}}]});
    let line = |text: &str| format!("{}\n", json!({"message": {"content": text}, "done": false}));
    vec![
        (
            "openai-chat",
            events(&[chat(first), chat(rest)]),
            events(&[json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})]),
        ),
        (
            "openai",
            events(&[item(first), item(rest)]),
            events(&[json!({"type": "response.completed", "response": {"status": "completed"}})]),
        ),
        (
            "anthropic",
            events(&[block(first), block(rest)]),
            events(&[
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
                json!({"type": "message_stop"}),
            ]),
        ),
        ("gemini", events(&[part(first), part(rest)]), events(&[json!({"candidates": [{"finishReason": "STOP"}]})])),
        ("ollama", line(first) + &line(rest), format!("{}\n", json!({"message": {"content": ""}, "done": true}))),
    ]
}

fn remote(provider: &str, server: &Raw) -> RemoteConfig {
    RemoteConfig::new(Provider::named(provider).unwrap(), "m").at(server.address.as_str())
}

fn kind(provider: &str) -> &'static str {
    if provider == "ollama" { "application/x-ndjson" } else { "text/event-stream" }
}

async fn events(provider: &str, server: &Raw) -> Vec<Result<ChatEvent, ModelError>> {
    let model = Remote::new(remote(provider, server)).unwrap();
    model.stream(ChatRequest::user("hi")).await.unwrap().collect().await
}

/// The error of a stream, which keeps the text that came.
fn broken(events: &[Result<ChatEvent, ModelError>], provider: &str) -> String {
    match events.last() {
        Some(Err(ModelError::StreamInterrupted { partial, message, .. })) => {
            assert_eq!(partial, TEXT, "{provider}");
            message.clone()
        }
        other => panic!("{provider}: {other:?}"),
    }
}

#[tokio::test]
async fn characters_that_are_cut_in_the_middle_are_whole_again() {
    for (provider, body, end) in streams() {
        let whole = body + &end;
        let server = Raw::start(move |mut socket| {
            let whole = whole.clone();
            async move {
                send_head(&mut socket, kind(provider)).await;
                for byte in whole.as_bytes() {
                    send_chunk(&mut socket, &[*byte]).await;
                }
                send_chunk(&mut socket, b"").await;
            }
        })
        .await;
        let events = events(provider, &server).await;
        let Some(Ok(ChatEvent::Done(response))) = events.last() else { panic!("{provider}: {events:?}") };
        assert_eq!(response.text(), TEXT, "{provider}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_keeps_the_words() {
    for (provider, body, _) in streams() {
        let server = Raw::start(move |mut socket| {
            let body = body.clone();
            async move {
                send_head(&mut socket, kind(provider)).await;
                send_chunk(&mut socket, body.as_bytes()).await;
            }
        })
        .await;
        broken(&events(provider, &server).await, provider);
    }
}

#[tokio::test]
async fn a_body_that_ends_before_its_last_event_is_no_answer() {
    for (provider, body, _) in streams() {
        let server = Raw::start(move |mut socket| {
            let body = body.clone();
            async move {
                send_head(&mut socket, kind(provider)).await;
                send_chunk(&mut socket, body.as_bytes()).await;
                send_chunk(&mut socket, b"").await;
            }
        })
        .await;
        let told = broken(&events(provider, &server).await, provider);
        assert!(told.contains("without a reason to finish"), "{provider}: {told}");
    }
}

#[tokio::test]
async fn silence_in_the_middle_has_an_end() {
    let mut clock = StandingClock::new();
    for (provider, body, _) in streams() {
        let server = Raw::start(move |mut socket| {
            let body = body.clone();
            async move {
                send_head(&mut socket, kind(provider)).await;
                send_chunk(&mut socket, body.as_bytes()).await;
                std::future::pending::<()>().await;
            }
        })
        .await;
        let mut config = remote(provider, &server);
        config.idle_timeout = Duration::from_millis(300);
        let mut stream = Remote::new(config).unwrap().stream(ChatRequest::user("hi")).await.unwrap();
        let mut came = String::new();
        while came != TEXT {
            match stream.next().await {
                Some(Ok(ChatEvent::TextDelta { text })) => came.push_str(&text),
                other => panic!("{provider}: {other:?} after {came}"),
            }
        }
        // All is there that will come, so that only time can pass.
        let told = broken(&clock.jumps(stream.collect::<Vec<_>>()).await, provider);
        assert!(told.contains("nothing came for 300ms"), "{provider}: {told}");
    }
}

#[tokio::test]
async fn a_head_that_never_comes_is_a_timeout() {
    let clock = StandingClock::new();
    let limit = Duration::from_millis(300);
    for (provider, _, _) in streams() {
        let sent = Arc::new(Notify::new());
        let sends = Arc::clone(&sent);
        let server = Raw::start(move |mut socket| {
            let sends = Arc::clone(&sends);
            async move {
                // Byte for byte, and never to the end.
                for byte in b"HTTP/1.1 200 OK\r\ncontent-type: " {
                    let _ = socket.write_all(&[*byte]).await;
                }
                sends.notify_one();
                std::future::pending::<()>().await;
            }
        })
        .await;
        let mut config = remote(provider, &server);
        (config.timeout, config.idle_timeout) = (limit, limit);
        let model = Remote::new(config).unwrap();
        let limit_passes = async || {
            sent.notified().await;
            clock.advance(limit).await;
        };
        let (whole, ()) = tokio::join!(model.chat(ChatRequest::user("hi")), limit_passes());
        let (streamed, ()) = tokio::join!(model.stream(ChatRequest::user("hi")), limit_passes());
        let (listed, ()) = tokio::join!(model.list(), limit_passes());
        for error in [whole.unwrap_err(), streamed.map(|_| ()).unwrap_err(), listed.unwrap_err()] {
            assert!(matches!(error, ModelError::Timeout { .. }) && error.is_retryable(), "{provider}: {error}");
        }
    }
}

#[tokio::test]
async fn a_socket_that_is_half_closed_is_no_answer() {
    for (provider, body, _) in streams() {
        // It promises more than it sends, and closes its half.
        let server = Raw::start(move |mut socket| {
            let body = body.clone();
            async move {
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: 100000\r\n\r\n", kind(provider));
                let _ = socket.write_all((head + &body).as_bytes()).await;
                let _ = socket.shutdown().await;
                std::future::pending::<()>().await;
            }
        })
        .await;
        broken(&events(provider, &server).await, provider);
        let model = Remote::new(remote(provider, &server)).unwrap();
        let error = model.chat(ChatRequest::user("hi")).await.unwrap_err();
        assert!(matches!(error, ModelError::StreamInterrupted { .. }) && error.is_retryable(), "{provider}: {error}");

        let closed = Raw::start(|mut socket| async move {
            let _ = socket.shutdown().await;
        })
        .await;
        let error = Remote::new(remote(provider, &closed)).unwrap().chat(ChatRequest::user("hi")).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{provider}: {error}");
    }
}
