//! Documents that a run makes, for clients to download.
//!
//! A node [keeps](keep) a document, and puts the [`Artifact`] that it gets into the field `artifacts` of its state, a list.
//! Clients find the list among the values of the thread and get a document at
//! `GET /threads/{thread_id}/artifacts/{name}`.
//!
//! | rule | where |
//! | --- | --- |
//! | what a state says of a document, and which names there are | `artifact.rs` |
//! | where the bytes are kept | `storage.rs` |
//! | how a client gets them | `download.rs` |
//!
//! The bytes are not in the state: it is told with every commit, and stored with every checkpoint. They are in the long-term
//! store of the threads, below a namespace that no request can name, under a hash of theirs: what an older checkpoint names
//! is still what it was, and a node that runs again after a crash keeps the same.
//!
//! ```
//! use graphloom_core_graph::{Context, NodeError, State};
//! use graphloom_server::artifacts::{Artifact, keep};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! struct Letter {
//!     artifacts: Vec<Artifact>,
//! }
//!
//! async fn write(context: Context) -> Result<LetterUpdate, NodeError> {
//!     let letter = keep(&context, "letter.md", "text/markdown; charset=utf-8", "# Dear Ada\n").await?;
//!     Ok(Letter::update().artifacts(vec![letter]))
//! }
//! ```

mod artifact;
mod download;
mod storage;
#[cfg(test)]
mod tests;

pub use artifact::{Artifact, ArtifactError, MAX_BYTES};
pub(crate) use download::routes;
pub use storage::keep;
pub(crate) use storage::{copy_all, delete_all};

/// The field of a state that lists what can be downloaded.
pub(crate) const ARTIFACTS: &str = "artifacts";
