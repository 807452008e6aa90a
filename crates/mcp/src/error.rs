//! What can go wrong with a server.

use std::path::PathBuf;
use std::time::Duration;

/// What is wrong with the file that names the servers. No message holds a value of a variable or a header.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("`{}` cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The file as a whole is not what it should be.
    #[error(
        "`{}` names no servers: {reason}; it looks like `{{\"mcpServers\": {{\"NAME\": {{\"command\": \"PROGRAM\"}}}}}}`",
        file.display()
    )]
    Form {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A field of a server is not what it should be.
    #[error("`{}`: server `{server}`: {}{reason}", file.display(), named(field))]
    Field {
        /// The file.
        file: PathBuf,
        /// The server.
        server: String,
        /// The field, with its place inside another; empty when it is the server as a whole.
        field: String,
        /// What is wrong.
        reason: String,
    },
}

fn named(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("`{field}` ") }
}

/// What went wrong with a server or one of its tools. The other servers are not touched by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The server could not be started or reached.
    #[error("the MCP server `{server}` did not start: {reason}")]
    Start {
        /// The server.
        server: String,
        /// What happened, with the last lines of its errors.
        reason: String,
    },
    /// The server asks for a login: there is none, or it is over.
    #[error(
        "the MCP server `{server}` asks for a login; make one with `graphloom mcp login {server} --config FILE`, or give a key \
         in `headers` of the file"
    )]
    LoginNeeded {
        /// The server.
        server: String,
    },
    /// The server did not begin in time.
    #[error("the MCP server `{server}` said nothing for {} s after its start and was ended{}", limit.as_secs_f64(), told(stderr))]
    StartTimedOut {
        /// The server.
        server: String,
        /// The limit.
        limit: Duration,
        /// The last lines of its errors.
        stderr: String,
    },
    /// The server ended, or the connection broke, before it answered.
    #[error("the MCP server `{server}` ended before it answered `{tool}`: {reason}")]
    Ended {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// How it ended, with the last lines of its errors.
        reason: String,
    },
    /// The connection stands, and no answer came over it.
    #[error("the MCP server `{server}` did not answer `{tool}`: {reason}")]
    Unanswered {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// What happened instead.
        reason: String,
    },
    /// An answer came that cannot be read.
    #[error("the answer of the MCP server `{server}` to `{tool}` cannot be read: {reason}")]
    Unreadable {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The server ended too often and is not started again.
    #[error("the MCP server `{server}` ended {times} times and is not started again, so `{tool}` cannot be called")]
    GaveUp {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// How often it was started again.
        times: u32,
    },
    /// The servers were closed.
    #[error("the MCP server `{server}` was closed, so `{tool}` is not called")]
    Closed {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
    },
    /// The server did not answer in time. It was told that the call is over.
    #[error("`{tool}` of the MCP server `{server}` was stopped after {} s without an answer", limit.as_secs_f64())]
    TimedOut {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// The limit.
        limit: Duration,
    },
    /// The server knows no tool of this name.
    #[error("the MCP server `{server}` knows no tool `{tool}`")]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The arguments do not fit the tool's schema.
    #[error("the arguments of `{tool}` of the MCP server `{server}` do not fit: {}", faults.join("; "))]
    Arguments {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What does not fit, each with its place.
        faults: Vec<String>,
    },
    /// There is no server of this name.
    #[error("there is no MCP server `{server}`")]
    UnknownServer {
        /// The name.
        server: String,
    },
    /// The answer has more bytes than are taken.
    #[error(
        "the answer of `{tool}` of the MCP server `{server}` was not taken: it has more than {limit} bytes; ask for less"
    )]
    TooLong {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// The most bytes of an answer.
        limit: usize,
    },
    /// The answer does not fit the schema that the server itself gave for it.
    #[error("the answer of `{tool}` of the MCP server `{server}` does not fit what it promised: {}", faults.join("; "))]
    Answer {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What does not fit, each with its place.
        faults: Vec<String>,
    },
    /// The tool itself says that it failed.
    #[error("{message}")]
    Tool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The tool's words.
        message: String,
    },
    /// The server answered with an error of the protocol.
    #[error("the MCP server `{server}` refused `{tool}`: {message} (code {code})")]
    Protocol {
        /// The server.
        server: String,
        /// What was asked of it.
        tool: String,
        /// The code of JSON-RPC.
        code: i32,
        /// The server's words.
        message: String,
    },
    /// The server wants something that this client does not give: a word of the user in the middle of a call, or a wait.
    #[error("`{tool}` of the MCP server `{server}` wants {wanted}, which is not given here")]
    Wants {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What it wants.
        wanted: &'static str,
    },
}

impl McpError {
    /// The server.
    pub fn server(&self) -> &str {
        match self {
            Self::Start { server, .. }
            | Self::LoginNeeded { server }
            | Self::StartTimedOut { server, .. }
            | Self::Ended { server, .. }
            | Self::Unanswered { server, .. }
            | Self::Unreadable { server, .. }
            | Self::Closed { server, .. }
            | Self::GaveUp { server, .. }
            | Self::TimedOut { server, .. }
            | Self::UnknownTool { server, .. }
            | Self::UnknownServer { server }
            | Self::Arguments { server, .. }
            | Self::TooLong { server, .. }
            | Self::Answer { server, .. }
            | Self::Tool { server, .. }
            | Self::Protocol { server, .. }
            | Self::Wants { server, .. } => server,
        }
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::StartTimedOut { .. } | Self::Ended { .. } | Self::Unanswered { .. } | Self::TimedOut { .. }
        )
    }
}

/// An error with its causes, none of them twice.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        source = cause.source();
    }
    text
}

/// The last lines of a server's errors, behind a message.
pub(crate) fn told(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; its last words: {stderr}") }
}
