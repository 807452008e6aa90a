//! One thread, and its form for clients.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::listing::{Compare, Listed};
use super::super::runs::RunFailure;
use super::super::timestamp;

/// What a thread is doing. The order is that of the words.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ThreadStatus {
    /// A run is pending or running.
    Busy,
    /// The last run failed.
    Error,
    /// Nothing.
    #[default]
    Idle,
    /// It waits for an answer, or its last run was stopped.
    Interrupted,
}

/// Why a thread is not there for clients, though it has a record.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Hidden {
    /// It is being made: what it begins with is not complete.
    Making,
    /// It is being deleted: first what belongs to it, then the record.
    Deleting,
}

/// A question that a task of a thread waits with.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct PendingInterrupt {
    /// Its id.
    pub(crate) id: String,
    /// What is asked.
    pub(crate) value: Value,
    /// What an answer must look like, as JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) response_schema: Option<Value>,
}

/// What happens to a thread whose time has come.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TtlStrategy {
    /// It is deleted.
    #[default]
    Delete,
    /// Only its last checkpoint stays.
    KeepLatest,
}

/// How long a thread is kept.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct ThreadTtl {
    /// In minutes.
    pub(crate) minutes: f64,
    /// What then happens.
    pub(crate) strategy: TtlStrategy,
    /// When, in milliseconds since 1970.
    pub(crate) expires: u64,
}

impl ThreadTtl {
    /// A time to live that begins at a time.
    pub(super) fn new(minutes: f64, strategy: TtlStrategy, now: u64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of a float to an integer ends at the integer's ends"
        )]
        let millis = (minutes * 60_000.0) as u64;
        Self { minutes, strategy, expires: now.saturating_add(millis) }
    }
}

/// A thread as it was when it was copied. Its log tells what its runs did so far.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Copied {
    pub(crate) thread: Uuid,
    /// The number of the newest entry of its log.
    pub(crate) last: u64,
}

/// A thread.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct ThreadRecord {
    /// Its id.
    pub(crate) thread_id: Uuid,
    /// When it was made.
    pub(crate) created: u64,
    /// When it was last changed.
    pub(crate) updated: u64,
    /// When its state was last changed.
    pub(crate) state_updated: u64,
    /// What clients find it by.
    pub(crate) metadata: Map<String, Value>,
    /// The configuration of its last run.
    pub(crate) config: Map<String, Value>,
    /// What it is doing.
    pub(crate) status: ThreadStatus,
    /// Its state's values; `null` until a run.
    pub(crate) values: Value,
    /// The questions it waits with, by task.
    pub(crate) interrupts: BTreeMap<String, Vec<PendingInterrupt>>,
    /// Why its last run failed.
    pub(crate) error: Option<RunFailure>,
    /// How long it is kept; for ever when not set.
    pub(crate) ttl: Option<ThreadTtl>,
    /// The graph whose checkpoints it has; none until a run or an update.
    pub(crate) graph: Option<String>,
    /// What it is a copy of: the first thread first, of which the next is a copy, and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) copied: Vec<Copied>,
    /// Why clients do not see it; none for a thread that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hidden: Option<Hidden>,
}

impl ThreadRecord {
    pub(super) fn new(thread_id: Uuid, now: u64) -> Self {
        Self {
            thread_id,
            created: now,
            updated: now,
            state_updated: now,
            metadata: Map::new(),
            config: Map::new(),
            status: ThreadStatus::Idle,
            values: Value::Null,
            interrupts: BTreeMap::new(),
            error: None,
            ttl: None,
            graph: None,
            copied: Vec::new(),
            hidden: None,
        }
    }

    /// Hides the thread. Its status says that it is busy: all that a process may have left in the middle is found by that.
    pub(super) fn hide(&mut self, why: Hidden) {
        self.hidden = Some(why);
        self.status = ThreadStatus::Busy;
    }

    /// Says that the state changed: the time to live begins again.
    pub(crate) fn state_changed(&mut self, now: u64) {
        self.state_updated = now;
        self.restart_ttl(now);
    }

    /// Lets the time to live begin again.
    pub(crate) fn restart_ttl(&mut self, now: u64) {
        self.ttl = self.ttl.map(|ttl| ThreadTtl::new(ttl.minutes, ttl.strategy, now));
    }

    /// The object that clients see.
    pub(crate) fn wire(&self) -> Value {
        json!({
            "thread_id": self.thread_id,
            "created_at": timestamp(self.created),
            "updated_at": timestamp(self.updated),
            "state_updated_at": timestamp(self.state_updated),
            "metadata": self.metadata,
            "status": self.status,
            "config": self.config,
            "values": self.values,
            "interrupts": self.interrupts,
            "error": self.error,
        })
    }

    /// The object that clients see, with how long the thread is kept: `null` for ever.
    pub(crate) fn wire_with_ttl(&self) -> Value {
        let mut wire = self.wire();
        let ttl = self.ttl.map(|ttl| {
            let (strategy, minutes) = (ttl.strategy, ttl.minutes);
            json!({"strategy": strategy, "ttl_minutes": minutes, "expires_at": timestamp(ttl.expires)})
        });
        wire["ttl"] = ttl.into();
        wire
    }
}

impl Listed for ThreadRecord {
    const SORTED_BY: &'static [(&'static str, Compare<Self>)] = &[
        ("thread_id", |left, right| left.thread_id.cmp(&right.thread_id)),
        ("status", |left, right| left.status.cmp(&right.status)),
        ("created_at", |left, right| left.created.cmp(&right.created)),
        ("updated_at", |left, right| left.updated.cmp(&right.updated)),
        ("state_updated_at", |left, right| left.state_updated.cmp(&right.state_updated)),
    ];
    // `context` is a name that the SDK's type knows; a thread has none.
    const FIELDS: &'static [&'static str] = &[
        "thread_id",
        "created_at",
        "updated_at",
        "state_updated_at",
        "metadata",
        "status",
        "config",
        "context",
        "values",
        "interrupts",
        "error",
    ];

    fn id(&self) -> Uuid {
        self.thread_id
    }

    fn created(&self) -> u64 {
        self.created
    }
}
