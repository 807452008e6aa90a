//! Schedules.

use serde::{Deserialize, Serialize};

use super::{AssistantId, CronId, Object, ThreadId, or_default};

/// Runs by a schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cron {
    /// Its id.
    pub cron_id: CronId,
    /// Its assistant.
    #[serde(default)]
    pub assistant_id: Option<AssistantId>,
    /// The thread of its runs; none when each has one of its own.
    #[serde(default)]
    pub thread_id: Option<ThreadId>,
    /// The schedule in five fields: minute, hour, day of the month, month, day of the week.
    pub schedule: String,
    /// The time zone of the schedule; UTC where there is none.
    #[serde(default)]
    pub timezone: Option<String>,
    /// When it ends, RFC 3339.
    #[serde(default)]
    pub end_time: Option<String>,
    /// When it runs next, RFC 3339.
    #[serde(default)]
    pub next_run_date: Option<String>,
    /// Whether it runs at all.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// What its runs are started with.
    #[serde(default, deserialize_with = "or_default")]
    pub payload: Object,
    /// What was noted about it.
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Object,
    /// What else the server says.
    #[serde(flatten)]
    pub extra: Object,
}
