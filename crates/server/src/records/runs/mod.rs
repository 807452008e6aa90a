//! Runs of threads.
//!
//! A run that has not ended has an entry of its own in a list, so that a server finds what it has to go on with when it
//! starts, without reading every run there ever was. The entry is put before the run and deleted after all that belongs to the
//! run's end is stored: a run that a process may have left in the middle is always in the list, whenever the process ends.

mod run;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::collection::Collection;
use super::error::RecordError;
use super::listing::{Arrangement, Listing, Paging};
pub(crate) use run::{Completion, Multitask, RunFailure, RunRecord, RunStatus};
pub(crate) use search::RunSearch;

/// How long an entry of the list of unfinished runs may be without its run: putting a run after it takes no hour.
const ENTRY_WITHOUT_RUN_MILLIS: u64 = 60 * 60 * 1_000;

/// Which runs of a thread a client asks for. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct RunList {
    /// At most this many, 10 unless set.
    pub(crate) limit: Option<usize>,
    /// Skips this many.
    pub(crate) offset: Option<usize>,
    /// The status.
    pub(crate) status: Option<RunStatus>,
    /// The fields that are answered, all unless set.
    pub(crate) select: Option<Vec<String>>,
}

/// An entry of the list of unfinished runs.
#[derive(Deserialize, Serialize)]
struct Unfinished {
    run_id: Uuid,
    thread_id: Uuid,
    put: u64,
}

/// The runs of a store.
#[derive(Clone)]
pub(crate) struct Runs {
    runs: Collection<RunRecord>,
    unfinished: Collection<Unfinished>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runs").finish_non_exhaustive()
    }
}

