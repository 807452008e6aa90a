//! What can go wrong, by whose fault.

use graphloom_agents::AgentError;
use graphloom_core_graph::{CompileErrors, RunError};
use graphloom_llm::ModelError;

use crate::status::Notice;

/// What can go wrong before a run, or around it. What goes wrong inside a run is a [`Notice`](crate::Notice) of its
/// state, with its status code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeepSearchError {
    /// The request or its configuration cannot run.
    #[error("{0}")]
    Refused(Notice),
    /// A prompt file is wrong.
    #[error(transparent)]
    Prompt(#[from] AgentError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A graph is not sound; a fault of this program.
    #[error("a graph of DeepSearch cannot be built: {0}")]
    Graph(#[from] CompileErrors),
}
