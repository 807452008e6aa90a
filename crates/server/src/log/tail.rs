//! A reader of a log.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use graphloom_core_graph::store::StoreError;

use crate::log::entry::Entry;
use crate::log::states::{Looks, Packed, Unpacker};
use crate::log::thread_log::{Found, ThreadLog};

/// A reader of a log: entries in order, each once, as soon as they are stored.
pub(crate) struct Tail {
    log: Arc<ThreadLog>,
    /// The number of the next entry.
    next: u64,
    /// Entries of a segment that was read.
    read: VecDeque<Arc<Entry>>,
    /// The index of the segment after that.
    segment: Option<u64>,
    unpacker: Unpacker,
}

/// Why a log cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TailError {
    /// Entries were deleted, by a retention or with their thread.
    #[error("events from {from} on are no longer kept")]
    Gone { from: u64 },
    #[error("events could not be stored: {0}")]
    Unstored(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Tail {
    pub(super) fn new(log: Arc<ThreadLog>, next: u64) -> Self {
        Self { log, next, read: VecDeque::new(), segment: None, unpacker: Unpacker::default() }
    }

    /// The same reader, for whom the states may be left out of commits.
    pub(crate) fn without_states(mut self) -> Self {
        self.unpacker.look(Looks::AtNone);
        self
    }

    /// The same reader, for whom the states may be left out of all commits but those of these numbers.
    pub(crate) fn with_states_of(mut self, numbers: BTreeSet<u64>) -> Self {
        self.unpacker.look(Looks::At(numbers));
        self
    }

    /// The next entry, when it is stored; none when the log has ended.
    ///
    /// # Errors
    /// Entries that are gone, or cannot be stored or read.
    pub(crate) async fn next(&mut self) -> Result<Option<Arc<Entry>>, TailError> {
        loop {
            let log = Arc::clone(&self.log);
            let stored = log.stored.notified();
            tokio::pin!(stored);
            stored.as_mut().enable();
            match self.step().await? {
                Step::Entry(entry) => return Ok(Some(entry)),
                Step::Closed => return Ok(None),
                Step::Wait => stored.await,
            }
        }
    }

    /// The next entry, if it is stored by now.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub(crate) async fn ready(&mut self) -> Result<Option<Arc<Entry>>, TailError> {
        match self.step().await? {
            Step::Entry(entry) => Ok(Some(entry)),
            Step::Closed | Step::Wait => Ok(None),
        }
    }

    async fn step(&mut self) -> Result<Step, TailError> {
        if let Some(entry) = self.read.pop_front() {
            self.next = entry.seq + 1;
            return Ok(Step::Entry(entry));
        }
        match self.log.find(self.next) {
            Found::Entry(entry) => {
                self.next = entry.seq + 1;
                self.segment = None;
                Ok(Step::Entry(entry))
            }
            Found::InStore => {
                self.fill().await?;
                let entry = self.read.pop_front().ok_or(TailError::Gone { from: self.next })?;
                self.next = entry.seq + 1;
                Ok(Step::Entry(entry))
            }
            Found::NotYet => Ok(Step::Wait),
            Found::Closed => Ok(Step::Closed),
            Found::Failed(fault) => Err(TailError::Unstored(fault)),
        }
    }

    /// Reads the segment that holds the next entry.
    async fn fill(&mut self) -> Result<(), TailError> {
        while let Some((index, packed)) = self.following().await? {
            self.unpack(index, &packed)?;
            // Where another process took the log over, a segment has no entries.
            if !self.read.is_empty() {
                return Ok(());
            }
        }
        let (index, packed) = self.seek().await?;
        self.unpack(index, &packed)
    }

    fn unpack(&mut self, index: u64, packed: &Packed) -> Result<(), TailError> {
        let entries = self.unpacker.unpack(index, packed).map_err(|fault| self.log.segments.corrupt(&fault))?;
        self.segment = Some(index + 1);
        let next = self.next;
        self.read = entries.into_iter().skip_while(|entry| entry.seq < next).collect();
        Ok(())
    }

    /// The segment after the one that was read.
    async fn following(&self) -> Result<Option<(u64, Packed)>, TailError> {
        let Some(index) = self.segment else { return Ok(None) };
        Ok(self.log.segments.at(index).await?.map(|packed| (index, packed)))
    }

    /// The segment that holds the next entry, after those that it builds on.
    async fn seek(&mut self) -> Result<(u64, Packed), TailError> {
        let (segments, gone) = (&self.log.segments, TailError::Gone { from: self.next });
        let Some((index, packed)) = segments.holding(self.next).await? else { return Err(gone) };
        self.unpacker.begin();
        let base = if self.unpacker.needs_base() { packed.base } else { index };
        for before in base..index {
            let Some(packed) = segments.at(before).await? else { return Err(gone) };
            self.unpacker.skip(before, &packed).map_err(|fault| segments.corrupt(&fault))?;
        }
        Ok((index, packed))
    }
}

enum Step {
    Entry(Arc<Entry>),
    Wait,
    Closed,
}
