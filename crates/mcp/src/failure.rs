//! What the failure of a request means.

use rmcp::model::{CallToolResult, ErrorCode};
use rmcp::service::ServiceError;

use crate::Place;
use crate::transport::TOO_LONG;

/// What the failure of a request means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The server knows no such tool.
    Unknown,
    /// The answer is too long to be taken.
    TooLong,
    /// The server answered with an error.
    Protocol { code: i32, message: String },
    /// There is no answer.
    Broken(String),
}

/// Reads the error of a request.
pub(crate) fn failed(error: &ServiceError, tool: &str, place: &Place) -> Failure {
    match error {
        ServiceError::McpError(data) if data.code.0 == TOO_LONG => Failure::TooLong,
        ServiceError::McpError(data)
            if data.code == ErrorCode::INVALID_PARAMS && names_unknown(&data.message, tool) =>
        {
            Failure::Unknown
        }
        ServiceError::McpError(data) => {
            Failure::Protocol { code: data.code.0, message: data.message.chars().take(2_000).collect() }
        }
        ServiceError::TransportSend(error) => Failure::Broken(place.without_address(&error.error.to_string())),
        ServiceError::UnexpectedResponse => Failure::Broken("it answered with something else".to_owned()),
        other => Failure::Broken(place.without_address(&other.to_string())),
    }
}

/// Whether a result says that there is no such tool, as some servers do instead of answering with an error.
pub(crate) fn is_unknown(result: &CallToolResult, tool: &str) -> bool {
    let text = result.content.iter().find_map(|block| block.as_text()).map(|text| text.text.as_str());
    result.is_error == Some(true) && text.is_some_and(|text| text.len() < 400 && names_unknown(text, tool))
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
    use super::*;

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
