//! The log of one thread while it is in use.
//!
//! 1. An entry gets its number, and its place in the queue of what is not stored, under one lock: numbers ascend without a gap.
//! 2. One writer at a time takes the whole queue and stores it, so that entries are stored in the order of their numbers.
//! 3. An entry is given to readers after it is stored, never before.
//! 4. What is in memory is bounded: a reader that is further behind reads the store, and a run that is further ahead of the
//!    store than the bound waits for the writer.
//! 5. Of several processes the one that holds the thread writes its log; in the others the log follows what is stored. A segment is
//!    put where none is. One that is there, and that this process did not put, is of a process that held the thread before, or
//!    does now: this one puts its entries behind it, or drops them. They were given to nobody.
//! 6. Who takes a thread over that another process held takes the place of the next segment first. What that one was on its way
//!    with is refused then, and not found in the log after it was told anew.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use graphloom_core_graph::store::StoreError;
use graphloom_core_graph::{Clock, SystemClock};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::cluster::{Member, News};
use crate::log::entry::{Entry, LogEvent};
use crate::log::held::{Bound, Held};
use crate::log::segments::{Place, Segments};
use crate::log::states::Packer;
use crate::log::{OpenLogs, Tail};

/// Stored entries that are kept in memory for readers, save that the newest is kept whatever it takes.
const RECENT: Bound = Bound { entries: 512, bytes: 2 << 20 };

/// What one segment holds at most, save that it has one entry at least. A reader that reads the store holds one segment, and so
/// long as its client takes nothing it holds it.
const SEGMENT: Bound = Bound { entries: 512, bytes: 1 << 20 };

/// What may wait to be stored before its run waits.
const UNSTORED: Bound = Bound { entries: 4096, bytes: 4 << 20 };

/// The log of one thread while it is in use.
pub(crate) struct ThreadLog {
    thread: Uuid,
    pub(super) segments: Segments,
    state: Mutex<State>,
    /// Packs what follows the segment that was stored last, of the one writer; a new one where another segment may be between.
    pub(super) packer: Mutex<Packer>,
    /// Told when entries are stored, when storing fails, and when the log is closed.
    pub(super) stored: Notify,
    open: Weak<OpenLogs>,
    /// Who is told of new entries, where other processes may follow.
    member: Option<Arc<Member>>,
}

pub(super) struct State {
    /// The number of the next entry.
    pub(super) next: u64,
    /// The index of the next segment.
    pub(super) segment: u64,
    /// The newest entry that is stored.
    pub(super) stored: u64,
    /// The time of the newest entry: times ascend as numbers do, whatever the clock does.
    pub(super) time: u64,
    pub(super) recent: Held,
    pub(super) queue: Held,
    pub(super) is_writing: bool,
    /// Why the last entries could not be stored.
    pub(super) fault: Option<String>,
    pub(super) is_closed: bool,
    /// How long segments are kept; for ever when not set.
    pub(super) ttl: Option<Duration>,
    /// Another process writes it, or none.
    pub(super) follows: bool,
    /// As which member this process writes it.
    pub(super) writer: Uuid,
}

/// What a reader finds at a number.
pub(super) enum Found {
    Entry(Arc<Entry>),
    /// It is stored, and no longer in memory.
    InStore,
    /// It is not stored yet.
    NotYet,
    /// There will be no more.
    Closed,
    Failed(String),
}

/// What came of a segment.
enum Put {
    Stored,
    /// Another process put one in its place before, and what is to be put goes behind it.
    Behind(Place),
    /// Another process writes the log.
    Lost,
}

