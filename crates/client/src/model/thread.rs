//! Threads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Interrupt, Object, ThreadId, or_default};

/// A thread: a state that runs work on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Thread {
    /// Its id.
    pub thread_id: ThreadId,
    /// What it does.
    #[serde(default, deserialize_with = "or_default")]
    pub status: ThreadStatus,
    /// Its state; none before its first run.
    #[serde(default)]
    pub values: Option<Value>,
    /// Its open questions, by the id of the task that asks.
    #[serde(default, deserialize_with = "or_default")]
    pub interrupts: BTreeMap<String, Vec<Interrupt>>,
    /// Why its last run failed.
    #[serde(default)]
    pub error: Option<Value>,
    /// What was noted about it.
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Object,
    /// What its runs are configured with.
    #[serde(default, deserialize_with = "or_default")]
    pub config: Object,
    /// When it was made, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When it was changed last, RFC 3339.
    #[serde(default)]
    pub updated_at: Option<String>,
    /// What else the server says.
    #[serde(flatten)]
    pub extra: Object,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThreadStatus {
    /// Nothing.
    #[default]
    Idle,
    /// A run is pending or running.
    Busy,
    /// It waits for an answer, stopped at a breakpoint, or its run was cancelled.
    Interrupted,
    /// Its last run failed.
    Error,
    /// Something that this version of the client does not know.
    #[serde(other)]
    Unknown,
}
