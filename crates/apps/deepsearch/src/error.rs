//! What can go wrong, by whose fault.

use graphloom_agents::AgentError;
use graphloom_core_graph::{CompileErrors, RunError};
use graphloom_llm::ModelError;

/// What can go wrong before a run, or around it. What goes wrong inside a run is a [`Notice`](crate::Notice) of its
/// state, with the code of the specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeepSearchError {
    /// A parameter of the configuration is outside its range.
    #[error("`{key}` is {given}; it takes {allowed}")]
    Parameter {
        /// The parameter.
        key: String,
        /// What it was given.
        given: String,
        /// What it takes.
        allowed: String,
    },
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
