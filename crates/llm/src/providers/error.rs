//! Errors of servers, read from any usual shape.

mod in_band;
mod too_large;
mod wait;
mod words;

use std::time::Duration;

use serde_json::Value;

use self::too_large::is_too_large;
use self::wait::wait_in_body;
use super::json::{json_of, text_of};
use crate::ModelError;

pub(in crate::providers) use self::in_band::{error_in_words, in_band_error, named_error};
pub(in crate::providers) use self::words::words_in;

/// A server's answer in place of success.
#[derive(Debug)]
pub(in crate::providers) struct Failure<'a> {
    pub(in crate::providers) model: &'a str,
    pub(in crate::providers) status: u16,
    pub(in crate::providers) body: &'a [u8],
    pub(in crate::providers) retry_after: Option<Duration>,
    pub(in crate::providers) key_variable: &'a str,
    /// The provider's name for the call.
    pub(in crate::providers) request_id: Option<String>,
}

/// Phrases about an account without money. Waiting does not help.
const MONEY: [&str; 7] = [
    "insufficient_quota",
    "credit_balance",
    "credit balance",
    "insufficient balance",
    "insufficient credits",
    "spend limit",
    "spend_limit",
];

/// Phrases about a key that is none, under a status that says otherwise.
const WRONG_KEY: [&str; 4] = ["api_key_invalid", "api key not valid", "invalid_api_key", "authentication_error"];

/// Phrases about a conversation that is too long.
const TOO_LONG: [&str; 11] = [
    "model_context_window_exceeded",
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "maximum prompt length",
    "maximum number of tokens allowed",
    "available context size",
    "model context is",
    "context window",
    "prompt is too long",
    "too many tokens",
];

/// The typed error of a failure.
pub(in crate::providers) fn error_of(failure: &Failure<'_>) -> ModelError {
    let model = failure.model.to_owned();
    let text = text_of(failure.body);
    let json: Option<Value> = json_of(&text).ok();
    let message = Some(words_in(json.as_ref(), &text)).filter(|words| !words.is_empty());
    let message = message.unwrap_or_else(|| "no message".to_owned());
    let whole = text.to_ascii_lowercase();
    let tells = |words: &[&str]| words.iter().any(|word| whole.contains(word));
    let retry_after = failure.retry_after.or_else(|| wait_in_body(json.as_ref(), &message));
    let request_id = failure.request_id.clone().or_else(|| json.as_ref().and_then(id_in_body));
    // A notice about the rate may tell where to buy more, as Groq's and Gemini's do. It states a wait.
    let is_rate = failure.status == 429 && (retry_after.is_some() || tells(&["rate_limit_exceeded"]));
    let no_money = tells(&MONEY) || (tells(&["billing"]) && !is_rate);
    match failure.status {
        402 => ModelError::Quota { model, message, request_id },
        400 | 403 | 429 if no_money => ModelError::Quota { model, message, request_id },
        400 if tells(&WRONG_KEY) => {
            ModelError::Auth { model, message, variable: failure.key_variable.to_owned(), request_id }
        }
        401 | 403 => ModelError::Auth { model, message, variable: failure.key_variable.to_owned(), request_id },
        413 | 429 if is_too_large(&message) => ModelError::TooLarge { model, message, request_id },
        400 | 413 | 422 | 500 if tells(&TOO_LONG) => {
            let (needed, limit) = sizes(json.as_ref(), &message);
            ModelError::ContextLength { model, needed, limit, request_id }
        }
        429 => ModelError::RateLimited { model, message, retry_after, request_id },
        408 | 409 | 500.. => ModelError::Server { model, status: failure.status, message, retry_after, request_id },
        status => ModelError::Invalid { model, message: format!("{message} (status {status})"), request_id },
    }
}

/// The provider's name for the call, where the body tells it.
fn id_in_body(root: &Value) -> Option<String> {
    root.get("request_id").or_else(|| root.pointer("/error/request_id")).and_then(Value::as_str).map(str::to_owned)
}

/// Tokens that the request needs and tokens that the model reads, 0 where unknown.
fn sizes(json: Option<&Value>, message: &str) -> (u32, u32) {
    let number = |path: &str| json?.pointer(path)?.as_u64();
    let fits = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    if let (Some(needed), Some(limit)) = (number("/error/n_prompt_tokens"), number("/error/n_ctx")) {
        return (fits(needed), fits(limit));
    }
    let lower = message.to_ascii_lowercase();
    let after = |mark: &&str| lower.split_once(*mark).and_then(|(_, rest)| numbers(rest).into_iter().next());
    let Some(limit) = LIMITS.iter().find_map(after) else { return (0, 0) };
    // A request that is too long needs more than the limit. A smaller number counts something else.
    let needed = numbers(&lower).into_iter().filter(|number| *number > limit).max();
    (needed.map_or(0, fits), fits(limit))
}

