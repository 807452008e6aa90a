//! What can go wrong with a run.

use graphloom_agents::AgentError;
use graphloom_vault::VaultError;

use crate::index::IndexError;

/// An error of a run, by whose fault it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObsiusError {
    /// The model answered as if it had changed something.
    #[error(
        "the request asks for a change, and the model made none; it says: {said}; ask in other words, or choose another `--model`"
    )]
    NothingDone {
        /// Its words.
        said: String,
    },
    /// The model's conversation came to no answer.
    #[error("the model came to no answer in {turns} turns: {why}")]
    NoAnswer {
        /// How often it was asked.
        turns: u32,
        /// What happened.
        why: String,
    },
    /// A tool failed and nothing mended it.
    #[error("`{tool}` failed, and nothing after it made up for that: {message}")]
    ToolFailed {
        /// The tool.
        tool: String,
        /// Why.
        message: String,
    },
    /// The same failure again and again.
    #[error("stopped after `{action}` failed {times} times in the same way: {message}")]
    Repeated {
        /// The action.
        action: String,
        /// How often.
        times: u32,
        /// How.
        message: String,
    },
    /// Iterations that ran out of time, one after the other.
    #[error("{count} iterations in a row ran out of their {limit} ms; raise `ITERATION_TIMEOUT_MS` or ask for less")]
    Timeouts {
        /// How many.
        count: u32,
        /// The limit.
        limit: u64,
    },
    /// Agents, prompts, profile.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The index of the notes.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The vault.
    #[error(transparent)]
    Vault(#[from] VaultError),
}
