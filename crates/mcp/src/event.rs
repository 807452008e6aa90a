//! What is told of the servers while they run.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What happened with a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct McpEvent {
    /// The server.
    pub server: String,
    /// The tool, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What kind of event it is.
    pub kind: McpEventKind,
    /// What happened, in words. Text of the server stands in it as it came.
    pub message: String,
}

/// The kinds of events of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum McpEventKind {
    /// It began, or began again.
    Started,
    /// It did not begin.
    Failed,
    /// It ended, or the connection broke.
    Ended,
    /// It has other tools, resources or prompts now.
    Changed,
    /// A name, a schema or a description was made fit.
    Adapted,
    /// A tool was left out.
    LeftOut,
    /// A part of what it wrote or answered is not as it should be and was passed over.
    Skipped,
    /// An answer was cut.
    Cut,
    /// A line of its errors.
    Stderr,
    /// A line of its log.
    Log,
}

impl fmt::Display for McpEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MCP server `{}`", self.server)?;
        if let Some(tool) = &self.tool {
            write!(f, ", `{tool}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The function that gets each event.
pub type McpWatch = Arc<dyn Fn(&McpEvent) + Send + Sync>;

/// Where the events of one server go.
#[derive(Clone)]
pub(crate) struct EventSender {
    pub(crate) server: Arc<str>,
    pub(crate) watch: Option<McpWatch>,
}

impl EventSender {
    pub(crate) fn tell(&self, kind: McpEventKind, message: impl Into<String>) {
        self.send(None, kind, message.into());
    }

    pub(crate) fn tell_of(&self, tool: &str, kind: McpEventKind, message: impl Into<String>) {
        self.send(Some(tool.to_owned()), kind, message.into());
    }

    fn send(&self, tool: Option<String>, kind: McpEventKind, message: String) {
        let event = McpEvent { server: self.server.to_string(), tool, kind, message };
        match kind {
            McpEventKind::Stderr | McpEventKind::Log => {
                tracing::debug!(target: "graphloom::mcp", server = %event.server, "{}", event.message);
            }
            McpEventKind::Failed
            | McpEventKind::Ended
            | McpEventKind::LeftOut
            | McpEventKind::Skipped
            | McpEventKind::Cut
                // Whoever watches tells it.
                if self.watch.is_none() =>
            {
                tracing::warn!(target: "graphloom::mcp", "{event}");
            }
            _ => tracing::info!(target: "graphloom::mcp", "{event}"),
        }
        if let Some(watch) = &self.watch {
            watch(&event);
        }
    }
}

impl fmt::Debug for EventSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSender").field("server", &self.server).finish_non_exhaustive()
    }
}
