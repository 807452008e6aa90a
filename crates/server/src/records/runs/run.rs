//! One run, and its form for clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::listing::{Compare, Listed};
use super::super::timestamp;
use crate::usage::RunUsage;

/// How far a run is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunStatus {
    /// It waits for its turn or its time.
    Pending,
    /// A process executes it.
    Running,
    /// It ended, or stopped with a question.
    Success,
    /// It failed.
    Error,
    /// It took too long.
    Timeout,
    /// It was cancelled, or another run took its place.
    Interrupted,
}

impl RunStatus {
    /// The status as the wire names it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Success => "success",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether the run has ended. It stays so.
    pub(crate) fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

/// What a run does when its thread is busy.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Multitask {
    /// It is refused.
    Reject,
    /// It waits.
    #[default]
    Enqueue,
    /// The other run is stopped; what it did stays.
    Interrupt,
    /// The other run is stopped and undone.
    Rollback,
}

/// What happens to the thread of a stateless run when the run ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Completion {
    /// It is deleted.
    #[default]
    Delete,
    /// It stays.
    Keep,
}

/// Why a run failed.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct RunFailure {
    /// The kind of failure.
    pub(crate) error: String,
    /// What happened.
    pub(crate) message: String,
}

/// A run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct RunRecord {
    /// Its id, which has the time it was made in it.
    pub(crate) run_id: Uuid,
    /// Its thread.
    pub(crate) thread_id: Uuid,
    /// Its assistant.
    pub(crate) assistant_id: Uuid,
    /// The graph that it runs.
    pub(crate) graph: String,
    /// When it was made.
    pub(crate) created: u64,
    /// When it was last changed.
    pub(crate) updated: u64,
    /// When a process began to execute it; nothing until then, and of runs that were stored before this was recorded.
    #[serde(default)]
    pub(crate) started: Option<u64>,
    /// When it ended; nothing until then, and of runs that were stored before this was recorded.
    #[serde(default)]
    pub(crate) ended: Option<u64>,
    /// The super-steps that it committed, of the root graph; nothing until it ended, of a run that never began, and of runs
    /// that were stored before this was recorded.
    #[serde(default)]
    pub(crate) steps: Option<u64>,
    /// The calls of models that it made; none until it ended.
    #[serde(default, skip_serializing_if = "RunUsage::is_empty")]
    pub(crate) usage: RunUsage,
    /// How far it is.
    pub(crate) status: RunStatus,
    /// What the client says about it.
    pub(crate) metadata: Map<String, Value>,
    /// The fields of the request.
    pub(crate) kwargs: Value,
    /// What it does when its thread is busy.
    pub(crate) multitask_strategy: Multitask,
    /// Why it was cancelled.
    pub(crate) cancel_reason: Option<String>,
    /// When it may start, for a run that was asked to wait.
    pub(crate) start_at: Option<u64>,
    /// Whether its thread was made for it.
    pub(crate) temporary_thread: bool,
    /// What happens to a thread that was made for it.
    pub(crate) on_completion: Completion,
    /// Who is told of its end.
    pub(crate) webhook: Option<String>,
    /// Why it failed.
    pub(crate) error: Option<RunFailure>,
    /// The numbers of the first and the last checkpoint that it made.
    pub(crate) checkpoints: Option<(u64, u64)>,
    /// The checkpoint at the head of its thread before it.
    #[serde(default)]
    pub(crate) base: Option<u64>,
    /// The newest event of its thread's log before it.
    #[serde(default)]
    pub(crate) before: u64,
    /// Whether a process that stopped left it in the middle.
    #[serde(default)]
    pub(crate) is_left: bool,
    /// The span that asked for it, where spans are sent to anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) traceparent: Option<String>,
}

impl RunRecord {
    /// A pending run of a thread with nothing asked of it.
    pub(crate) fn new(thread_id: Uuid, assistant_id: Uuid, graph: impl Into<String>, now: u64) -> Self {
        Self {
            run_id: Uuid::now_v7(),
            thread_id,
            assistant_id,
            graph: graph.into(),
            created: now,
            updated: now,
            started: None,
            ended: None,
            steps: None,
            usage: RunUsage::default(),
            status: RunStatus::Pending,
            metadata: Map::new(),
            kwargs: json!({}),
            multitask_strategy: Multitask::default(),
            cancel_reason: None,
            start_at: None,
            temporary_thread: false,
            on_completion: Completion::default(),
            webhook: None,
            error: None,
            checkpoints: None,
            base: None,
            before: 0,
            is_left: false,
            traceparent: None,
        }
    }

    /// Whether it has a thread of its own that is deleted when it has ended, and the run with it.
    pub(crate) fn goes_with_its_thread(&self) -> bool {
        self.temporary_thread && self.on_completion == Completion::Delete
    }

    /// The object that clients see.
    pub(crate) fn wire(&self) -> Value {
        let mut wire = json!({
            "run_id": self.run_id,
            "thread_id": self.thread_id,
            "assistant_id": self.assistant_id,
            "created_at": timestamp(self.created),
            "updated_at": timestamp(self.updated),
            "status": self.status,
            "metadata": self.metadata,
            "kwargs": self.kwargs,
            "multitask_strategy": self.multitask_strategy,
        });
        if let Some(reason) = &self.cancel_reason {
            wire["cancel_reason"] = json!(reason);
        }
        wire
    }
}

impl Listed for RunRecord {
    const SORTED_BY: &'static [(&'static str, Compare<Self>)] = &[
        ("run_id", |left, right| left.run_id.cmp(&right.run_id)),
        ("thread_id", |left, right| left.thread_id.cmp(&right.thread_id)),
        ("graph_id", |left, right| left.graph.cmp(&right.graph)),
        ("status", |left, right| left.status.as_str().cmp(right.status.as_str())),
        ("created_at", |left, right| left.created.cmp(&right.created)),
        ("updated_at", |left, right| left.updated.cmp(&right.updated)),
        ("started_at", |left, right| left.started.cmp(&right.started)),
        ("ended_at", |left, right| left.ended.cmp(&right.ended)),
        ("steps", |left, right| left.steps.cmp(&right.steps)),
    ];
    const FIELDS: &'static [&'static str] = &[
        "run_id",
        "thread_id",
        "assistant_id",
        "created_at",
        "updated_at",
        "status",
        "metadata",
        "kwargs",
        "multitask_strategy",
        "cancel_reason",
    ];

    fn id(&self) -> Uuid {
        self.run_id
    }

    fn created(&self) -> u64 {
        self.created
    }
}
