//! Errors under a status of success: in a body, or in an event of a stream.

use serde_json::Value;

use super::{Failure, error_of, words_in};
use crate::ModelError;

/// Members of which one is in every answer, or in every event that carries a part of one.
const OF_ANSWERS: [&str; 6] = ["choices", "output", "candidates", "content", "response", "delta"];

/// The error that a body or an event of a stream carries in place of an answer.
pub(in crate::providers) fn in_band_error(root: &Value, model: &str) -> Option<ModelError> {
    let first = root.as_array().and_then(|items| items.first()).unwrap_or(root);
    let told = first.get("error").filter(|error| says_something(error));
    told.or_else(|| is_error(first).then_some(first)).map(|error| error_told(first, error, model))
}

/// The error of an event whose name says that it is one.
pub(in crate::providers) fn named_error(event: &Value, model: &str) -> ModelError {
    error_told(event, event, model)
}

/// The error that a server tells in plain words.
pub(in crate::providers) fn error_in_words(words: &str, model: &str) -> ModelError {
    let words = if words.trim().is_empty() { "an error, of which it says no more" } else { words };
    error_of(&failure(words, status_in_words(words), model))
}

fn error_told(root: &Value, error: &Value, model: &str) -> ModelError {
    let body = root.to_string();
    let status = status_told(error)
        .or_else(|| status_told(root))
        .unwrap_or_else(|| status_in_words(&words_in(Some(root), &body)));
    error_of(&failure(&body, status, model))
}

fn failure<'a>(body: &'a str, status: u16, model: &'a str) -> Failure<'a> {
    Failure { model, status, body: body.as_bytes(), retry_after: None, key_variable: "", request_id: None }
}

/// Whether the value of `error` tells one: some servers always write the member.
fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Number(number) => number.as_i64() != Some(0),
        Value::Bool(true) => true,
    }
}

/// Whether an object without the member `error` is an error: it says so of itself, or has words and a code and nothing of an
/// answer.
fn is_error(root: &Value) -> bool {
    let is = |name: &str, word: &str| {
        root.get(name).and_then(Value::as_str).is_some_and(|told| told.eq_ignore_ascii_case(word))
    };
    let is_given = |name: &&str| {
        root.get(*name).is_some_and(|value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty()))
    };
    if is("object", "error") || is("type", "error") {
        return true;
    }
    // The answer of Ollama is a `message` that is an object.
    if OF_ANSWERS.iter().any(is_given) || root.get("message").is_some_and(Value::is_object) {
        return false;
    }
    let fails = |pointer: &str| root.pointer(pointer).and_then(number).is_some_and(|code| code != 0 && code != 200);
    let says = ["message", "msg", "detail", "error_msg", "error_message", "errmsg", "err_msg"]
        .iter()
        .any(|name| root.get(name).and_then(Value::as_str).is_some_and(|words| !words.trim().is_empty()));
    root.get("success").and_then(Value::as_bool) == Some(false)
        || fails("/base_resp/status_code")
        || fails("/header/code")
        || ["errors", "fault"].iter().any(is_given)
        || (says
            && (["/code", "/status", "/status_code", "/error_code", "/errcode"].iter().any(|place| fails(place))
                || is("status", "error")
                || is("status", "failed")
                || root
                    .get("code")
                    .is_some_and(|code| code.as_str().is_some_and(|code| number(&code.into()).is_none()))))
}

/// A number, or a text of digits.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// The status that an error states, as a number or as a word.
fn status_told(error: &Value) -> Option<u16> {
    let places = ["/code", "/status", "/status_code", "/http_code", "/type", "/error_code", "/header/code"];
    let numbers = places.iter().filter_map(|place| number(error.pointer(place)?));
    let mut statuses = numbers.filter_map(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    if let Some(status) = statuses.next() {
        return Some(status);
    }
    let words = places.iter().filter_map(|place| error.pointer(place)?.as_str());
    let known = words.filter_map(|word| {
        STATUSES.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, status)| *status)
    });
    known.min()
}

