//! What the answers of all engines have in common.

use serde_json::Value;

use crate::literature::json::{body, list_at, text_at};
use crate::literature::text::shortened;
use crate::literature::{Fault, Reply, refusal};

/// The places where engines say what is wrong.
const REASONS: [&str; 7] =
    ["/detail/error", "/detail", "/error/info", "/error/detail", "/error", "/message", "/error/message"];

/// The JSON object of an answer that reports success and holds no error.
pub(super) fn object(reply: &Reply) -> Result<Value, Fault> {
    if (300..400).contains(&reply.status) {
        let reason = "it sends its clients to another address".to_owned();
        return Err(Fault::Refused { status: reply.status, reason });
    }
    let value = body(reply)?;
    let reason = REASONS.iter().find_map(|at| text_at(&value, at));
    if let Some(reason) = reason {
        return Err(refusal(reply.status, &shortened(&reason, 200)));
    }
    if reply.status != 200 {
        return Err(refusal(reply.status, "no reason given"));
    }
    if !value.is_object() {
        return Err(Fault::Malformed { reason: "the JSON is no object".to_owned() });
    }
    Ok(value)
}

/// The list at `pointer`, which an answer must have.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> Result<&'a [Value], Fault> {
    match value.pointer(pointer) {
        Some(Value::Array(_)) => Ok(list_at(value, pointer)),
        _ => Err(Fault::Malformed { reason: format!("there is no list `{}`", pointer.trim_start_matches('/')) }),
    }
}

/// The text at `pointer` with its lines; nothing when there is none.
pub(super) fn lines_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A question that has something to ask for, in one line.
pub(super) fn question(query: &str) -> Result<String, Fault> {
    let line = crate::literature::text::one_line(query);
    if line.chars().any(char::is_alphanumeric) { Ok(line) } else { Err(Fault::NoWords) }
}
