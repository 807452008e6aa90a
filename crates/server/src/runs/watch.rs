//! The end of a run that another process executes: its log tells it, and its record says when it is recorded.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::graph::Fields;
use crate::log::{Entry, LogEvent, RunTail};
use crate::records::{RecordError, RunRecord, RunStatus, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::live::{Ending, LiveRun};
use crate::runs::{Inner, RunManager};

/// How often is looked whether a run has ended whose log does not say so, and whether anybody still wants to know.
const LOOK: Duration = Duration::from_secs(1);

/// The first pause between two looks whether an end that was told is recorded, and the longest.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(100);

/// How long it may take to record an end that was told.
const RECORDING: Duration = Duration::from_secs(5);

/// What a run told of itself.
#[derive(Default)]
struct WatchedRun {
    /// Its last commit of the root graph.
    commit: Option<Arc<Entry>>,
    end: Option<Arc<Entry>>,
}

impl RunManager {
    /// Waits until the end of a run is recorded with its thread, whose log tells it: whoever reads it there may ask for the
    /// thread next.
    pub(crate) async fn recorded(&self, thread: Uuid, run: Uuid) {
        let recorded = async {
            match self.live(thread, run).await? {
                Some(live) => drop(live.ended().await),
                None if self.inner.member.is_some() => drop(self.inner.thread_after(thread, run).await?),
                None => {}
            }
            Ok::<(), Refusal>(())
        };
        match tokio::time::timeout(RECORDING, recorded).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%run, %error, "it is not known whether the end of a run is recorded"),
            Err(_) => tracing::warn!(%run, "the end of a run is not recorded yet"),
        }
    }
}

impl Inner {
    /// A run that another process executes or holds in a queue.
    pub(super) fn watched(self: &Arc<Self>, record: &RunRecord) -> Arc<LiveRun> {
        let mut watched = self.watched.entry(record.run_id).or_default();
        if let Some(live) = watched.upgrade() {
            return live;
        }
        let live = LiveRun::new(record.run_id, record.before);
        *watched = Arc::downgrade(&live);
        drop(watched);
        self.watch(record.thread_id, &live);
        live
    }

    /// Lets a run end here when it ends elsewhere, as long as somebody waits for it.
    pub(super) fn watch(self: &Arc<Self>, thread: Uuid, live: &Arc<LiveRun>) {
        let (inner, waits, run, before) = (Arc::clone(self), Arc::downgrade(live), live.run, live.before);
        tokio::spawn(async move {
            let left = async {
                match &inner.member {
                    Some(member) => member.has_left().await,
                    None => std::future::pending().await,
                }
            };
            let ending = tokio::select! {
                ending = inner.await_end(thread, run, before, &waits) => ending,
                () = left => None,
            };
            inner.watched.remove_if(&run, |_, watched| watched.ptr_eq(&waits));
            match (waits.upgrade(), ending) {
                (Some(live), Some(ending)) => live.end(ending),
                (Some(live), None) => live.leave(),
                (None, _) => {}
            }
        });
    }

