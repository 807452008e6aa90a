//! One cron, and its form for clients.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

use super::super::listing::{Compare, Listed};
use super::super::runs::Completion;
use super::super::{RecordError, timestamp};
use super::schedule::Schedule;

/// Runs that start by the calendar.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Cron {
    /// Its id.
    pub(crate) cron_id: Uuid,
    /// The assistant of its runs.
    pub(crate) assistant_id: Uuid,
    /// The thread of its runs; a new one for each when not set.
    pub(crate) thread_id: Option<Uuid>,
    /// When: minute, hour, day of the month, month, day of the week.
    pub(crate) schedule: String,
    /// The IANA name of the time zone that the schedule is in; UTC when not set.
    pub(crate) timezone: Option<String>,
    /// From when on it runs no more.
    pub(crate) end_time: Option<u64>,
    /// Whether it runs.
    pub(crate) enabled: bool,
    /// What happens to a thread that was made for one of its runs.
    pub(crate) on_run_completed: Option<Completion>,
    /// The fields of its runs' requests.
    pub(crate) payload: Map<String, Value>,
    /// When it runs next; never again when not set.
    pub(crate) next_run_date: Option<u64>,
    /// What clients find it by.
    pub(crate) metadata: Map<String, Value>,
    /// When it was made.
    pub(crate) created: u64,
    /// When it was last changed.
    pub(crate) updated: u64,
    /// Whose it is.
    pub(crate) user_id: Option<String>,
}

impl Cron {
    /// Sets the time of the next run, the first after a time.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a schedule or a time zone that is none, or a schedule whose time never comes.
    pub(super) fn plan(&mut self, after: u64) -> Result<(), RecordError> {
        let schedule = Schedule::new(&self.schedule, self.timezone.as_deref())?;
        let next = schedule.next(after).ok_or_else(|| {
            let schedule = &self.schedule;
            RecordError::BadRequest(format!("`schedule` is `{schedule}`, which names a time that never comes"))
        })?;
        self.next_run_date = Some(next).filter(|next| self.end_time.is_none_or(|end| *next < end));
        Ok(())
    }

    /// Whether a run is to start.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.enabled && self.end_time.is_none_or(|end| now < end) && self.next_run_date.is_some_and(|next| next <= now)
    }

    /// The id of the run that is to start at `next_run_date`: the same for every process that starts it, and again
    /// after a crash, so that it is put once. A version 7 of that time, with a hash of the cron's id in place of chance.
    pub(crate) fn next_run_id(&self) -> Option<Uuid> {
        let next = self.next_run_date?;
        let hash = xxh3_128(self.cron_id.as_bytes()).to_be_bytes();
        let mut rest = [0; 10];
        rest.copy_from_slice(&hash[..10]);
        Some(uuid::Builder::from_unix_timestamp_millis(next, &rest).into_uuid())
    }

    /// The object that clients see.
    pub(crate) fn wire(&self) -> Value {
        json!({
            "cron_id": self.cron_id,
            "assistant_id": self.assistant_id,
            "thread_id": self.thread_id,
            "on_run_completed": self.on_run_completed,
            "end_time": self.end_time.map(timestamp),
            "schedule": self.schedule,
            "timezone": self.timezone,
            "created_at": timestamp(self.created),
            "updated_at": timestamp(self.updated),
            "payload": self.payload,
            "user_id": self.user_id,
            "next_run_date": self.next_run_date.map(timestamp),
            "metadata": self.metadata,
            "enabled": self.enabled,
        })
    }
}

impl Listed for Cron {
    const SORTED_BY: &'static [(&'static str, Compare<Self>)] = &[
        ("cron_id", |left, right| left.cron_id.cmp(&right.cron_id)),
        ("assistant_id", |left, right| left.assistant_id.cmp(&right.assistant_id)),
        ("thread_id", |left, right| left.thread_id.cmp(&right.thread_id)),
        ("created_at", |left, right| left.created.cmp(&right.created)),
        ("updated_at", |left, right| left.updated.cmp(&right.updated)),
        ("next_run_date", |left, right| left.next_run_date.cmp(&right.next_run_date)),
        ("end_time", |left, right| left.end_time.cmp(&right.end_time)),
    ];
    // `now` is a name that the SDK's type knows; a cron has none.
    const FIELDS: &'static [&'static str] = &[
        "cron_id",
        "assistant_id",
        "thread_id",
        "on_run_completed",
        "end_time",
        "schedule",
        "timezone",
        "created_at",
        "updated_at",
        "payload",
        "user_id",
        "next_run_date",
        "metadata",
        "enabled",
        "now",
    ];

    fn id(&self) -> Uuid {
        self.cron_id
    }

    fn created(&self) -> u64 {
        self.created
    }
}
