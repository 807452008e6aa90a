//! The event log of a thread: what its runs told, in one order, kept in the store.
//!
//! Every stream of every protocol is a view of it. A run appends entries; a writer of the log stores them in the order in which
//! they came, many at a time; a reader sees an entry once it is stored. So what a client has seen is there after the
//! process died, and a client that comes back with the number of the last entry it saw gets all that follows, each once.
//!
//! | rule | where |
//! | --- | --- |
//! | what can be told | `entry.rs` |
//! | entries are numbered, stored and given out in one order | `thread_log.rs` |
//! | a log that another process writes follows what it stores | `following.rs` |
//! | what is in memory is bounded in entries and in bytes | `held.rs` |
//! | entries are stored in segments, found by their numbers | `segments.rs` |
//! | of a state a segment holds what changed | `states.rs` |
//! | a reader takes what is in memory, or else reads the store | `tail.rs` |
//! | what one run told, to its end | `run_tail.rs` |

mod entry;
mod following;
mod held;
mod run_tail;
mod segments;
mod states;
mod tail;
#[cfg(test)]
mod tests;
mod thread_log;

use std::sync::{Arc, Weak};
use std::time::Duration;

use dashmap::DashMap;
use graphloom_core_graph::store::{Store, StoreError};
use uuid::Uuid;

use crate::cluster::{Member, News};
pub(crate) use entry::{CommitOf, Entry, Interrupt, LogEvent};
pub(crate) use following::WriteFrom;
pub(crate) use run_tail::RunTail;
pub(crate) use tail::{Tail, TailError};
pub(crate) use thread_log::ThreadLog;

use segments::Segments;

/// The logs of all threads.
#[derive(Clone)]
pub(crate) struct Logs {
    store: Arc<dyn Store>,
    open: Arc<OpenLogs>,
    /// This process among those that share the store.
    member: Option<Arc<Member>>,
}

/// The logs that are in use.
type OpenLogs = DashMap<Uuid, Weak<ThreadLog>>;

/// How long the log of a temporary thread is kept, for clients that come back.
pub(crate) const TEMPORARY: Duration = Duration::from_secs(3600);

impl Logs {
    pub(crate) fn new(store: Arc<dyn Store>, member: Option<Arc<Member>>) -> Self {
        Self { store, open: Arc::default(), member }
    }

    /// The log of a thread, read where it is not in use.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn open(&self, thread: Uuid) -> Result<Arc<ThreadLog>, StoreError> {
        self.open_again(thread, false).await
    }

    /// As [`open`](Self::open), to write a log that may be of a thread which was made for one run.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn open_again(&self, thread: Uuid, is_temporary: bool) -> Result<Arc<ThreadLog>, StoreError> {
        if let Some(log) = self.in_use(thread) {
            log.look().await?;
            return Ok(log);
        }
        let segments = self.segments(thread);
        let newest = segments.newest().await?;
        Ok(self.enter(thread, segments, newest, is_temporary.then_some(TEMPORARY)))
    }

    /// The log of a thread that was just made, of which nothing is stored.
    pub(crate) fn fresh(&self, thread: Uuid, is_temporary: bool) -> Arc<ThreadLog> {
        let ttl = is_temporary.then_some(TEMPORARY);
        self.in_use(thread).unwrap_or_else(|| self.enter(thread, self.segments(thread), None, ttl))
    }

    /// Whether anything is stored of a thread's log.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn is_there(&self, thread: Uuid) -> Result<bool, StoreError> {
        Ok(self.segments(thread).newest().await?.is_some_and(|newest| newest.last > 0))
    }

    /// Takes up what another process told.
    pub(crate) fn hear(&self, news: News) {
        match news {
            News::Log { thread, last } => {
                if let Some(log) = self.in_use(thread) {
                    log.hear(last);
                }
            }
            News::Deleted { thread } => {
                if let Some(log) = self.in_use(thread) {
                    log.end_of_others();
                }
            }
            _ => {}
        }
    }

    /// Looks what other processes stored of the logs that are in use here.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn look(&self) -> Result<(), StoreError> {
        let logs: Vec<_> = self.open.iter().filter_map(|log| log.upgrade()).collect();
        for log in logs {
            log.look().await?;
        }
        Ok(())
    }

    /// Deletes all that is stored of a thread's log; who reads it sees it end.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn delete(&self, thread: Uuid) -> Result<(), StoreError> {
        // Whoever opens the log from here on gets another one.
        let in_use = self.open.remove(&thread).and_then(|(_, log)| log.upgrade());
        if let Some(log) = in_use {
            log.close().await;
        }
        self.segments(thread).delete().await?;
        if let Some(member) = &self.member {
            member.tell(News::Deleted { thread });
        }
        Ok(())
    }

    /// Removes from the store what was to be kept for a time only.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn sweep(&self) -> Result<u64, StoreError> {
        self.store.sweep().await
    }

    fn in_use(&self, thread: Uuid) -> Option<Arc<ThreadLog>> {
        self.open.get(&thread)?.upgrade()
    }

    fn segments(&self, thread: Uuid) -> Segments {
        Segments::new(Arc::clone(&self.store), thread, self.member.is_some())
    }

    /// Two may open a log at the same time: the first one that enters it is the log of both.
    fn enter(
        &self,
        thread: Uuid,
        segments: Segments,
        newest: Option<segments::Place>,
        ttl: Option<Duration>,
    ) -> Arc<ThreadLog> {
        let mut slot = self.open.entry(thread).or_default();
        if let Some(log) = slot.upgrade() {
            return log;
        }
        let (open, member) = (Arc::downgrade(&self.open), self.member.clone());
        let log = Arc::new(ThreadLog::new(thread, segments, newest, ttl, open, member));
        *slot = Arc::downgrade(&log);
        log
    }
}
