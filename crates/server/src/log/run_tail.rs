//! What one run told.

use std::sync::Arc;

use uuid::Uuid;

use crate::log::entry::{Entry, LogEvent};
use crate::log::tail::{Tail, TailError};
use crate::log::thread_log::ThreadLog;

/// What one run told, in order, up to its end.
pub(crate) struct RunTail {
    tail: Tail,
    run: Uuid,
    has_ended: bool,
}

impl RunTail {
    /// Reads what a run told after an entry of the log.
    pub(crate) fn new(log: &Arc<ThreadLog>, run: Uuid, after: u64) -> Self {
        Self { tail: log.after(after), run, has_ended: false }
    }

    /// The next entry, when it is stored; none after the run's end.
    ///
    /// # Errors
    /// As [`Tail::next`].
    pub(crate) async fn next(&mut self) -> Result<Option<Arc<Entry>>, TailError> {
        while !self.has_ended {
            let Some(entry) = self.tail.next().await? else { return Ok(None) };
            if entry.run == self.run {
                self.has_ended = matches!(entry.event, LogEvent::RunEnded { .. });
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }
}
