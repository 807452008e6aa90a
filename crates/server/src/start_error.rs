//! Why a server does not start.

use graphloom_core_graph::remote::NotPortable;

use crate::http::{SecurityError, ServeError};
use crate::refusal::Refusal;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The settings let anybody in.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// The address cannot be used.
    #[error(transparent)]
    Address(#[from] ServeError),
    /// A store cannot be used, or what is in it.
    #[error("the stores cannot be used: {reason}")]
    Stores {
        /// Why.
        reason: String,
    },
    /// Tasks are to be executed elsewhere, and those of a graph cannot be.
    #[error(transparent)]
    NotPortable(#[from] NotPortable),
    /// A graph that is not served has an executor of its own.
    #[error("no graph is called `{graph}`, and it was given an executor of its own")]
    UnknownGraph {
        /// The name.
        graph: String,
    },
    /// A page cannot be where it is to be.
    #[error("no page can be at `{mount}`: {reason}")]
    Page {
        /// The path that was to lead to it.
        mount: String,
        /// Why.
        reason: String,
    },
    /// The program at the other end of the streams does not speak the protocol, or the streams broke.
    #[error("the client's streams cannot be served: {reason}")]
    Client {
        /// Why.
        reason: String,
    },
    /// The operating system does not tell when the process is to stop.
    #[error("signals of the operating system cannot be heard: {0}")]
    Signals(#[source] std::io::Error),
}

impl From<Refusal> for StartError {
    fn from(refusal: Refusal) -> Self {
        Self::Stores { reason: refusal.to_string() }
    }
}
