//! A thread is deleted with all that belongs to it.
//!
//! 1. The record of a thread is hidden before anything goes, and deleted after everything has gone. In between nobody sees the
//!    thread or makes another one of its id, and whoever finds the hidden record begins again.
//! 2. The thread's queue is held meanwhile, so that no run is accepted and no two delete at the same time.
//! 3. A thread that was made for one run has no record of its own. It stays in the list of unfinished runs until it has gone.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::checkpoint::CheckpointError;
use uuid::Uuid;

use crate::artifacts;
use crate::detached::detached;
use crate::records::{RecordError, RunRecord};
use crate::refusal::Refusal;
use crate::runs::live::Cancel;
use crate::runs::locked::Locked;
use crate::runs::place::{Opening, Place};
use crate::runs::{Inner, RunManager};

/// Before it is asked again who holds a thread.
const PAUSE: Duration = Duration::from_millis(10);

impl RunManager {
    /// Deletes a thread with its checkpoints, runs, log, documents and crons; runs under way are cancelled first. A deletion
    /// that failed in its middle is finished.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; the stores', after which the thread is gone for clients, and
    /// [`delete_abandoned`](Self::delete_abandoned) deletes the rest.
    pub(crate) async fn delete_thread(&self, thread: Uuid) -> Result<(), Refusal> {
        let manager = self.clone();
        detached(async move {
            let locked = manager.idle(thread).await?;
            let deleted = manager.inner.delete(thread).await;
            locked.next(&manager.inner);
            deleted
        })
        .await
    }

    /// Deletes what is left of threads that were being made or deleted when their process died, and tells how many.
    ///
    /// # Errors
    /// The stores'.
    pub(crate) async fn delete_abandoned(&self) -> Result<usize, Refusal> {
        let mut count = 0;
        for thread in self.inner.records.threads.abandoned().await? {
            match self.delete_thread(thread).await {
                Ok(()) => count += 1,
                // Another did it meanwhile.
                Err(Refusal::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// The queue of a thread, when no run is under way and none waits.
    async fn idle(&self, thread: Uuid) -> Result<Locked, Refusal> {
        loop {
            self.cancel_all(thread, Cancel::Interrupt).await?;
            match self.inner.place(thread, Opening::default()).await? {
                Place::Here(locked) if locked.runs().next().is_none() => return Ok(locked),
                Place::Here(_) => {}
                // Another process gives it back in a moment.
                Place::There(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}

impl Inner {
    async fn delete(&self, thread: Uuid) -> Result<(), Refusal> {
        self.records.threads.begin_deletion(thread).await?;
        self.records.crons.delete_of_thread(thread).await?;
        self.records.runs.delete_of_thread(thread).await?;
        self.logs.delete(thread).await?;
        self.delete_state(thread).await?;
        Ok(self.records.threads.end_deletion(thread).await?)
    }

    /// Deletes a run with the thread that was made for it. Its log stays for a while, for clients that come back.
    pub(super) async fn forget_temporary(&self, run: &RunRecord) -> Result<(), Refusal> {
        self.delete_state(run.thread_id).await?;
        match self.records.runs.delete(run.thread_id, run.run_id).await {
            Ok(()) | Err(RecordError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the checkpoints and the documents of a thread.
    async fn delete_state(&self, thread: Uuid) -> Result<(), Refusal> {
        let (checkpoints, id) = (Arc::clone(&self.stores.checkpoints), thread.to_string());
        artifacts::delete_all(&*self.stores.memory, &id).await?;
        if checkpoints.thread(&id).await?.is_some() {
            match checkpoints.delete_thread(&id).await {
                Ok(()) | Err(CheckpointError::UnknownThread { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