/// Phrases before the number of tokens that a model reads.
const LIMITS: [&str; 10] = [
    "prompt length",
    "context length",
    "context size",
    "context window",
    "context is",
    "maximum number of tokens",
    "maximum of",
    "at most",
    "tokens >",
    "limit",
];

/// The numbers in a text that can be counts of tokens; `128,000` is one number.
fn numbers(text: &str) -> Vec<u64> {
    let joined: String = text.split(',').fold(String::new(), |joined, part| {
        let is_group = joined.ends_with(|c: char| c.is_ascii_digit())
            && part.chars().take_while(char::is_ascii_digit).count() == 3;
        if joined.is_empty() || is_group { joined + part } else { joined + "," + part }
    });
    let numbers = joined.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    numbers.filter(|number| *number >= 256).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(status: u16, body: &str) -> ModelError {
        error_of(&Failure {
            model: "m",
            status,
            body: body.as_bytes(),
            retry_after: None,
            key_variable: "LLM_API_KEY",
            request_id: None,
        })
    }

    #[test]
    fn every_shape_gives_its_kind_and_words() {
        let cases = [
            (401, r#"{"error":{"message":"bad key","type":"invalid_request_error"}}"#, "auth", "bad key"),
            (429, r#"{"error":{"message":"slow down"}}"#, "rate_limited", "slow down"),
            (429, r#"{"error":{"message":"no money","code":"insufficient_quota"}}"#, "quota", "no money"),
            // A notice about the rate that tells where to buy more, as Groq's does.
            (
                429,
                r#"{"error":{"message":"Please try again in 4.77s. Need more? See settings/billing","code":"rate_limit_exceeded"}}"#,
                "rate_limited",
                "try again in",
            ),
            (403, r#"{"error":{"message":"enable billing first"}}"#, "quota", "enable billing"),
            (402, r#"{"error":{"message":"pay","code":402}}"#, "quota", "pay"),
            (400, r#"[{"error":{"code":400,"message":"wrapped"}}]"#, "invalid", "wrapped"),
            (404, r#"{"error":"model not found"}"#, "invalid", "model not found"),
            (422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, "invalid", "field required"),
            (400, r#"{"detail":"plain"}"#, "invalid", "plain"),
            (502, "<html><head><title>502 Bad Gateway</title></head></html>", "server", "502 Bad Gateway"),
            (503, "<p>over<b>loaded</b></p>", "server", "over loaded"),
            (500, "", "server", "status 500: no message"),
            (529, r#"{"message":"overloaded"}"#, "server", "overloaded"),
            (418, "\u{fffd}\u{1}", "invalid", "status 418"),
        ];
        for (status, body, kind, words) in cases {
            let error = error(status, body);
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{body}");
            assert!(error.to_string().contains(words), "{body}: {error}");
        }
    }

    #[test]
    fn long_conversations_are_told_with_their_sizes() {
        let cases = [
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","code":"context_length_exceeded"}}"#,
                9001,
                8192,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}"#,
                5000,
                4096,
            ),
            (400, r#"{"error":{"message":"prompt is too long"}}"#, 0, 0),
            (400, r#"{"error":{"message":"prompt is too long: 205000 tokens > 200000 maximum"}}"#, 205_000, 200_000),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4488 in the messages, 512 in the completion)."}}"#,
                5000,
                4096,
            ),
            (
                400,
                r#"{"error":{"message":"too many tokens: the input token count (1,200,000) exceeds the maximum number of tokens allowed (1,048,576)"}}"#,
                1_200_000,
                1_048_576,
            ),
            (400, r#"{"error":{"message":"maximum context length is 8192 tokens"}}"#, 0, 8192),
            (
                400,
                r#"{"error":{"message":"The input token count (1,200,000) exceeds the maximum number of tokens allowed (1,048,576)."}}"#,
                1_200_000,
                1_048_576,
            ),
            (
                400,
                r#"{"error":"This model's maximum prompt length is 131072 but the request contains 531415 tokens."}"#,
                531_415,
                131_072,
            ),
            (400, r#"{"error":{"message":"the prompt is 9031 tokens; the model context is 4096"}}"#, 9031, 4096),
        ];
        for (status, body, want_needed, want_limit) in cases {
            let ModelError::ContextLength { needed, limit, .. } = error(status, body) else { panic!("{body}") };
            assert_eq!((needed, limit), (want_needed, want_limit));
        }
    }

    #[test]
    fn a_delay_in_the_body_counts() {
        let body = r#"{"error":{"code":429,"message":"m","details":[{"@type":"x"},{"retryDelay":"12s"}]}}"#;
        assert_eq!(error(429, body).retry_after(), Some(Duration::from_secs(12)));
    }
}