impl Runs {
    pub(super) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self {
            runs: Collection::new(store, "Run", "runs"),
            unfinished: Collection::new(store, "Unfinished run", "unfinished_runs"),
            clock: Arc::clone(clock),
        }
    }

    /// Puts a new run.
    ///
    /// # Errors
    /// [`RecordError::Conflict`] when there is one of its id.
    pub(crate) async fn insert(&self, run: &RunRecord) -> Result<(), RecordError> {
        let key = run.run_id.to_string();
        if !run.status.is_final() {
            let entry = Unfinished { run_id: run.run_id, thread_id: run.thread_id, put: self.clock.now() };
            self.unfinished.put(&[], &key, &entry).await?;
        }
        if self.runs.insert(&of(run.thread_id), &key, run).await? {
            return Ok(());
        }
        Err(RecordError::Conflict(format!("Run with ID {key} already exists")))
    }

    /// A run of a thread.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn get(&self, thread_id: Uuid, run_id: Uuid) -> Result<RunRecord, RecordError> {
        self.runs.get(&of(thread_id), &run_id.to_string()).await
    }

    /// A run of a thread, if it is there.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn find_of_thread(&self, thread: Uuid, run: Uuid) -> Result<Option<RunRecord>, RecordError> {
        Ok(self.runs.read(&of(thread), &run.to_string()).await?.map(|read| read.record))
    }

    /// Changes a run, and its time of change. `change` may be called again, on what another writer put meanwhile.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], [`RecordError::Conflict`] when a run that has ended would go on, and what `change`
    /// fails with: the run stays as it was then.
    pub(crate) async fn update(
        &self,
        thread_id: Uuid,
        run_id: Uuid,
        change: impl FnMut(&mut RunRecord) -> Result<(), RecordError> + Send,
    ) -> Result<RunRecord, RecordError> {
        let run = self.change(thread_id, run_id, change).await?;
        if run.status.is_final() {
            self.done_with(run_id).await?;
        }
        Ok(run)
    }

    /// Says how a run ended. It stays in the list of unfinished runs until whoever ends it is [done with](Self::done_with) it.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub(crate) async fn end(
        &self,
        thread_id: Uuid,
        run_id: Uuid,
        change: impl FnMut(&mut RunRecord) -> Result<(), RecordError> + Send,
    ) -> Result<RunRecord, RecordError> {
        self.change(thread_id, run_id, change).await
    }

    /// Takes a run from the list of unfinished runs: nothing of its end is left to do.
    pub(crate) async fn done_with(&self, run_id: Uuid) -> Result<(), RecordError> {
        self.unfinished.delete(&[], &run_id.to_string()).await.map(drop)
    }

    async fn change(
        &self,
        thread_id: Uuid,
        run_id: Uuid,
        mut change: impl FnMut(&mut RunRecord) -> Result<(), RecordError> + Send,
    ) -> Result<RunRecord, RecordError> {
        let change = |run: &mut RunRecord| {
            let before = run.status;
            change(run)?;
            if before.is_final() && !run.status.is_final() {
                return Err(RecordError::Conflict(format!("Run with ID {} has ended and cannot go on", run.run_id)));
            }
            run.updated = self.clock.now();
            if before == RunStatus::Pending && run.status == RunStatus::Running {
                run.started = Some(run.updated);
            }
            if !before.is_final() && run.status.is_final() {
                run.ended = Some(run.updated);
            }
            Ok(())
        };
        self.runs.update(&of(thread_id), &run_id.to_string(), change).await
    }

    /// The runs of a thread that match, newest first, a page of them in the form clients see.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a page or field that cannot be answered.
    pub(crate) async fn list(&self, thread_id: Uuid, list: &RunList) -> Result<Listing, RecordError> {
        let select = list.select.as_deref();
        let paging = Paging { limit: list.limit, offset: list.offset, select, ..Paging::default() };
        let arrangement = Arrangement::new(paging)?;
        let status = list.status.map(|status| ("status".to_owned(), json!(status)));
        let runs = self.runs.all(&of(thread_id), status.as_slice()).await?;
        Ok(arrangement.page(runs, RunRecord::wire))
    }

    /// The runs of all threads that match, a page of them in the form that `wire` gives them.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a page or an order that cannot be answered.
    pub(crate) async fn search(
        &self,
        search: &RunSearch,
        wire: impl Fn(&RunRecord) -> Value,
    ) -> Result<Listing, RecordError> {
        let arrangement = Arrangement::new(search.paging())?;
        let within: Vec<String> = search.thread_id.iter().map(Uuid::to_string).collect();
        let mut runs = self.runs.all(&within, &search.conditions()).await?;
        runs.retain(|run| search.matches(run));
        Ok(arrangement.page(runs, wire))
    }

    /// All runs of a thread, oldest first.
    pub(crate) async fn of_thread(&self, thread_id: Uuid) -> Result<Vec<RunRecord>, RecordError> {
        let mut runs = self.runs.all(&of(thread_id), &[]).await?;
        sort(&mut runs);
        Ok(runs)
    }

    /// The run of an id, whichever thread it is of. A run without a thread has the id of its own.
    pub(crate) async fn find(&self, run_id: Uuid) -> Result<Option<RunRecord>, RecordError> {
        if let Some(read) = self.runs.read(&of(run_id), &run_id.to_string()).await? {
            return Ok(Some(read.record));
        }
        Ok(self.runs.all(&[], &[("run_id".to_owned(), json!(run_id))]).await?.into_iter().next())
    }

    /// The pending and running runs of all threads, oldest first.
    pub(crate) async fn unfinished(&self) -> Result<Vec<RunRecord>, RecordError> {
        let mut runs = self.left().await?;
        runs.retain(|run| !run.status.is_final());
        Ok(runs)
    }

    /// The runs that a process may have left, oldest first: those that have not ended, and those of whose end something may be
    /// left to do.
    pub(crate) async fn left(&self) -> Result<Vec<RunRecord>, RecordError> {
        self.left_of(&[]).await
    }

    /// The runs of a thread that a process may have left, oldest first.
    pub(crate) async fn left_of_thread(&self, thread: Uuid) -> Result<Vec<RunRecord>, RecordError> {
        self.left_of(&[("thread_id".to_owned(), json!(thread))]).await
    }

    async fn left_of(&self, conditions: &[(String, Value)]) -> Result<Vec<RunRecord>, RecordError> {
        let mut runs = Vec::new();
        for entry in self.unfinished.all(&[], conditions).await? {
            let key = entry.run_id.to_string();
            match self.runs.read(&of(entry.thread_id), &key).await? {
                Some(read) => runs.push(read.record),
                None if self.clock.now().saturating_sub(entry.put) < ENTRY_WITHOUT_RUN_MILLIS => {}
                // The process ended between the two writes of a run's beginning, or of its deletion.
                None => self.done_with(entry.run_id).await?,
            }
        }
        sort(&mut runs);
        Ok(runs)
    }

    /// The threads of all entries of the list of unfinished runs, without a look at the runs.
    pub(crate) async fn unfinished_threads(&self) -> Result<BTreeSet<Uuid>, RecordError> {
        Ok(self.unfinished.all(&[], &[]).await?.into_iter().map(|entry| entry.thread_id).collect())
    }

    /// Deletes a run.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn delete(&self, thread_id: Uuid, run_id: Uuid) -> Result<(), RecordError> {
        let key = run_id.to_string();
        let deleted = self.runs.delete(&of(thread_id), &key).await?;
        self.unfinished.delete(&[], &key).await?;
        if deleted { Ok(()) } else { Err(self.runs.not_found(&key)) }
    }

    /// Deletes the runs of a thread, all of them.
    pub(crate) async fn delete_of_thread(&self, thread_id: Uuid) -> Result<(), RecordError> {
        for run in self.of_thread(thread_id).await? {
            let key = run.run_id.to_string();
            self.runs.delete(&of(thread_id), &key).await?;
            self.done_with(run.run_id).await?;
        }
        Ok(())
    }
}

/// Where the runs of a thread are.
fn of(thread_id: Uuid) -> [String; 1] {
    [thread_id.to_string()]
}

fn sort(runs: &mut [RunRecord]) {
    runs.sort_by_key(|run| (run.created, run.run_id));
}
