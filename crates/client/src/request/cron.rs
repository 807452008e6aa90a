//! Requests about schedules.

use serde_json::Value;

use super::request;
use crate::{AssistantId, NewRun, ThreadId};

request! {
    /// Runs by a schedule in five fields, such as `0 7 * * 1-5`.
    NewCron(schedule: String, #[serde(flatten)] run: NewRun) {
        /// The time zone of the schedule, such as `Europe/Lisbon`.
        timezone: String,
        /// When it ends, RFC 3339.
        end_time: String,
        /// Whether it runs at all.
        enabled: bool,
        /// `keep` or `delete` for the threads of runs that have none of their own.
        on_run_completed: String,
    }
}

request! {
    /// What becomes different in a schedule.
    CronChange() {
        /// Another schedule.
        schedule: String,
        /// Another time zone.
        timezone: String,
        /// Another end, RFC 3339.
        end_time: String,
        /// Whether it runs at all.
        enabled: bool,
        /// Another input.
        input: Value,
        /// More metadata.
        metadata: Value,
    }
}

request! {
    /// Which schedules are searched for.
    CronSearch() {
        /// Those of this assistant.
        assistant_id: AssistantId,
        /// Those of this thread.
        thread_id: ThreadId,
        /// Those that run, or those that do not.
        enabled: bool,
        /// At most so many.
        limit: u64,
        /// After so many.
        offset: u64,
    }
}