impl ThreadLog {
    /// A log of which so much is stored. Where other processes may write it, it follows them.
    pub(super) fn new(
        thread: Uuid,
        segments: Segments,
        newest: Option<Place>,
        ttl: Option<Duration>,
        open: Weak<OpenLogs>,
        member: Option<Arc<Member>>,
    ) -> Self {
        let mut state = State {
            next: 1,
            segment: 0,
            stored: 0,
            time: 0,
            recent: Held::default(),
            queue: Held::default(),
            is_writing: false,
            fault: None,
            is_closed: false,
            ttl,
            follows: member.is_some(),
            writer: Uuid::nil(),
        };
        state.find_stored(newest);
        Self {
            thread,
            segments,
            state: Mutex::new(state),
            packer: Mutex::default(),
            stored: Notify::new(),
            open,
            member,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn thread(&self) -> Uuid {
        self.thread
    }

    /// The number of the newest entry, stored or not; 0 before the first.
    pub(crate) fn last(&self) -> u64 {
        self.lock().next - 1
    }

    /// Adds an entry, which is stored soon, and returns its number.
    pub(crate) fn append(self: &Arc<Self>, run: Uuid, ns: Arc<str>, step: u64, event: LogEvent) -> u64 {
        let mut state = self.lock();
        let seq = state.next;
        if state.follows {
            // The thread is lost: what is told here happens elsewhere.
            return seq;
        }
        let time = SystemClock.now().max(state.time);
        state.time = time;
        state.next += 1;
        state.queue.push(Arc::new(Entry { seq, time, run, ns, step, event }));
        if !std::mem::replace(&mut state.is_writing, true) {
            drop(state);
            tokio::spawn(Arc::clone(self).write());
        }
        seq
    }

    /// Waits while too much is not stored yet.
    pub(crate) async fn room(&self) {
        self.until(|state| state.queue.is_below(UNSTORED)).await;
    }

    /// Waits until an entry is stored.
    ///
    /// # Errors
    /// Why it could not be stored.
    pub(crate) async fn flushed(&self, seq: u64) -> Result<(), String> {
        self.until(|state| state.stored >= seq || state.follows).await;
        let state = self.lock();
        match &state.fault {
            Some(fault) if state.stored < seq => Err(fault.clone()),
            None if state.follows => Err("another process writes the log".to_owned()),
            _ => Ok(()),
        }
    }

    /// Waits until all entries are stored, or cannot be.
    pub(crate) async fn settled(&self) {
        self.until(|state| state.queue.is_empty() && !state.is_writing).await;
    }

    /// Waits for a state; or until the log fails or is closed, after which nothing changes.
    pub(super) async fn until(&self, holds: impl Fn(&State) -> bool) {
        loop {
            let stored = self.stored.notified();
            tokio::pin!(stored);
            stored.as_mut().enable();
            {
                let state = self.lock();
                if holds(&state) || state.is_closed || (state.fault.is_some() && !state.is_writing) {
                    return;
                }
            }
            stored.await;
        }
    }

    /// Stores what waits, until nothing does.
    async fn write(self: Arc<Self>) {
        loop {
            let (index, entries, ttl) = {
                let mut state = self.lock();
                let entries = state.queue.first(SEGMENT);
                if entries.is_empty() || state.is_closed {
                    state.is_writing = false;
                    drop(state);
                    self.stored.notify_waiters();
                    return;
                }
                (state.segment, entries, state.ttl)
            };
            let result = self.put(index, &entries, ttl).await;
            let mut state = self.lock();
            if state.follows {
                // The thread was lost meanwhile.
                state.is_writing = false;
                drop(state);
                self.stored.notify_waiters();
                return;
            }
            match result {
                Ok(Put::Stored) => {
                    state.segment += 1;
                    state.stored = entries.last().map_or(state.stored, |entry| entry.seq);
                    for entry in entries {
                        state.queue.pop();
                        state.recent.push(entry);
                    }
                    state.recent.shrink(RECENT);
                    state.fault = None;
                    let last = state.stored;
                    if let Some(member) = &self.member {
                        member.tell(News::Log { thread: self.thread, last });
                    }
                }
                Ok(Put::Behind(place)) => state.go_behind(place),
                Ok(Put::Lost) => {
                    tracing::warn!(thread = %self.thread, "another process writes the log of a thread");
                    state.is_writing = false;
                    state.follow();
                    drop(state);
                    self.stored.notify_waiters();
                    return;
                }
                Err(error) => {
                    tracing::error!(thread = %self.thread, %error, "events could not be stored");
                    state.fault = Some(error.to_string());
                    // The next entry tries again: the segment is written whole, or not at all.
                    state.is_writing = false;
                    drop(state);
                    self.stored.notify_waiters();
                    return;
                }
            }
            drop(state);
            self.stored.notify_waiters();
        }
    }

    /// Stores entries as a segment.
    async fn put(&self, index: u64, entries: &[Arc<Entry>], ttl: Option<Duration>) -> Result<Put, StoreError> {
        if !self.holds().await {
            return Ok(Put::Lost);
        }
        let mut packer = std::mem::take(&mut *self.packer.lock().unwrap_or_else(PoisonError::into_inner));
        let packed = packer.pack(index, entries).map_err(|error| self.segments.corrupt(&error.to_string()))?;
        if self.segments.put(index, entries, &packed, ttl).await? {
            *self.packer.lock().unwrap_or_else(PoisonError::into_inner) = packer;
            return Ok(Put::Stored);
        }
        if self.segments.is_stored(index, &packed).await? {
            // It was put before, and the answer was lost.
            return Ok(Put::Stored);
        }
        match self.segments.newest().await? {
            Some(place) if self.holds().await => Ok(Put::Behind(place)),
            _ => Ok(Put::Lost),
        }
    }

    /// Whether this process is sure to hold the thread. Waits until that is known.
    async fn holds(&self) -> bool {
        let Some(member) = &self.member else { return true };
        let writer = self.lock().writer;
        member.is_still(writer).await
    }

    /// Ends the log: when this returns, nothing more is stored. Readers see its end.
    pub(super) async fn close(&self) {
        self.lock().is_closed = true;
        self.stored.notify_waiters();
        loop {
            let stored = self.stored.notified();
            tokio::pin!(stored);
            stored.as_mut().enable();
            if !self.lock().is_writing {
                return;
            }
            stored.await;
        }
    }

    pub(super) fn find(&self, seq: u64) -> Found {
        let state = self.lock();
        if seq <= state.stored {
            return state.recent.get(seq).map_or(Found::InStore, Found::Entry);
        }
        match &state.fault {
            _ if state.is_closed => Found::Closed,
            Some(fault) if !state.is_writing => Found::Failed(fault.clone()),
            _ => Found::NotYet,
        }
    }

    /// How many entries are in memory: stored ones, and those that are not stored yet.
    #[cfg(test)]
    pub(super) fn held(&self) -> (usize, usize) {
        let state = self.lock();
        (state.recent.len(), state.queue.len())
    }

    /// The number of a stored entry before the one that tells this commit of the root graph: behind it all is told of the tasks
    /// that the commit made. 0 where none is known.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn before_commit(&self, number: u64) -> Result<u64, StoreError> {
        Ok(self.segments.before_commit(number).await?.map_or(0, |place| place.last))
    }

    /// Reads the log after an entry; 0 is from its beginning.
    pub(crate) fn after(self: &Arc<Self>, seq: u64) -> Tail {
        Tail::new(Arc::clone(self), seq + 1)
    }
}

impl fmt::Debug for ThreadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadLog").field("thread", &self.thread).finish_non_exhaustive()
    }
}

impl Drop for ThreadLog {
    fn drop(&mut self) {
        if let Some(open) = self.open.upgrade() {
            open.remove_if(&self.thread, |_, log| log.strong_count() == 0);
        }
    }
}