/// The status of an error that states none. A model that is not there is not there the next time.
fn status_in_words(words: &str) -> u16 {
    let lower = words.to_lowercase();
    let is_missing = ["does not exist", "not found", "no such model", "unknown model"];
    if is_missing.iter().any(|phrase| lower.contains(phrase)) { 404 } else { 500 }
}

/// The words that providers use for a status.
const STATUSES: [(&str, u16); 36] = [
    ("invalid_request_error", 400),
    ("BadRequestError", 400),
    ("authentication_error", 401),
    ("billing_error", 402),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("NotFoundError", 404),
    ("request_too_large", 413),
    ("rate_limit_error", 429),
    ("timeout_error", 504),
    ("overloaded_error", 529),
    ("INVALID_ARGUMENT", 400),
    ("FAILED_PRECONDITION", 400),
    ("UNAUTHENTICATED", 401),
    ("PERMISSION_DENIED", 403),
    ("NOT_FOUND", 404),
    ("RESOURCE_EXHAUSTED", 429),
    ("UNAVAILABLE", 503),
    ("DEADLINE_EXCEEDED", 504),
    ("rate_limit_exceeded", 429),
    ("rate_limit_reached_error", 429),
    ("engine_overloaded_error", 503),
    ("insufficient_quota", 429),
    ("exceeded_current_quota_error", 402),
    ("context_length_exceeded", 400),
    ("invalid_prompt", 400),
    ("invalid_api_key", 401),
    ("InvalidApiKey", 401),
    ("InvalidParameter", 400),
    ("Throttling", 429),
    ("Throttling.RateQuota", 429),
    ("Arrearage", 402),
    ("model_not_found", 404),
    ("server_error", 500),
    ("api_error", 500),
    ("INTERNAL", 500),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_told_from_answers_in_any_shape() {
        for (body, kind, words) in [
            (json!({"object": "error", "message": "The model `x` does not exist"}), "invalid", "does not exist"),
            (json!({"code": 500, "msg": "engine down", "success": false}), "server", "engine down"),
            (
                json!({"success": false, "errors": [{"code": 7, "message": "no route"}], "result": null}),
                "server",
                "no route",
            ),
            (json!({"type": "error", "message": "went wrong"}), "server", "went wrong"),
            (json!({"code": "InvalidApiKey", "message": "wrong key", "request_id": "r"}), "auth", "wrong key"),
            (json!({"error_code": 17, "error_msg": "daily limit"}), "server", "daily limit"),
            (json!({"base_resp": {"status_code": 1004, "status_msg": "log in"}, "choices": null}), "server", "log in"),
            (json!({"status": "error", "detail": "no worker"}), "server", "no worker"),
            (json!({"code": "429", "message": "Please try again in 2s"}), "rate_limited", "again in 2s"),
            (json!({"object": "error", "message": "busy", "type": "x", "code": 503}), "server", "busy"),
        ] {
            let error = in_band_error(&body, "m").unwrap_or_else(|| panic!("{body}"));
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{body}");
            assert!(error.to_string().contains(words), "{body}: {error}");
        }
        for body in [
            json!({"choices": [{"message": {"content": "x"}}], "code": 0, "msg": "ok"}),
            json!({"choices": [{"message": {"content": "x"}}], "error": null, "success": true}),
            json!({"error": {}, "choices": []}),
            json!({"error": "", "object": "chat.completion.chunk"}),
            json!({"type": "ping"}),
            json!({"message": {"content": "x"}, "done": true}),
            json!({"type": "response.code_interpreter_call_code.done", "code": "print(1)"}),
            json!({"code": 0, "msg": "ok"}),
            json!("ping"),
        ] {
            assert_eq!(in_band_error(&body, "m"), None, "{body}");
        }
    }
}
