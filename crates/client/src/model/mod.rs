//! What the server keeps and answers, §3 of the protocol as types.
//!
//! What a newer server adds is kept in `extra` where an object is one that people look at, and ignored elsewhere. A field
//! that a server leaves out or sends as `null` has its empty value.

mod assistant;
mod cron;
mod id;
mod run;
mod state;
mod store;
mod thread;

use serde::{Deserialize, Deserializer};

pub use assistant::{Assistant, Schemas};
pub use cron::Cron;
pub use id::{AssistantId, CronId, RunId, ThreadId};
pub use run::{Run, RunStatus};
pub use state::{Checkpoint, Interrupt, StateTask, ThreadState};
pub use store::Item;
pub use thread::{Thread, ThreadStatus};

/// A JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// A part of a list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// What is in this part.
    pub items: Vec<T>,
    /// How many there are in all, where the server says so.
    pub total: Option<u64>,
    /// The offset of the next part; none on the last.
    pub next: Option<u64>,
}

/// Reads `null` as the empty value.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}