    /// How a run ended; none when nobody waits for it any more.
    async fn await_end(&self, thread: Uuid, run: Uuid, before: u64, waits: &Weak<LiveRun>) -> Option<Ending> {
        let mut told = WatchedRun::default();
        loop {
            match self.read_to_end(thread, run, before, waits, &mut told).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::warn!(%run, %error, "a run of another process cannot be followed");
                    tokio::time::sleep(LOOK).await;
                    continue;
                }
            }
            match self.recorded(thread, run, &told).await {
                Ok(ending) => return Some(ending),
                Err(error) => tracing::warn!(%run, %error, "the end of a run of another process cannot be read"),
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Reads what a run tells, to its end. Tells whether it has ended: otherwise nobody waits any more.
    async fn read_to_end(
        &self,
        thread: Uuid,
        run: Uuid,
        before: u64,
        waits: &Weak<LiveRun>,
        told: &mut WatchedRun,
    ) -> Result<bool, Refusal> {
        let log = self.logs.open(thread).await?;
        let mut tail = RunTail::new(&log, run, before);
        let mut was_over = false;
        loop {
            let next = tokio::select! {
                biased;
                next = tail.next() => next,
                () = tokio::time::sleep(LOOK) => {
                    if waits.strong_count() == 0 {
                        return Ok(false);
                    }
                    let record = self.records.runs.find_of_thread(thread, run).await?;
                    let is_over = record.is_none_or(|record| record.status.is_final());
                    if is_over && was_over {
                        return Ok(true);
                    }
                    // The log may tell the end a moment after the record.
                    was_over = is_over;
                    continue;
                }
            };
            let Some(entry) = next.map_err(|error| Refusal::Failed(error.to_string()))? else {
                // The thread is deleted, or the end was read.
                return Ok(true);
            };
            match &entry.event {
                LogEvent::Commit(_) if entry.ns.is_empty() => told.commit = Some(entry),
                LogEvent::RunEnded { .. } => told.end = Some(entry),
                _ => {}
            }
        }
    }

    /// How a run ended, when that is recorded.
    async fn recorded(&self, thread: Uuid, run: Uuid, told: &WatchedRun) -> Result<Ending, Refusal> {
        let mut pause = SHORTEST;
        let record = loop {
            match self.records.runs.find_of_thread(thread, run).await? {
                Some(record) if !record.status.is_final() => {}
                record => break record,
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        };
        let stands = self.thread_after(thread, run).await?;
        let (status, failure, interrupts) = match told.end.as_deref().map(|entry| &entry.event) {
            Some(LogEvent::RunEnded { status, failure, interrupts }) => {
                let status = serde_json::from_value(status.as_str().into()).unwrap_or(RunStatus::Success);
                (status, failure.clone(), interrupts.clone())
            }
            _ => {
                let status = record.as_ref().map_or(RunStatus::Interrupted, |record| record.status);
                (status, record.as_ref().and_then(|record| record.error.clone()), Vec::new())
            }
        };
        let commit = told.commit.as_deref().and_then(|entry| match &entry.event {
            LogEvent::Commit(commit) => Some(commit.values.clone()),
            _ => None,
        });
        let is_done = status == RunStatus::Success && failure.is_none() && interrupts.is_empty();
        let values = match commit.clone().filter(|_| is_done) {
            Some(values) => Some(values),
            // As the process does that executes it.
            None => self.values(thread, record.as_ref()).await?.or(commit),
        };
        Ok(Ending { status, stands, values, interrupts, failure, is_unread: false })
    }

    async fn values(&self, thread: Uuid, record: Option<&RunRecord>) -> Result<Option<Fields>, Refusal> {
        let graph = match record {
            Some(record) => Some(record.graph.clone()),
            None => match self.records.threads.get(thread).await {
                Ok(thread) => thread.graph,
                Err(RecordError::NotFound { .. }) => None,
                Err(error) => return Err(error.into()),
            },
        };
        let Some(graph) = graph.and_then(|graph| self.graphs.get(&graph)) else { return Ok(None) };
        let view = graph.view(&thread.to_string(), None).await?;
        Ok(view.checkpoint.is_some().then_some(view.values))
    }

    /// How a thread stands after a run, when that is recorded: it is busy only as long as others have not ended.
    async fn thread_after(&self, thread: Uuid, run: Uuid) -> Result<ThreadStatus, Refusal> {
        let (mut pause, began) = (SHORTEST, Instant::now());
        loop {
            let status = match self.records.threads.get(thread).await {
                Ok(record) => record.status,
                Err(RecordError::NotFound { .. }) => ThreadStatus::Idle,
                Err(error) => return Err(error.into()),
            };
            if status != ThreadStatus::Busy || began.elapsed() > RECORDING {
                return Ok(status);
            }
            let runs = self.records.runs.of_thread(thread).await?;
            if runs.iter().any(|other| other.run_id != run && !other.status.is_final()) {
                return Ok(status);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
}
