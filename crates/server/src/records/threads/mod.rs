//! Threads: what is known of them beside their checkpoints.

mod extract;
mod search;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::runs::RunFailure;
    use super::super::testing::{Fixture, START, fields, fixtures};
    use super::*;

    #[tokio::test]
    async fn a_thread_is_made_changed_and_deleted() {
        for Fixture { records, clock, .. } in fixtures() {
            let create: ThreadCreate = serde_json::from_value(json!({"metadata": {"a": 1, "b": 1}})).unwrap();
            let thread = records.threads.create(create).await.unwrap();
            let id = thread.thread_id;
            assert_eq!(id.get_version_num(), 7);
            clock.advance(500);
            let patch = ThreadPatch { metadata: Some(fields(json!({"b": 2, "c": null}))), ttl: None };
            let patched = records.threads.patch(id, &patch).await.unwrap();
            assert_eq!(patched, records.threads.get(id).await.unwrap());
            let run = |thread: &mut ThreadRecord| {
                thread.status = ThreadStatus::Error;
                thread.values = json!({"items": ["x"]});
                thread.error = Some(RunFailure { error: "NodeError".to_owned(), message: "boom".to_owned() });
                let interrupt = PendingInterrupt { id: "i".to_owned(), value: json!("Why?"), response_schema: None };
                thread.interrupts = BTreeMap::from([("t".to_owned(), vec![interrupt])]);
                Ok(())
            };
            let expected = json!({
                "thread_id": id,
                "created_at": "2026-05-28T20:26:40.000000+00:00",
                "updated_at": "2026-05-28T20:26:40.500000+00:00",
                "state_updated_at": "2026-05-28T20:26:40.000000+00:00",
                "metadata": {"a": 1, "b": 2, "c": null},
                "status": "error",
                "config": {},
                "values": {"items": ["x"]},
                "interrupts": {"t": [{"id": "i", "value": "Why?"}]},
                "error": {"error": "NodeError", "message": "boom"},
            });
            assert_eq!(records.threads.update(id, run).await.unwrap().wire(), expected);
            let copy = ThreadRecord { thread_id: Uuid::now_v7(), ..records.threads.get(id).await.unwrap() };
            records.threads.insert(&copy).await.unwrap();
            assert!(matches!(records.threads.insert(&copy).await, Err(RecordError::Conflict(_))));
            records.threads.delete(id).await.unwrap();
            let missing = records.threads.get(id).await.unwrap_err().to_string();
            assert_eq!(missing, format!("Thread with ID {id} not found"));
            assert!(matches!(records.threads.delete(id).await, Err(RecordError::NotFound { .. })));
            assert!(matches!(records.threads.patch(id, &patch).await, Err(RecordError::NotFound { .. })));
            assert_eq!(records.threads.get(copy.thread_id).await.unwrap(), copy);
        }
    }

    #[tokio::test]
    async fn an_id_is_taken_once() {
        for Fixture { records, .. } in fixtures() {
            let create = ThreadCreate { thread_id: Some(Uuid::now_v7()), ..ThreadCreate::default() };
            let first = records.threads.create(create.clone()).await.unwrap();
            assert!(matches!(records.threads.create(create.clone()).await, Err(RecordError::Conflict(_))));
            let metadata = Some(fields(json!({"new": true})));
            let create = ThreadCreate { if_exists: Some(IfExists::DoNothing), metadata, ..create };
            assert_eq!(records.threads.create(create).await.unwrap(), first);
        }
    }

    #[tokio::test]
    async fn a_thread_expires_unless_its_state_changes() {
        for Fixture { records, clock, .. } in fixtures() {
            let create: ThreadCreate = serde_json::from_value(json!({"ttl": {"ttl": 1.5}})).unwrap();
            let id = records.threads.create(create).await.unwrap().thread_id;
            records.threads.create(ThreadCreate::default()).await.unwrap();
            let wire = records.threads.get(id).await.unwrap().wire_with_ttl();
            let expected =
                json!({"strategy": "delete", "ttl_minutes": 1.5, "expires_at": "2026-05-28T20:28:10.000000+00:00"});
            assert_eq!(wire["ttl"], expected);
            clock.advance(60_000);
            let touch = |thread: &mut ThreadRecord| {
                thread.state_changed(START + 60_000);
                Ok(())
            };
            records.threads.update(id, touch).await.unwrap();
            clock.advance(89_999);
            assert_eq!(records.threads.expired().await.unwrap(), []);
            clock.advance(1);
            let expired = records.threads.expired().await.unwrap();
            assert_eq!(expired.iter().map(|thread| thread.thread_id).collect::<Vec<_>>(), [id]);
            let longer: ThreadPatch =
                serde_json::from_value(json!({"ttl": {"ttl": 2, "strategy": "keep_latest"}})).unwrap();
            let kept = records.threads.patch(id, &longer).await.unwrap().ttl.unwrap();
            assert_eq!((kept.strategy, kept.expires), (TtlStrategy::KeepLatest, START + 150_000 + 120_000));
            clock.advance(120_000);
            let busy = |thread: &mut ThreadRecord| {
                thread.status = ThreadStatus::Busy;
                Ok(())
            };
            records.threads.update(id, busy).await.unwrap();
            assert_eq!(records.threads.expired().await.unwrap(), []);
            let none = ThreadPatch { ttl: Some(Ttl { ttl: 0.0, strategy: TtlStrategy::Delete }), metadata: None };
            let error = records.threads.patch(id, &none).await.unwrap_err().to_string();
            assert_eq!(error, "`ttl.ttl` is 0, it must be minutes above 0");
        }
    }

    #[tokio::test]
    async fn threads_are_found() {
        for Fixture { records, clock, .. } in fixtures() {
            let mut ids = Vec::new();
            let statuses = [ThreadStatus::Idle, ThreadStatus::Busy, ThreadStatus::Interrupted, ThreadStatus::Error];
            for (n, status) in statuses.into_iter().enumerate() {
                let metadata = Some(fields(json!({"n": n, "graph_id": if n < 2 { "g" } else { "h" }})));
                let thread =
                    records.threads.create(ThreadCreate { metadata, ..ThreadCreate::default() }).await.unwrap();
                ids.push(thread.thread_id);
                let values = |thread: &mut ThreadRecord| {
                    thread.status = status;
                    // The first has no values yet.
                    if n > 0 {
                        thread.values = json!({"topic": n % 2, "items": ["a", {"n": n}]});
                    }
                    Ok(())
                };
                records.threads.update(thread.thread_id, values).await.unwrap();
                clock.advance(1);
            }
            let cases = [
                (json!({}), vec![3, 2, 1, 0]),
                (json!({"metadata": {}, "values": {}}), vec![3, 2, 1, 0]),
                (json!({"metadata": {"graph_id": "g"}}), vec![1, 0]),
                (json!({"values": {"topic": 1}}), vec![3, 1]),
                (json!({"values": {"items": [{"n": 2}]}}), vec![2]),
                (json!({"values": {"topic": 1}, "metadata": {"graph_id": "g"}}), vec![1]),
                (json!({"status": "busy"}), vec![1]),
                (json!({"ids": [ids[2], ids[0], ids[2], Uuid::nil()]}), vec![2, 0]),
                (json!({"ids": [ids[2], ids[0]], "status": "idle"}), vec![0]),
                (json!({"ids": []}), vec![]),
                (json!({"sort_by": "status", "sort_order": "asc"}), vec![1, 3, 0, 2]),
                (json!({"sort_by": "thread_id", "sort_order": "asc", "limit": 2, "offset": 1}), vec![1, 2]),
                (json!({"limit": 1000}), vec![3, 2, 1, 0]),
            ];
            for (search, expected) in cases {
                let parsed: ThreadSearch = serde_json::from_value(search.clone()).unwrap();
                let found = records.threads.search(&parsed).await.unwrap();
                let numbers: Vec<_> = found.items.iter().map(|wire| wire["metadata"]["n"].as_u64().unwrap()).collect();
                assert_eq!(numbers, expected, "{search}");
                assert_eq!(records.threads.count(&parsed).await.unwrap(), found.total, "{search}");
            }
            let shaped = json!({"select": ["thread_id"], "limit": 2, "extract": {"n": "values.items[-1].n", "t": "values.topic"}});
            let shaped: ThreadSearch = serde_json::from_value(shaped).unwrap();
            let found = records.threads.search(&shaped).await.unwrap();
            let expected = [
                json!({"thread_id": ids[3], "extracted": {"n": 3, "t": 1}}),
                json!({"thread_id": ids[2], "extracted": {"n": 2, "t": 0}}),
            ];
            assert_eq!((found.items.as_slice(), found.total, found.next), (expected.as_slice(), 4, Some(2)));
            for bad in [
                json!({"limit": 1001}),
                json!({"sort_by": "values"}),
                json!({"sort_order": "up"}),
                json!({"select": ["x"]}),
                json!({"extract": {"a": "status"}}),
            ] {
                let error = records.threads.search(&serde_json::from_value(bad.clone()).unwrap()).await.unwrap_err();
                assert!(matches!(error, RecordError::BadRequest(_)), "{bad}: {error}");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn patches_of_many_at_once_are_all_there() {
        for Fixture { records, .. } in fixtures() {
            let id = records.threads.create(ThreadCreate::default()).await.unwrap().thread_id;
            let tasks: Vec<_> = (0..48)
                .map(|n| {
                    let records = records.clone();
                    tokio::spawn(async move {
                        let metadata = Some(Map::from_iter([(format!("k{n}"), json!(n))]));
                        records.threads.patch(id, &ThreadPatch { metadata, ttl: None }).await.unwrap();
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(records.threads.get(id).await.unwrap().metadata.len(), 48);
        }
    }
}
