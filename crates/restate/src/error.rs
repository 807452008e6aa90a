//! What can go wrong between a process and the engine.

/// An engine that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The engine cannot be reached.
    #[error("the engine at `{place}` cannot be reached: {source}; start it, or name the address of its ingress")]
    Unreachable {
        /// The address that was asked.
        place: String,
        /// What the connection said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What answers at the address does not answer as the engine does.
    #[error(
        "what answers at `{place}` is no ingress of Restate: it says {status} to `/restate/health`; name the address of the ingress"
    )]
    NoEngine {
        /// The address that was asked.
        place: String,
        /// The status of its answer.
        status: u16,
    },
    /// The engine refused to bring anything to this process.
    #[error(
        "the engine at `{place}` refused the services of this process at `{advertised}`: {said}; name with `advertise` an address under which the engine reaches this process"
    )]
    Refused {
        /// The address of its administration.
        place: String,
        /// Where this process says that it is.
        advertised: String,
        /// What the engine said.
        said: String,
    },
    /// An address on which this process cannot listen.
    #[error("this process cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// A setting that cannot be used.
    #[error("{0}")]
    Setting(String),
}
