//! Threads: what is known of them beside their checkpoints.
//!
//! What belongs to a thread is in several stores, so it is neither made nor deleted in one step. While that goes on, the
//! thread has a record that is hidden: clients do not see it, nobody can make another thread of its id, and whatever
//! process finds it takes away the rest.

mod extract;
mod search;
#[cfg(test)]
mod tests;
mod thread;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::collection::Collection;
use super::containment::conditions;
use super::error::RecordError;
use super::listing::{Arrangement, IfExists, Listing};
use super::merge;
use extract::Extract;
pub(crate) use search::ThreadSearch;
pub(crate) use thread::{Copied, Hidden, PendingInterrupt, ThreadRecord, ThreadStatus, ThreadTtl, TtlStrategy};

/// How long a thread may be in the making before it counts as left by a process that died: an hour.
const MAKING_MILLIS: u64 = 60 * 60 * 1_000;

/// How long a client wants a thread kept.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(crate) struct Ttl {
    /// In minutes.
    pub(crate) ttl: f64,
    /// What then happens.
    #[serde(default)]
    pub(crate) strategy: TtlStrategy,
}

impl Ttl {
    fn begin(self, now: u64) -> Result<ThreadTtl, RecordError> {
        if self.ttl.is_finite() && self.ttl > 0.0 {
            return Ok(ThreadTtl::new(self.ttl, self.strategy, now));
        }
        Err(RecordError::BadRequest(format!("`ttl.ttl` is {}, it must be minutes above 0", self.ttl)))
    }
}

/// What a thread is made of. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ThreadCreate {
    /// The id, a new one unless set.
    pub(crate) thread_id: Option<Uuid>,
    /// The metadata.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// What happens when there is one of this id.
    pub(crate) if_exists: Option<IfExists>,
    /// How long it is kept.
    pub(crate) ttl: Option<Ttl>,
}

/// What a client's change of a thread sets; the rest stays. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ThreadPatch {
    /// Metadata over those there are.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// How long it is kept, from now on.
    pub(crate) ttl: Option<Ttl>,
}

/// The threads of a store.
#[derive(Clone)]
pub(crate) struct Threads {
    threads: Collection<ThreadRecord>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").finish_non_exhaustive()
    }
}

