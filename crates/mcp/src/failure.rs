//! What the failure of a request means.

use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::ServiceError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::Value;

use crate::Place;
use crate::transport::{TOO_LONG, UNREADABLE};

/// The longest words of an error that are passed on, in characters.
const WORDS: usize = 2_000;

/// What the failure of a request means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The server knows no such tool.
    Unknown,
    /// The answer is too long to be taken.
    TooLong,
    /// The answer cannot be read.
    Unreadable(String),
    /// The server answered with an error.
    Protocol { code: i32, message: String },
    /// The connection stands, and no answer came.
    Unanswered(String),
    /// The connection broke.
    Broken(String),
}

/// Reads the error of a request.
pub(crate) fn failed(error: &ServiceError, tool: &str, place: &Place) -> Failure {
    match error {
        ServiceError::McpError(data) if data.code.0 == TOO_LONG => Failure::TooLong,
        ServiceError::McpError(data) if data.code.0 == UNREADABLE => Failure::Unreadable(clipped(&data.message)),
        ServiceError::McpError(data)
            if data.code == ErrorCode::INVALID_PARAMS && names_unknown(&data.message, tool) =>
        {
            Failure::Unknown
        }
        ServiceError::McpError(data) => Failure::Protocol { code: data.code.0, message: words(data) },
        ServiceError::TransportSend(sent) => {
            let reason = place.without_address(&sent.error.to_string());
            // A server at an address may refuse one message and take the next.
            if matches!(place, Place::Command { .. }) || did_not_arrive(sent.error.as_ref()) {
                Failure::Broken(reason)
            } else {
                Failure::Unanswered(reason)
            }
        }
        ServiceError::TransportClosed => Failure::Broken(place.without_address(&error.to_string())),
        other => Failure::Unanswered(place.without_address(&other.to_string())),
    }
}

/// Whether a message did not reach an address, or the connection broke under it.
fn did_not_arrive(error: &(dyn std::error::Error + 'static)) -> bool {
    let sent = error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    matches!(sent, Some(StreamableHttpError::Client(_)))
}

/// An error with which a server answered, in words.
pub(crate) fn refusal(error: &ErrorData) -> String {
    match error.code.0 {
        UNREADABLE => format!("its answer cannot be read: {}", clipped(&error.message)),
        TOO_LONG => "its answer is too long to be taken".to_owned(),
        code => format!("{} (code {code})", words(error)),
    }
}

/// The words of an error, with what its data says beyond them.
fn words(error: &ErrorData) -> String {
    let message = error.message.trim();
    let data = match &error.data {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(other) => other.to_string(),
    };
    if data.is_empty() || message.contains(&data) {
        return clipped(message);
    }
    clipped(&format!("{message}: {data}"))
}

fn clipped(text: &str) -> String {
    text.chars().take(WORDS).collect()
}

/// Whether a text with which a tool failed says that there is no such tool, as some servers say it instead of answering
/// with an error.
pub(crate) fn is_unknown(text: &str, tool: &str) -> bool {
    text.len() < 400 && names_unknown(text, tool)
}

/// Whether a text says that a tool is unknown: it speaks of a tool, names it, and says that it is not there.
fn names_unknown(text: &str, tool: &str) -> bool {
    let Some((before, after)) = text.split_once(tool) else {
        let text = text.to_lowercase();
        return text == "tool not found" || text == "unknown tool";
    };
    let (before, after) = (before.to_lowercase(), after.to_lowercase());
    let after = after.trim_start_matches(['\'', '"', '`']).trim();
    let ending = ["not found", "is not found", "does not exist", "is unknown", "not registered"];
    let before = before.trim_end_matches(['\'', '"', '`', ' ', ':']);
    (before.ends_with("tool") && ending.iter().any(|end| after.trim_end_matches('.') == *end))
        || before.ends_with("unknown tool")
        || before.ends_with("no such tool")
        || before.ends_with("tool not found")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_data_of_an_error_reaches_who_reads_it_once() {
        let words = |message: &'static str, data: Value| {
            words(&ErrorData::new(ErrorCode(-32_000), message, Some(data).filter(|data| !data.is_null())))
        };
        assert_eq!(words("no such row", json!({"row": 7})), "no such row: {\"row\":7}");
        assert_eq!(words("no such row", json!("of the table `tides`")), "no such row: of the table `tides`");
        assert_eq!(words("no such row: 7", json!("7")), "no such row: 7");
        assert_eq!(words("no such row", json!(null)), "no such row");
        assert_eq!(words("no", json!("x".repeat(9_000))).chars().count(), WORDS);
    }

    #[test]
    fn an_unknown_tool_is_told_from_a_tool_that_did_not_find_something() {
        for (text, unknown) in [
            ("MCP error -32602: Tool find not found", true),
            ("tool not found", true),
            ("Unknown tool: find", true),
            ("unknown tool 'find'", true),
            ("Tool 'find' does not exist.", true),
            ("find: file not found", false),
            ("the tool find was not found in the tool box", false),
            ("Tool find failed: not found", false),
            ("Invalid arguments for tool find", false),
        ] {
            assert_eq!(names_unknown(text, "find"), unknown, "{text}");
        }
    }
}
