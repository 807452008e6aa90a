//! The state of a thread is changed from outside of its runs.
//!
//! 1. The thread's queue is held meanwhile: no run is accepted, and the change is of the state that it was made for.
//! 2. What was changed is in the log before it is answered, unless the log cannot be written.

use std::time::Duration;

use uuid::Uuid;

use crate::detached::detached;
use crate::log::LogEvent;
use crate::refusal::Refusal;
use crate::runs::RunManager;
use crate::runs::locked::Locked;
use crate::runs::place::{Opening, Place};

/// Before it is asked again whether a thread is idle.
const PAUSE: Duration = Duration::from_millis(10);

impl RunManager {
    /// Changes the state of a thread. `edit` gives the number of the checkpoint that it made, which is returned.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] while a run is under way or waits; the stores'; those of the edit.
    pub(crate) async fn edit<E, F>(&self, thread: Uuid, edit: F) -> Result<u64, E>
    where
        E: From<Refusal> + Send + 'static,
        F: Future<Output = Result<u64, E>> + Send + 'static,
    {
        let manager = self.clone();
        // A client that goes away in between must not leave a change that nobody is told of.
        detached(async move {
            let locked = manager.not_busy(thread).await?;
            let edited = edit.await;
            if let Ok(checkpoint) = edited {
                let log = &locked.queue.log;
                let entry = log.append(Uuid::nil(), "".into(), 0, LogEvent::StateUpdated { checkpoint });
                if let Err(fault) = log.flushed(entry).await {
                    tracing::error!(%thread, fault, "a state was changed, and that could not be logged");
                }
            }
            locked.next(&manager.inner);
            edited
        })
        .await
    }

    /// The queue of a thread on which no run is under way or waits.
    async fn not_busy(&self, thread: Uuid) -> Result<Locked, Refusal> {
        loop {
            if self.is_busy(thread).await? {
                let detail = format!("Thread with ID {thread} is busy: wait for its run, or cancel it");
                return Err(Refusal::Conflict(detail));
            }
            match self.inner.place(thread, Opening::default()).await? {
                Place::Here(locked) if locked.runs().next().is_none() => return Ok(locked),
                // A run that has ended is being recorded; another process gives its thread back in a moment.
                Place::Here(_) | Place::There(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}
