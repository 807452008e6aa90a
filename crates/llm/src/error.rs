//! The errors of a model, by whose fault they are.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An error of a chat model. [`ModelError::is_retryable`] tells whether the same call may succeed later.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelError {
    /// The key is missing or was refused.
    #[error("`{model}` refused the key: {message}{}; set `{variable}` to a valid key", of(request_id))]
    Auth {
        /// The model.
        model: String,
        /// The provider's words.
        message: String,
        /// The environment variable that holds the key.
        variable: String,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The provider refused the call because calls came too fast.
    #[error("`{model}` limits the rate of calls: {message}{}", of(request_id))]
    RateLimited {
        /// The model.
        model: String,
        /// The provider's words.
        message: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The account's quota is spent. Waiting does not help.
    #[error(
        "`{model}` reports that the quota is spent: {message}{}; add credit at the provider, or name another `--model`",
        of(request_id)
    )]
    Quota {
        /// The model.
        model: String,
        /// The provider's words.
        message: String,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The server failed or is overloaded.
    #[error("`{model}` failed with status {status}: {message}{}", of(request_id))]
    Server {
        /// The model.
        model: String,
        /// HTTP status.
        status: u16,
        /// The server's words.
        message: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The server could not be reached.
    #[error("no connection to `{url}`: {message}; start the server there or choose another `--model`")]
    Unreachable {
        /// The address.
        url: String,
        /// What failed.
        message: String,
    },
    /// The call took too long.
    #[error("`{model}` did not answer within {limit:?}")]
    Timeout {
        /// The model.
        model: String,
        /// The limit.
        limit: Duration,
    },
    /// The request is invalid. The same request fails again.
    #[error("`{model}` rejected the request: {message}{}", of(request_id))]
    Invalid {
        /// The model.
        model: String,
        /// The provider's words.
        message: String,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The conversation is longer than the model's context.
    #[error("{}{}; shorten the input or choose a model with a longer context", too_long(model, *needed, *limit), of(request_id))]
    ContextLength {
        /// The model.
        model: String,
        /// Tokens that the request needs; 0 when the provider does not state the number.
        needed: u32,
        /// Tokens that the model reads; 0 when the provider does not state the number.
        limit: u32,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The request asks for more at once than a limit of the rate lets through in a whole period. Waiting does not help.
    #[error(
        "`{model}` takes no request of this size, however long one waits: {message}{}; shorten the input, raise the limit \
         at the provider, or name another `--model`",
        of(request_id)
    )]
    TooLarge {
        /// The model.
        model: String,
        /// The provider's words.
        message: String,
        /// The provider's name for the call, to ask its support about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// The model refused to answer.
    #[error("`{model}` refused to answer: {message}")]
    Refused {
        /// The model.
        model: String,
        /// The model's words.
        message: String,
    },
    /// A stream broke off before its last event.
    #[error("the answer of `{model}` broke off after {} bytes: {message}", partial.len())]
    StreamInterrupted {
        /// The model.
        model: String,
        /// The text that arrived before the stream broke off.
        partial: String,
        /// What failed.
        message: String,
    },
    /// A server's answer came, and it is none: it is empty or no text of the wire, or the provider does not say that it is
    /// whole. [`Retry`](crate::layers::Retry) asks again a few times; whoever is further out does not.
    #[error("the answer of `{model}` cannot be used: {message}")]
    Unreadable {
        /// The model.
        model: String,
        /// The text that arrived.
        partial: String,
        /// What is wrong with the answer.
        message: String,
    },
    /// The answer could not be read as the expected value.
    #[error("the answer of `{model}` is not the expected {expected}: {message}")]
    Parse {
        /// The model.
        model: String,
        /// What was expected.
        expected: String,
        /// Where and why reading failed.
        message: String,
        /// The raw answer.
        raw: String,
    },
    /// The answer ended at the token limit, so it is incomplete.
    #[error("the answer of `{model}` ended at its limit of tokens; raise `max_tokens`")]
    Incomplete {
        /// The model.
        model: String,
        /// The text of the incomplete answer.
        partial: String,
    },
    /// The model does not support what was asked.
    #[error("`{model}` cannot {what}")]
    Unsupported {
        /// The model.
        model: String,
        /// What the model cannot do.
        what: String,
    },
    /// A budget of the run is spent.
    #[error("the budget of {limit} {unit} is spent ({used} used)")]
    Budget {
        /// What is counted: `calls`, `tokens`, `usd`, `seconds`.
        unit: String,
        /// The limit.
        limit: String,
        /// The amount used.
        used: String,
    },
    /// A recording has no answer for this call.
    #[error("`{cassette}` holds no answer for this call: {message}")]
    CassetteMiss {
        /// The recording.
        cassette: String,
        /// What differs from the nearest recorded call.
        message: String,
    },
    /// The model could not be set up.
    #[error("{message}")]
    Setup {
        /// What is wrong and what to do.
        message: String,
    },
    /// A fault of this program.
    #[error("internal fault of the model `{model}`: {message}")]
    Internal {
        /// The model.
        model: String,
        /// What happened.
        message: String,
    },
}

/// The name of the call in a message.
fn of(request_id: &Option<String>) -> String {
    request_id.as_ref().map(|id| format!(" (request `{id}`)")).unwrap_or_default()
}

/// The message for a conversation that is too long. The message leaves out numbers that the provider does not state.
fn too_long(model: &str, needed: u32, limit: u32) -> String {
    match (needed, limit) {
        (0, 0) => format!("the request is longer than `{model}` reads"),
        (0, limit) => format!("the request is longer than the {limit} tokens that `{model}` reads"),
        (needed, 0) => format!("the request needs {needed} tokens, more than `{model}` reads"),
        (needed, limit) => format!("the request needs {needed} tokens, `{model}` reads at most {limit}"),
    }
}

impl ModelError {
    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::StreamInterrupted { .. } => true,
            Self::Server { status, .. } => matches!(status, 408 | 409 | 429 | 500..),
            _ => false,
        }
    }

    /// The provider's name for the call that failed, where it gave one.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Auth { request_id, .. }
            | Self::RateLimited { request_id, .. }
            | Self::Quota { request_id, .. }
            | Self::Server { request_id, .. }
            | Self::Invalid { request_id, .. }
            | Self::TooLarge { request_id, .. }
            | Self::ContextLength { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// The same error with the provider's name for the call.
    #[must_use]
    pub fn of_request(mut self, id: Option<String>) -> Self {
        if let Self::Auth { request_id, .. }
        | Self::RateLimited { request_id, .. }
        | Self::Quota { request_id, .. }
        | Self::Server { request_id, .. }
        | Self::Invalid { request_id, .. }
        | Self::TooLarge { request_id, .. }
        | Self::ContextLength { request_id, .. } = &mut self
        {
            *request_id = id.or(request_id.take());
        }
        self
    }

    /// How long the provider asks to wait before the next try.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_that_is_too_long_is_told_with_the_numbers_that_are_known() {
        for (needed, limit, expected) in [
            (9001, 8192, "the request needs 9001 tokens, `m` reads at most 8192; "),
            (0, 8192, "the request is longer than the 8192 tokens that `m` reads; "),
            (9001, 0, "the request needs 9001 tokens, more than `m` reads; "),
            (0, 0, "the request is longer than `m` reads; "),
        ] {
            let message = ModelError::ContextLength { model: "m".into(), needed, limit, request_id: None }.to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
