//! Schedules.

use std::sync::Arc;

use crate::transport::{Call, Transport};
use crate::{ClientError, Cron, CronChange, CronId, CronSearch, NewCron, ThreadId};

/// The schedules of a server.
///
/// # Errors
/// All calls fail as [`ClientError`] says; a bad schedule is 422.
#[derive(Clone, Debug)]
pub struct Crons {
    transport: Arc<Transport>,
}

#[expect(clippy::missing_errors_doc, reason = "the type says it for all of its calls")]
impl Crons {
    pub(crate) fn new(transport: Arc<Transport>) -> Self {
        Self { transport }
    }

    /// Makes a schedule, whose runs are on one thread or, without one, each on one of its own.
    pub async fn create(&self, thread: impl Into<Option<ThreadId>>, new: NewCron) -> Result<Cron, ClientError> {
        let call = match thread.into() {
            Some(thread) => Call::post(["threads", &thread.to_string(), "runs", "crons"]),
            None => Call::post(["runs", "crons"]),
        };
        self.transport.json(&call.json(&new)).await
    }

    /// The schedules that a search finds.
    pub async fn search(&self, search: CronSearch) -> Result<Vec<Cron>, ClientError> {
        self.transport.json(&Call::post(["runs", "crons", "search"]).json(&search)).await
    }

    /// How many schedules a search finds.
    pub async fn count(&self, search: CronSearch) -> Result<u64, ClientError> {
        self.transport.json(&Call::post(["runs", "crons", "count"]).json(&search)).await
    }

    /// A schedule. Only newer servers answer this; [`search`](Self::search) works everywhere.
    pub async fn get(&self, id: CronId) -> Result<Cron, ClientError> {
        self.transport.json(&Call::get(["runs", "crons", &id.to_string()])).await
    }

    /// Changes a schedule.
    pub async fn update(&self, id: CronId, change: CronChange) -> Result<Cron, ClientError> {
        self.transport.json(&Call::patch(["runs", "crons", &id.to_string()]).json(&change)).await
    }

    /// Deletes a schedule. What runs goes on.
    pub async fn delete(&self, id: CronId) -> Result<(), ClientError> {
        self.transport.done(&Call::delete(["runs", "crons", &id.to_string()])).await
    }
}
