//! Runs of threads.
//!
//! A run that has not ended has an entry of its own in a list, so that a server finds what it has to go on with when it
//! starts, without reading every run there ever was. The entry is put before the run and deleted after the run's end is
//! stored: a run that has not ended is always in the list, whenever the process ends.

mod run;

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::collection::Collection;
use super::error::RecordError;
use super::listing::{Arrangement, Listing, Paging};
pub(crate) use run::{Completion, Multitask, RunFailure, RunRecord, RunStatus};

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

    /// Changes a run, and its time of change. `change` may be called again, on what another writer put meanwhile.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], [`RecordError::Conflict`] when a run that has ended would go on, and what `change`
    /// fails with: the run stays as it was then.
    pub(crate) async fn update(
        &self,
        thread_id: Uuid,
        run_id: Uuid,
        mut change: impl FnMut(&mut RunRecord) -> Result<(), RecordError> + Send,
    ) -> Result<RunRecord, RecordError> {
        let mut had_ended = false;
        let change = |run: &mut RunRecord| {
            had_ended = run.status.is_final();
            change(run)?;
            if had_ended && !run.status.is_final() {
                return Err(RecordError::Conflict(format!("Run with ID {} has ended and cannot go on", run.run_id)));
            }
            run.updated = self.clock.now();
            Ok(())
        };
        let run = self.runs.update(&of(thread_id), &run_id.to_string(), change).await?;
        if run.status.is_final() && !had_ended {
            self.unfinished.delete(&[], &run_id.to_string()).await?;
        }
        Ok(run)
    }

    /// The runs of a thread that match, newest first, a page of them in the form clients see.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a page or field that cannot be answered.
    pub(crate) async fn list(&self, thread_id: Uuid, list: &RunList) -> Result<Listing, RecordError> {
        let select = list.select.as_deref();
        let paging = Paging { limit: list.limit, offset: list.offset, select, ..Paging::default() };
        let arrangement = Arrangement::new(paging)?;
        let status = list.status.map(|status| ("status", json!(status)));
        let runs = self.runs.all(&of(thread_id), status.as_slice()).await?;
        Ok(arrangement.page(runs, RunRecord::wire))
    }

    /// All runs of a thread, oldest first.
    pub(crate) async fn of_thread(&self, thread_id: Uuid) -> Result<Vec<RunRecord>, RecordError> {
        let mut runs = self.runs.all(&of(thread_id), &[]).await?;
        sort(&mut runs);
        Ok(runs)
    }

    /// The pending and running runs of all threads, oldest first.
    pub(crate) async fn unfinished(&self) -> Result<Vec<RunRecord>, RecordError> {
        let mut runs = Vec::new();
        for entry in self.unfinished.all(&[], &[]).await? {
            let key = entry.run_id.to_string();
            match self.runs.read(&of(entry.thread_id), &key).await? {
                Some(read) if !read.record.status.is_final() => runs.push(read.record),
                None if self.clock.now().saturating_sub(entry.put) < ENTRY_WITHOUT_RUN_MILLIS => {}
                // The process ended between the two writes of a run's beginning or end.
                _ => {
                    self.unfinished.delete(&[], &key).await?;
                }
            }
        }
        sort(&mut runs);
        Ok(runs)
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
            if !run.status.is_final() {
                self.unfinished.delete(&[], &key).await?;
            }
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Fixture, START, fixtures};
    use super::*;

    fn ids(runs: &[RunRecord]) -> Vec<Uuid> {
        runs.iter().map(|run| run.run_id).collect()
    }

    fn set(status: RunStatus) -> impl FnMut(&mut RunRecord) -> Result<(), RecordError> + Send {
        move |run| {
            run.status = status;
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_run_is_put_changed_and_deleted() {
        for Fixture { records, clock, .. } in fixtures() {
            let (thread, assistant) = (Uuid::now_v7(), Uuid::new_v4());
            let run = RunRecord {
                kwargs: json!({"input": {"topic": "x"}, "stream_mode": ["values"]}),
                checkpoints: Some((3, 9)),
                error: Some(RunFailure { error: "E".to_owned(), message: "m".to_owned() }),
                start_at: Some(START + 5),
                ..RunRecord::new(thread, assistant, "pipeline", START)
            };
            records.runs.insert(&run).await.unwrap();
            assert!(matches!(records.runs.insert(&run).await, Err(RecordError::Conflict(_))));
            assert_eq!(records.runs.get(thread, run.run_id).await.unwrap(), run);
            clock.advance(2);
            let cancel = |run: &mut RunRecord| {
                run.status = RunStatus::Interrupted;
                run.cancel_reason = Some("user".to_owned());
                Ok(())
            };
            let expected = json!({
                "run_id": run.run_id, "thread_id": thread, "assistant_id": assistant,
                "created_at": "2026-05-28T20:26:40.000000+00:00", "updated_at": "2026-05-28T20:26:40.002000+00:00",
                "status": "interrupted", "metadata": {},
                "kwargs": {"input": {"topic": "x"}, "stream_mode": ["values"]},
                "multitask_strategy": "enqueue", "cancel_reason": "user",
            });
            assert_eq!(records.runs.update(thread, run.run_id, cancel).await.unwrap().wire(), expected);
            let again = records.runs.update(thread, run.run_id, set(RunStatus::Running)).await.unwrap_err();
            assert_eq!(again.to_string(), format!("Run with ID {} has ended and cannot go on", run.run_id));
            let elsewhere = records.runs.get(Uuid::now_v7(), run.run_id).await;
            assert!(matches!(elsewhere, Err(RecordError::NotFound { what: "Run", .. })));
            records.runs.delete(thread, run.run_id).await.unwrap();
            assert!(matches!(records.runs.delete(thread, run.run_id).await, Err(RecordError::NotFound { .. })));
            assert!(matches!(records.runs.get(thread, run.run_id).await, Err(RecordError::NotFound { .. })));
        }
    }

    #[tokio::test]
    async fn runs_of_a_thread_are_listed_newest_first() {
        for Fixture { records, .. } in fixtures() {
            let thread = Uuid::now_v7();
            let mut runs: Vec<_> = (0..25).map(|n| RunRecord::new(thread, Uuid::nil(), "g", START + n / 2)).collect();
            for run in &runs {
                records.runs.insert(run).await.unwrap();
            }
            records.runs.insert(&RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START)).await.unwrap();
            assert_eq!(records.runs.of_thread(thread).await.unwrap(), runs);
            records.runs.update(thread, runs[4].run_id, set(RunStatus::Success)).await.unwrap();
            runs.reverse();
            let newest: Vec<_> = runs.iter().map(|run| json!(run.run_id)).collect();
            let list = async |list: RunList| {
                let listing = records.runs.list(thread, &list).await.unwrap();
                let ids: Vec<_> = listing.items.iter().map(|wire| wire["run_id"].clone()).collect();
                (ids, listing.total)
            };
            assert_eq!(list(RunList::default()).await, (newest[..10].to_vec(), 25));
            let page = RunList { limit: Some(1000), offset: Some(20), ..RunList::default() };
            assert_eq!(list(page).await, (newest[20..].to_vec(), 25));
            let pending = RunList { status: Some(RunStatus::Pending), limit: Some(100), ..RunList::default() };
            assert_eq!(list(pending).await.1, 24);
            let success = RunList { status: Some(RunStatus::Success), ..RunList::default() };
            assert_eq!(list(success).await, (vec![newest[20].clone()], 1));
            let select = Some(vec!["status".to_owned()]);
            let brief = RunList { limit: Some(1), select, ..RunList::default() };
            assert_eq!(records.runs.list(thread, &brief).await.unwrap().items, [json!({"status": "pending"})]);
            let many = RunList { limit: Some(1001), ..RunList::default() };
            assert!(matches!(records.runs.list(thread, &many).await, Err(RecordError::BadRequest(_))));
            records.runs.delete_of_thread(thread).await.unwrap();
            assert_eq!(list(RunList::default()).await, (vec![], 0));
            assert_eq!(records.runs.unfinished().await.unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn unfinished_runs_of_all_threads_are_found_oldest_first() {
        for Fixture { records, .. } in fixtures() {
            let runs: Vec<_> =
                (0..6).map(|n| RunRecord::new(Uuid::new_v4(), Uuid::nil(), "g", START + 10 - n)).collect();
            for run in &runs {
                records.runs.insert(run).await.unwrap();
            }
            let [late, running, success, failed, deleted, first] = runs.as_slice() else { unreachable!() };
            records.runs.update(running.thread_id, running.run_id, set(RunStatus::Running)).await.unwrap();
            records.runs.update(success.thread_id, success.run_id, set(RunStatus::Running)).await.unwrap();
            records.runs.update(success.thread_id, success.run_id, set(RunStatus::Success)).await.unwrap();
            records.runs.update(failed.thread_id, failed.run_id, set(RunStatus::Error)).await.unwrap();
            records.runs.delete(deleted.thread_id, deleted.run_id).await.unwrap();
            let unfinished = records.runs.unfinished().await.unwrap();
            assert_eq!(ids(&unfinished), [first.run_id, running.run_id, late.run_id]);
            assert_eq!(records.runs.unfinished.all(&[], &[]).await.unwrap().len(), 3);
        }
    }

    #[tokio::test]
    async fn entries_that_a_crash_left_are_removed() {
        for Fixture { records, clock, .. } in fixtures() {
            let runs = &records.runs;
            let entry = |run: &RunRecord| Unfinished { run_id: run.run_id, thread_id: run.thread_id, put: START };
            // Its end was stored, the entry not deleted.
            let ended = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
            runs.insert(&ended).await.unwrap();
            runs.update(ended.thread_id, ended.run_id, set(RunStatus::Success)).await.unwrap();
            runs.unfinished.put(&[], &ended.run_id.to_string(), &entry(&ended)).await.unwrap();
            // Its entry was put, the run not; another process may be about to.
            let begun = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
            runs.unfinished.put(&[], &begun.run_id.to_string(), &entry(&begun)).await.unwrap();
            assert_eq!(runs.unfinished().await.unwrap(), []);
            let left = runs.unfinished.all(&[], &[]).await.unwrap();
            assert_eq!(left.iter().map(|entry| entry.run_id).collect::<Vec<_>>(), [begun.run_id]);
            clock.advance(ENTRY_WITHOUT_RUN_MILLIS);
            assert_eq!(runs.unfinished().await.unwrap(), []);
            assert!(runs.unfinished.all(&[], &[]).await.unwrap().is_empty());
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn one_of_many_ends_a_run() {
        for Fixture { records, .. } in fixtures() {
            let run = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
            records.runs.insert(&run).await.unwrap();
            let tasks: Vec<_> = (0..32)
                .map(|n| {
                    let (records, run) = (records.clone(), run.clone());
                    tokio::spawn(async move {
                        let claim = |run: &mut RunRecord| {
                            if run.status.is_final() {
                                return Err(RecordError::Conflict("too late".to_owned()));
                            }
                            run.status = RunStatus::Success;
                            run.owner = Some(format!("{n}"));
                            Ok(())
                        };
                        records.runs.update(run.thread_id, run.run_id, claim).await.ok()
                    })
                })
                .collect();
            let mut ended = Vec::new();
            for task in tasks {
                ended.extend(task.await.unwrap());
            }
            assert_eq!(ended.len(), 1);
            assert_eq!(records.runs.get(run.thread_id, run.run_id).await.unwrap(), ended[0]);
        }
    }
}
