//! Every class of error of every wire, with its remedy.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::layers::{Retry, RetryPolicy};
use graphloom_llm::providers::Remote;
use graphloom_llm::{ChatModel, ChatRequest, ModelError};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use super::support::*;

const WIRES: [&str; 5] = ["openai-chat", "openai", "anthropic", "gemini", "ollama"];

/// An error in the form that a provider gives it.
fn body(provider: &str, status: u16, word: &str, message: &str) -> Value {
    match provider {
        "anthropic" => {
            json!({"type": "error", "error": {"type": word, "message": message}, "request_id": "req_in_body"})
        }
        "gemini" => json!({"error": {"code": status, "message": message, "status": word}}),
        "ollama" => json!({ "error": message }),
        _ => json!({"error": {"message": message, "type": word, "param": null, "code": word}}),
    }
}

#[tokio::test]
async fn every_class_has_its_kind_and_its_remedy() {
    let cases = [
        (401, "invalid_api_key", "no such key", "auth", "set `"),
        (403, "permission_error", "not for you", "auth", "set `"),
        (402, "billing_error", "pay first", "quota", "add credit at the provider"),
        (429, "insufficient_quota", "insufficient_quota", "quota", "add credit at the provider"),
        (429, "rate_limit_error", "slow down", "rate_limited", "slow down"),
        (400, "invalid_request_error", "no such field", "invalid", "no such field (status 400)"),
        (400, "invalid_request_error", "prompt is too long: 9001 tokens > 8192 maximum", "context_length", "shorten"),
        (404, "not_found_error", "no such model", "invalid", "does the server have `m`?"),
        (413, "request_too_large", "too large", "invalid", "(status 413)"),
        (500, "api_error", "broken", "server", "status 500: broken"),
        (503, "UNAVAILABLE", "busy", "server", "status 503: busy"),
        (529, "overloaded_error", "overloaded", "server", "status 529: overloaded"),
    ];
    for provider in WIRES {
        for (status, word, message, kind, remedy) in cases {
            let reply = ResponseTemplate::new(status)
                .set_body_json(body(provider, status, word, message))
                .insert_header("retry-after", "7")
                .insert_header("x-request-id", "req_9");
            let server = serve(reply).await;
            let model = Remote::new(config(provider, &server, "")).unwrap();
            let whole = model.chat(ChatRequest::user("hi")).await.unwrap_err();
            let streamed = model.stream(ChatRequest::user("hi")).await.map(|_| ()).unwrap_err();
            for error in [whole, streamed] {
                let told = error.to_string();
                assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{provider} {status}: {told}");
                assert!(
                    told.contains(remedy) && told.contains(&format!("`{provider}:m`")),
                    "{provider} {status}: {told}"
                );
                assert!(told.contains("(request `req_9`)") && error.request_id() == Some("req_9"), "{told}");
                let waits = matches!(kind, "rate_limited" | "server");
                assert_eq!(error.retry_after(), waits.then(|| Duration::from_secs(7)), "{provider} {status}");
                assert_eq!(error.is_retryable(), waits, "{provider} {status}");
            }
        }
    }
}

