//! What can go wrong, by whose fault.

use graphloom_agents::AgentError;
use graphloom_core_graph::{CompileErrors, RunError};
use graphloom_llm::ModelError;

use crate::session::SessionError;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PocketFlowError {
    /// A prompt file is wrong.
    #[error(transparent)]
    Prompt(#[from] AgentError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A session could not be loaded or saved.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The graph is not sound; a fault of this program.
    #[error("the graph of the conversation cannot be built: {0}")]
    Graph(#[from] CompileErrors),
}
