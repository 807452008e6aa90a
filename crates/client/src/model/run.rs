//! Runs.

use serde::{Deserialize, Serialize};

use super::{AssistantId, Object, RunId, ThreadId, or_default};

/// A run of an assistant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Run {
    /// Its id.
    pub run_id: RunId,
    /// Its thread; a temporary one for a run without.
    pub thread_id: ThreadId,
    /// Its assistant.
    pub assistant_id: AssistantId,
    /// How it stands.
    pub status: RunStatus,
    /// What was noted about it.
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Object,
    /// What it was started with.
    #[serde(default, deserialize_with = "or_default")]
    pub kwargs: Object,
    /// What becomes of it while another runs on the thread.
    #[serde(default)]
    pub multitask_strategy: Option<String>,
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

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// It has not begun.
    Pending,
    /// It runs.
    Running,
    /// It has ended, or waits for an answer.
    Success,
    /// It failed.
    Error,
    /// It took too long.
    Timeout,
    /// It was cancelled, or another took its place.
    Interrupted,
    /// Something that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

impl RunStatus {
    /// Whether the run is over.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Pending | Self::Running | Self::Unknown)
    }
}
