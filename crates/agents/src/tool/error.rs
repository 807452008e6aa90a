//! Why a tool call gave no result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Risk;
use crate::profile::quoted;

/// Why a tool call gave no result. The message is an observation: the model reads it and can do better.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not fit the tool's schema.
    #[error("the arguments of `{tool}` do not fit: {}; {hint}", faults.join("; "))]
    Arguments {
        /// The tool.
        tool: String,
        /// What is wrong, each with its place as a JSON pointer.
        faults: Vec<String>,
        /// The arguments that there are.
        hint: String,
    },
    /// There is no such tool.
    #[error("there is no tool `{tool}`; the tools are {}", quoted(known))]
    Unknown {
        /// The name that was called.
        tool: String,
        /// The names that can be called.
        known: Vec<String>,
    },
    /// The tool is not among those allowed here.
    #[error("`{tool}` may not be used here; the tools are {}", quoted(allowed))]
    NotAllowed {
        /// The tool.
        tool: String,
        /// The names that can be called.
        allowed: Vec<String>,
    },
    /// The tool can change more than is allowed here.
    #[error("`{tool}` is {risk}, and at most {ceiling} tools may be used here")]
    TooRisky {
        /// The tool.
        tool: String,
        /// How much it can change.
        risk: Risk,
        /// How much is allowed.
        ceiling: Risk,
    },
    /// A person was asked and said no.
    #[error("the call of `{tool}` was not confirmed: {reason}")]
    Denied {
        /// The tool.
        tool: String,
        /// The person's words.
        reason: String,
    },
    /// The tool refuses: what is asked is against a rule. The same call is refused again.
    #[error("{message}")]
    Refused {
        /// What is against which rule, and what to do.
        message: String,
    },
    /// The tool could not do it.
    #[error("{message}")]
    Failed {
        /// What went wrong.
        message: String,
        /// Whether the same call may succeed later.
        retryable: bool,
    },
    /// The server behind the tool failed; see the message for how.
    #[error("{message}")]
    Server {
        /// The server.
        server: String,
        /// The tool, by the server's own name.
        tool: String,
        /// What went wrong, with server and tool.
        message: String,
        /// Whether the same call may succeed later.
        retryable: bool,
    },
    /// The tool took too long; what it was doing was dropped.
    #[error("`{tool}` was stopped after {milliseconds} ms without a result")]
    TimedOut {
        /// The tool.
        tool: String,
        /// The limit.
        milliseconds: u64,
    },
    /// The same call failed before, twice; it was not made again.
    #[error(
        "`{tool}` with these arguments failed {times} times and is not run again; the last time: {last}; change the arguments or do something else"
    )]
    Repeated {
        /// The tool.
        tool: String,
        /// How often it failed.
        times: u32,
        /// The last failure.
        last: String,
    },
}

impl ToolError {
    /// A refusal: what is asked is against a rule.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into() }
    }

    /// A failure that the same call would meet again.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), retryable: false }
    }

    /// A failure that may pass.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), retryable: true }
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::TimedOut { .. } | Self::Failed { retryable: true, .. } | Self::Server { retryable: true, .. }
        )
    }
}
