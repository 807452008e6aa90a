//! A log that several processes may write: one writes it at a time, in the others it follows what is stored.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use graphloom_core_graph::store::StoreError;
use uuid::Uuid;

use crate::log::entry::Entry;
use crate::log::held::Held;
use crate::log::segments::Place;
use crate::log::states::Packer;
use crate::log::thread_log::{State, ThreadLog};

/// Where a process begins to write a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteFrom {
    /// The log is of a new thread.
    Nothing,
    /// Behind what is stored. Nobody else is on the way with more.
    Newest,
    /// Behind what is stored, of a thread that another process held and may not know yet that it lost: what that one is on
    /// the way with is not stored any more.
    TakenOver,
}

impl ThreadLog {
    /// Begins to write as a member, which holds the thread now.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn write_on(
        &self,
        writer: Uuid,
        from: WriteFrom,
        ttl: Option<Duration>,
    ) -> Result<(), StoreError> {
        // What this process put as another member is put, or refused.
        self.until(|state| !state.is_writing).await;
        let ttl = ttl.or(self.lock().ttl);
        let newest = match from {
            WriteFrom::Nothing => None,
            WriteFrom::Newest => self.segments.newest().await?,
            WriteFrom::TakenOver => Some(self.segments.close_off(ttl).await?),
        };
        // Another process may have told of states since this one did.
        *self.packer.lock().unwrap_or_else(PoisonError::into_inner) = Packer::default();
        let mut state = self.lock();
        state.find_stored(newest);
        (state.follows, state.writer, state.is_closed, state.fault) = (false, writer, false, None);
        state.ttl = ttl;
        drop(state);
        self.stored.notify_waiters();
        Ok(())
    }

    /// Follows what another process writes: this one does not hold the thread any more.
    pub(crate) fn follow(&self) {
        self.lock().follow();
        self.stored.notify_waiters();
    }

    /// Takes up that another process stored entries up to this one.
    pub(super) fn hear(&self, last: u64) {
        let mut state = self.lock();
        if state.follows && last > state.stored {
            state.reach(last);
            drop(state);
            self.stored.notify_waiters();
        }
    }

    /// Looks what is stored, where another process may write.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn look(&self) -> Result<(), StoreError> {
        let known = {
            let state = self.lock();
            if !state.follows {
                return Ok(());
            }
            state.stored
        };
        let newest = self.segments.newest().await?;
        let mut state = self.lock();
        if !state.follows {
            return Ok(());
        }
        match newest {
            // A log that is shorter than it was is of a thread that was made anew.
            Some(place) if place.last > state.stored || state.stored == known => {
                state.reach(place.last);
                state.is_closed = false;
            }
            // It was deleted.
            None if state.stored > 0 => state.is_closed = true,
            _ => {}
        }
        drop(state);
        self.stored.notify_waiters();
        Ok(())
    }

    /// Ends a log that another process deleted.
    pub(super) fn end_of_others(&self) {
        let mut state = self.lock();
        if state.follows {
            state.is_closed = true;
            drop(state);
            self.stored.notify_waiters();
        }
    }
}

impl State {
    /// Begins with what is stored.
    pub(super) fn find_stored(&mut self, newest: Option<Place>) {
        let (last, segment) = newest.map_or((0, 0), |place| (place.last, place.index + 1));
        self.reach(last);
        (self.segment, self.time) = (segment, newest.map_or(0, |place| place.time));
    }

    /// Takes up that entries up to this one are stored, and none of what was told here.
    pub(super) fn reach(&mut self, last: u64) {
        if last != self.stored {
            // What is in memory has no gap.
            self.recent = Held::default();
        }
        (self.stored, self.next) = (last, last + 1);
        self.queue = Held::default();
    }

    /// Puts what is not stored behind a segment of another process.
    pub(super) fn go_behind(&mut self, place: Place) {
        let ahead = place.last.saturating_sub(self.stored);
        let queue = std::mem::take(&mut self.queue);
        let next = self.next + ahead;
        self.find_stored(Some(place));
        self.next = next;
        for entry in queue.entries() {
            self.queue.push(Arc::new(Entry { seq: entry.seq + ahead, ..Entry::clone(entry) }));
        }
    }

    /// Another process writes from now on.
    pub(super) fn follow(&mut self) {
        self.follows = true;
        self.reach(self.stored);
    }
}