impl Threads {
    pub(super) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self { threads: Collection::new(store, "Thread", "threads"), clock: Arc::clone(clock) }
    }

    /// Makes a thread.
    ///
    /// # Errors
    /// [`RecordError::Conflict`] when there is one of this id and it may not be answered, or is hidden,
    /// [`RecordError::BadRequest`] for a time to live that is none.
    pub(crate) async fn create(&self, new: ThreadCreate) -> Result<ThreadRecord, RecordError> {
        self.make(new, None).await
    }

    /// Makes a thread that is hidden until it is [shown](Self::show): it begins with something that takes several steps. A
    /// thread that is there already is answered as it is.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub(crate) async fn create_hidden(&self, new: ThreadCreate) -> Result<ThreadRecord, RecordError> {
        self.make(new, Some(Hidden::Making)).await
    }

    async fn make(&self, new: ThreadCreate, hidden: Option<Hidden>) -> Result<ThreadRecord, RecordError> {
        let now = self.clock.now();
        let mut thread = ThreadRecord::new(new.thread_id.unwrap_or_else(Uuid::now_v7), now);
        thread.metadata = new.metadata.unwrap_or_default();
        thread.ttl = new.ttl.map(|ttl| ttl.begin(now)).transpose()?;
        if let Some(why) = hidden {
            thread.hide(why);
        }
        let key = thread.thread_id.to_string();
        loop {
            if self.threads.insert(&[], &key, &thread).await? {
                return Ok(thread);
            }
            if new.if_exists.unwrap_or_default() == IfExists::Raise {
                return Err(RecordError::Conflict(format!("Thread with ID {key} already exists")));
            }
            // Where it was deleted meanwhile, it is made after all.
            if let Some(there) = self.threads.read(&[], &key).await? {
                return match there.record.hidden {
                    None => Ok(there.record),
                    Some(Hidden::Deleting) => {
                        Err(RecordError::Conflict(format!("Thread with ID {key} is being deleted; try again later")))
                    }
                    Some(Hidden::Making) => Err(RecordError::Conflict(format!("Thread with ID {key} is being made"))),
                };
            }
        }
    }

    /// Shows a hidden thread that is complete, as a change leaves it.
    ///
    /// # Errors
    /// [`RecordError::NotFound`] when it is not there any more.
    pub(crate) async fn show(
        &self,
        id: Uuid,
        mut change: impl FnMut(&mut ThreadRecord) + Send,
    ) -> Result<ThreadRecord, RecordError> {
        let key = id.to_string();
        let change = |thread: &mut ThreadRecord| {
            if thread.hidden != Some(Hidden::Making) {
                return Err(self.threads.not_found(&key));
            }
            (thread.hidden, thread.status) = (None, ThreadStatus::Idle);
            change(thread);
            thread.updated = self.clock.now();
            Ok(())
        };
        self.threads.update(&[], &key, change).await
    }

    /// A thread.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn get(&self, id: Uuid) -> Result<ThreadRecord, RecordError> {
        let key = id.to_string();
        let thread = self.threads.get(&[], &key).await?;
        if thread.hidden.is_none() { Ok(thread) } else { Err(self.threads.not_found(&key)) }
    }

    /// Changes a thread, and its time of change. `change` may be called again, on what another writer put meanwhile.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], and what `change` fails with: the thread stays as it was then.
    pub(crate) async fn update(
        &self,
        id: Uuid,
        mut change: impl FnMut(&mut ThreadRecord) -> Result<(), RecordError> + Send,
    ) -> Result<ThreadRecord, RecordError> {
        let key = id.to_string();
        let change = |thread: &mut ThreadRecord| {
            if thread.hidden.is_some() {
                return Err(self.threads.not_found(&key));
            }
            change(thread)?;
            thread.updated = self.clock.now();
            Ok(())
        };
        self.threads.update(&[], &key, change).await
    }

    /// Changes what clients may change.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], [`RecordError::BadRequest`] for a time to live that is none.
    pub(crate) async fn patch(&self, id: Uuid, patch: &ThreadPatch) -> Result<ThreadRecord, RecordError> {
        let ttl = patch.ttl.map(|ttl| ttl.begin(self.clock.now())).transpose()?;
        let change = |thread: &mut ThreadRecord| {
            merge(&mut thread.metadata, patch.metadata.clone().unwrap_or_default());
            thread.ttl = ttl.or(thread.ttl);
            Ok(())
        };
        self.update(id, change).await
    }

    /// Hides a thread that is to be deleted. One that is hidden for that already stays so, one that was being made is too.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn begin_deletion(&self, id: Uuid) -> Result<(), RecordError> {
        let hide = |thread: &mut ThreadRecord| {
            thread.hide(Hidden::Deleting);
            Ok(())
        };
        self.threads.update(&[], &id.to_string(), hide).await.map(drop)
    }

    /// Deletes the record of a thread of which nothing else is left. Where it is gone, another did the same.
    pub(crate) async fn end_deletion(&self, id: Uuid) -> Result<(), RecordError> {
        self.threads.delete(&[], &id.to_string()).await.map(drop)
    }

    /// The threads that match, a page of them in the form clients see.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a page, order, field or path that cannot be answered.
    pub(crate) async fn search(&self, search: &ThreadSearch) -> Result<Listing, RecordError> {
        let no_paths = BTreeMap::new();
        let extract = Extract::new(search.extract.as_ref().unwrap_or(&no_paths))?;
        let arrangement = Arrangement::new(search.paging())?;
        let wire = |thread: &ThreadRecord| {
            let mut wire = thread.wire();
            extract.apply(&mut wire);
            wire
        };
        Ok(arrangement.page(self.matching(search).await?, wire))
    }

    /// How many threads match.
    pub(crate) async fn count(&self, search: &ThreadSearch) -> Result<usize, RecordError> {
        Ok(self.matching(search).await?.len())
    }

    /// The ids of all threads that match, whatever page is asked for.
    pub(crate) async fn ids(&self, search: &ThreadSearch) -> Result<Vec<Uuid>, RecordError> {
        Ok(self.matching(search).await?.into_iter().map(|thread| thread.thread_id).collect())
    }

    /// The threads that are recorded as busy, with those that are hidden: what a process that died left in the middle is
    /// among them.
    pub(crate) async fn busy(&self) -> Result<Vec<ThreadRecord>, RecordError> {
        self.threads.all(&[], &[("status".to_owned(), serde_json::json!(ThreadStatus::Busy))]).await
    }

    /// The hidden threads of which nobody makes or deletes the rest any more: those that are to be deleted, and those that
    /// have been in the making for longer than that takes.
    pub(crate) async fn abandoned(&self) -> Result<Vec<Uuid>, RecordError> {
        let now = self.clock.now();
        let is_abandoned = |thread: &ThreadRecord| match thread.hidden {
            Some(Hidden::Deleting) => true,
            Some(Hidden::Making) => now.saturating_sub(thread.updated) > MAKING_MILLIS,
            None => false,
        };
        let busy = self.busy().await?;
        Ok(busy.into_iter().filter(is_abandoned).map(|thread| thread.thread_id).collect())
    }

    /// The threads whose time to live has passed, and that no run is busy with.
    pub(crate) async fn expired(&self) -> Result<Vec<ThreadRecord>, RecordError> {
        let now = self.clock.now();
        let mut threads = self.threads.all(&[], &[]).await?;
        let is_over = |thread: &ThreadRecord| thread.ttl.is_some_and(|ttl| ttl.expires <= now);
        threads.retain(|thread| is_over(thread) && thread.status != ThreadStatus::Busy);
        Ok(threads)
    }

    async fn matching(&self, search: &ThreadSearch) -> Result<Vec<ThreadRecord>, RecordError> {
        let mut threads = match &search.ids {
            Some(ids) => {
                let mut threads = Vec::with_capacity(ids.len());
                for id in ids.iter().collect::<BTreeSet<_>>() {
                    threads.extend(self.threads.read(&[], &id.to_string()).await?.map(|read| read.record));
                }
                threads
            }
            None => {
                let status = search.status.map(|status| ("status".to_owned(), serde_json::json!(status)));
                let metadata = conditions("metadata", search.metadata.as_ref());
                let values = conditions("values", search.values.as_ref());
                let having: Vec<_> = status.into_iter().chain(metadata).chain(values).collect();
                self.threads.all(&[], &having).await?
            }
        };
        threads.retain(|thread| thread.hidden.is_none() && search.matches(thread));
        Ok(threads)
    }
}
