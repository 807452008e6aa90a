//! Reads the log of a thread as events.

use std::collections::VecDeque;
use std::sync::Arc;

use graphloom_core_graph::store::StoreError;
use uuid::Uuid;

use super::channel::Address;
use super::event::{ProtocolEvent, entry_of};
use super::projection::Projection;
use crate::log::{Entry, LogEvent, Tail, TailError, ThreadLog};
use crate::runs::RunManager;

/// Whether an event is asked for.
pub(super) type Wants<'w> = dyn Fn(&Address<'_>) -> bool + Sync + 'w;

/// Reads the log of a thread as events: first those that are stored, then those that come.
pub(super) struct EventReader {
    manager: RunManager,
    thread: Uuid,
    tail: Tail,
    projection: Projection,
    /// An entry that was read and whose events were not.
    entry: Option<Arc<Entry>>,
    ready: VecDeque<ProtocolEvent>,
    /// The number of the newest entry whose events were read.
    pub(super) position: u64,
}

impl EventReader {
    /// A reader of all events of a thread after the one of a number; 0 is all.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn after(manager: &RunManager, log: &Arc<ThreadLog>, seq: u64) -> Result<Self, TailError> {
        let thread = log.thread();
        let start = run_start(manager, log, entry_of(seq)).await?;
        Ok(Self {
            manager: manager.clone(),
            thread,
            tail: log.after(start),
            projection: Projection::new(thread),
            entry: None,
            ready: VecDeque::new(),
            position: start,
        })
    }

    /// The same reader, for whom no event tells a state that a commit made.
    pub(super) fn without_states(mut self) -> Self {
        self.tail = self.tail.without_states();
        self
    }

    /// The next event that is wanted; none when the thread is deleted. It may be dropped and called again without loss.
    ///
    /// # Errors
    /// As [`Tail::next`].
    pub(super) async fn next(&mut self, wants: &Wants<'_>) -> Result<Option<ProtocolEvent>, TailError> {
        self.next_until(u64::MAX, wants).await
    }

    /// The next event that is wanted of entries up to one of a number; none behind them. It may be dropped and called again
    /// without loss.
    ///
    /// # Errors
    /// As [`Tail::next`].
    pub(super) async fn next_until(
        &mut self,
        last: u64,
        wants: &Wants<'_>,
    ) -> Result<Option<ProtocolEvent>, TailError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.entry.is_none() {
                if self.position >= last {
                    return Ok(None);
                }
                self.entry = self.tail.next().await?;
            }
            let Some(entry) = &self.entry else { return Ok(None) };
            if matches!(entry.event, LogEvent::RunEnded { .. }) {
                // Who hears of the end finds the run and the thread recorded as ended.
                if let Some(live) = self.manager.live(self.thread, entry.run).await.ok().flatten() {
                    live.ended().await;
                }
            }
            self.ready.extend(self.projection.take(entry, wants));
            self.position = entry.seq;
            self.entry = None;
        }
    }
}

/// The number of an entry before the beginning of the run that told this one: what is told of a run is found by reading it from
/// its beginning.
async fn run_start(manager: &RunManager, log: &Arc<ThreadLog>, entry: u64) -> Result<u64, TailError> {
    if entry == 0 {
        return Ok(0);
    }
    let Some(found) = log.after(entry - 1).ready().await? else { return Ok(0) };
    if matches!(found.event, LogEvent::StateUpdated { .. }) {
        return Ok(entry);
    }
    match manager.records().runs.get(log.thread(), found.run).await {
        Ok(record) => Ok(record.before.min(entry)),
        Err(crate::records::RecordError::Store(error)) => Err(StoreError::into(error)),
        Err(_) => Ok(0),
    }
}
