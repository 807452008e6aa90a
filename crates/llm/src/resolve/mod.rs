//! From what a user writes after `--model` to models.

mod build;
mod chain;
mod embedder_spec;
mod probe;
mod spec;

pub use build::{ModelSource, resolve};
pub use chain::ChainSpec;
pub use embedder_spec::EmbedderSpec;
pub use probe::{LocalServer, probe_local, probe_ports};
pub use spec::{ModelSpec, ModelSpecs, RemoteSpec, SpecError};
