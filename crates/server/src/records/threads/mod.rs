//! Threads: what is known of them beside their checkpoints.

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
use super::error::RecordError;
use super::listing::{Arrangement, IfExists, Listing};
use super::merge;
use extract::Extract;
pub(crate) use search::ThreadSearch;
pub(crate) use thread::{PendingInterrupt, ThreadRecord, ThreadStatus, ThreadTtl, TtlStrategy};

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
    /// [`RecordError::Conflict`] when there is one of this id and it may not be answered,
    /// [`RecordError::BadRequest`] for a time to live that is none.
    pub(crate) async fn create(&self, new: ThreadCreate) -> Result<ThreadRecord, RecordError> {
        let now = self.clock.now();
        let mut thread = ThreadRecord::new(new.thread_id.unwrap_or_else(Uuid::now_v7), now);
        thread.metadata = new.metadata.unwrap_or_default();
        thread.ttl = new.ttl.map(|ttl| ttl.begin(now)).transpose()?;
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
                return Ok(there.record);
            }
        }
    }

    /// Puts a thread as it is, a copy of another for one.
    ///
    /// # Errors
    /// [`RecordError::Conflict`] when there is one of its id.
    pub(crate) async fn insert(&self, thread: &ThreadRecord) -> Result<(), RecordError> {
        let key = thread.thread_id.to_string();
        if self.threads.insert(&[], &key, thread).await? {
            return Ok(());
        }
        Err(RecordError::Conflict(format!("Thread with ID {key} already exists")))
    }

    /// A thread.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn get(&self, id: Uuid) -> Result<ThreadRecord, RecordError> {
        self.threads.get(&[], &id.to_string()).await
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
        let change = |thread: &mut ThreadRecord| {
            change(thread)?;
            thread.updated = self.clock.now();
            Ok(())
        };
        self.threads.update(&[], &id.to_string(), change).await
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

    /// Deletes a thread's record.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn delete(&self, id: Uuid) -> Result<(), RecordError> {
        let key = id.to_string();
        if self.threads.delete(&[], &key).await? { Ok(()) } else { Err(self.threads.not_found(&key)) }
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
                let status = search.status.map(|status| ("status", serde_json::json!(status)));
                self.threads.all(&[], status.as_slice()).await?
            }
        };
        threads.retain(|thread| search.matches(thread));
        Ok(threads)
    }
}