#[tokio::test]
async fn the_variable_of_a_refused_key_is_the_provider_s() {
    for (provider, variable) in [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("compatible", "LLM_API_KEY"),
    ] {
        let server = serve(ResponseTemplate::new(401).set_body_string("the key sk-loopback is none")).await;
        let model = Remote::new(config(provider, &server, "")).unwrap();
        let told = model.chat(ChatRequest::user("hi")).await.unwrap_err().to_string();
        assert!(told.ends_with(&format!("set `{variable}` to a valid key")) && told.contains("[key]"), "{told}");
        assert!(!told.contains("sk-loopback"));
    }
    // Gemini refuses a key with a status that others have for wrong requests.
    let wrong = json!({"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}});
    let server = serve(ResponseTemplate::new(400).set_body_json(wrong)).await;
    let error = Remote::new(config("gemini", &server, "")).unwrap().chat(ChatRequest::user("hi")).await.unwrap_err();
    assert!(matches!(error, ModelError::Auth { .. }), "{error}");
}

#[tokio::test]
async fn what_only_the_body_tells_is_read_there() {
    let reply = json!([{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"}]}}]);
    let server = serve(ResponseTemplate::new(429).set_body_json(reply)).await;
    let error = Remote::new(config("gemini", &server, "")).unwrap().chat(ChatRequest::user("hi")).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(12)));

    let reply = body("anthropic", 529, "overloaded_error", "overloaded");
    let server = serve(ResponseTemplate::new(529).set_body_json(reply)).await;
    let model = Remote::new(config("anthropic", &server, "")).unwrap();
    assert_eq!(model.chat(ChatRequest::user("hi")).await.unwrap_err().request_id(), Some("req_in_body"));
}

#[tokio::test]
async fn an_error_under_a_status_of_success_is_an_error() {
    for provider in WIRES {
        let reply =
            body(provider, 429, if provider == "gemini" { "RESOURCE_EXHAUSTED" } else { "rate_limit_error" }, "busy");
        let expected = if provider == "ollama" { "server" } else { "rate_limited" };
        let server = serve(ResponseTemplate::new(200).set_body_json(&reply)).await;
        let model = Remote::new(config(provider, &server, "")).unwrap();
        let error = model.chat(ChatRequest::user("hi")).await.unwrap_err();
        assert_eq!(serde_json::to_value(&error).unwrap()["error"], expected, "{provider}: {error}");

        let line = if provider == "ollama" { format!("{reply}\n") } else { format!("event: error\ndata: {reply}\n\n") };
        let server = serve(ResponseTemplate::new(200).set_body_raw(line, "text/event-stream")).await;
        let model = Remote::new(config(provider, &server, "")).unwrap();
        let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
        let [Err(error)] = events.as_slice() else { panic!("{provider}: {events:?}") };
        assert_eq!(serde_json::to_value(error).unwrap()["error"], expected, "{provider}: {error}");
    }
}

#[tokio::test]
async fn pages_and_other_json_are_no_answers() {
    for provider in WIRES {
        for (status, text, kind, words) in [
            (502, "<html><head><title>502 Bad Gateway</title></head></html>", "server", "status 502: 502 Bad Gateway"),
            (200, "<html>log in</html>", "parse", "not the expected chat completion"),
            (200, "{\"hello\": 1}", "parse", "there is no `"),
            (200, " ", "unreadable", "the server answered nothing"),
            (418, "\u{1}", "invalid", "(status 418)"),
        ] {
            let server = serve(ResponseTemplate::new(status).set_body_string(text)).await;
            let model = Remote::new(config(provider, &server, "")).unwrap();
            let error = model.chat(ChatRequest::user("hi")).await.unwrap_err();
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{provider} {text}: {error}");
            assert!(error.to_string().contains(words), "{provider} {text}: {error}");
        }
        // A page in place of a stream.
        let server = serve(ResponseTemplate::new(200).set_body_raw("<html>log in</html>", "text/html")).await;
        let model = Remote::new(config(provider, &server, "")).unwrap();
        let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
        let [Err(error)] = events.as_slice() else { panic!("{provider}: {events:?}") };
        assert!(error.to_string().contains("the server says `log in`") && !error.is_retryable(), "{provider}: {error}");
    }
}

#[tokio::test]
async fn what_a_server_says_reaches_the_person_whatever_its_form() {
    let model = |server: &wiremock::MockServer| Remote::new(config("openai-chat", server, "")).unwrap();
    for body in [
        r#"{"object":"error","message":"The model `x` does not exist"}"#,
        r#"{"code":500,"msg":"The model `x` does not exist","success":false}"#,
        "\u{feff}{\"error\":\"The model `x` does not exist\"}",
    ] {
        let server = serve(ResponseTemplate::new(200).set_body_string(body)).await;
        let error = model(&server).chat(ChatRequest::user("hi")).await.unwrap_err();
        assert!(error.to_string().contains("The model `x` does not exist"), "{body}: {error}");
    }
    for body in [
        "event: error\ndata: {\"message\":\"engine failed\"}\n\n",
        "data: error: engine failed\n\n",
        "data: : keepalive\n\ndata: {\"code\":500,\"msg\":\"engine failed\"}\n\n",
    ] {
        let server = serve(ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")).await;
        let events: Vec<_> = model(&server).stream(ChatRequest::user("hi")).await.unwrap().collect().await;
        let [Err(error)] = events.as_slice() else { panic!("{body}: {events:?}") };
        assert!(error.to_string().contains("engine failed"), "{body}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_streams_though_not_asked_is_read() {
    let body = "\u{feff}: hello\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"gr\u{f6}\u{df}e\"},\"finish_reason\":\"stop\"}]}\r\n\r\n";
    for kind in ["text/event-stream", "application/json", "text/plain"] {
        let server = serve(ResponseTemplate::new(200).set_body_raw(body, kind)).await;
        let response = Remote::new(config("openai-chat", &server, "")).unwrap().chat(ChatRequest::user("hi")).await;
        assert_eq!(response.unwrap().text(), "gr\u{f6}\u{df}e", "{kind}");
        let model = Remote::new(config("openai-chat", &server, "")).unwrap();
        let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
        assert!(matches!(events.last(), Some(Ok(_))), "{kind}: {events:?}");
    }
    // And one that does not stream though asked, whatever it calls that.
    let whole = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#;
    let server = serve(ResponseTemplate::new(200).set_body_raw(whole, "text/plain")).await;
    let model = Remote::new(config("openai-chat", &server, "")).unwrap();
    let events: Vec<_> = model.stream(ChatRequest::user("hi")).await.unwrap().collect().await;
    assert!(matches!(events.last(), Some(Ok(_))), "{events:?}");
}

#[tokio::test]
async fn a_character_that_is_none_is_read_as_a_replacement() {
    let body = b"{\"choices\":[{\"message\":{\"content\":\"a\xFFb\\ud83c\"},\"finish_reason\":\"stop\"}]}".to_vec();
    let stream =
        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xFFb\\ud83c\"},\"finish_reason\":\"stop\"}]}\n\n".to_vec();
    for (body, kind) in [(body, "application/json"), (stream, "text/event-stream")] {
        let server = serve(ResponseTemplate::new(200).set_body_raw(body, kind)).await;
        let model = Remote::new(config("openai-chat", &server, "")).unwrap();
        assert_eq!(model.chat(ChatRequest::user("hi")).await.unwrap().text(), "a\u{fffd}b\u{fffd}", "{kind}");
    }
}

#[tokio::test]
async fn a_request_above_the_limit_is_asked_once_and_a_wait_in_words_is_kept() {
    let limited = |words: &str| json!({"error": {"message": words, "type": "tokens", "code": "rate_limit_exceeded"}});
    let large = limited("Request too large for m on tokens per min (TPM): Limit 30000, Requested 49372.");
    let server = serve(ResponseTemplate::new(429).set_body_json(large)).await;
    let remote = Arc::new(Remote::new(config("openai-chat", &server, "")).unwrap());
    let error = Retry::new(remote, RetryPolicy::default()).chat(ChatRequest::user("hi")).await.unwrap_err();
    assert!(matches!(error, ModelError::TooLarge { .. }) && !error.is_retryable(), "{error}");
    assert!(error.to_string().contains("Requested 49372"), "{error}");
    assert_eq!(server.received_requests().await.unwrap().len(), 1);

    for (words, millis) in [
        ("Rate limit reached (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 1.8s.", 1_800),
        ("Please try again in 1m30s", 90_000),
        ("Try again in 20 seconds", 20_000),
    ] {
        let server = serve(ResponseTemplate::new(429).set_body_json(limited(words))).await;
        let error = Remote::new(config("openai-chat", &server, "")).unwrap().chat(ChatRequest::user("hi")).await;
        assert_eq!(error.unwrap_err().retry_after(), Some(Duration::from_millis(millis)), "{words}");
    }
}
