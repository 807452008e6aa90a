//! Where a thread's runs are: here, or in another process that shares the store.
//!
//! Where nobody holds a thread, this process does from then on. Where somebody left it, its runs are taken up before anything
//! else is done with it.

use std::sync::Arc;

use uuid::Uuid;

use crate::cluster::{Claimed, Holder, Member};
use crate::detached::detached;
use crate::log::{TEMPORARY, WriteFrom};
use crate::records::{Completion, RunRecord};
use crate::refusal::Refusal;
use crate::runs::locked::Locked;
use crate::runs::run_queue::RunQueue;
use crate::runs::{Inner, NewRun};

/// Where a thread's runs are.
pub(super) enum Place {
    Here(Locked),
    /// With this member.
    There(Uuid),
}

/// What is known of a thread before its queue is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opening {
    /// It is made for one run, and goes with it.
    pub(super) is_temporary: bool,
    /// Nobody else knows it yet.
    pub(super) is_new: bool,
    /// It may have runs that did not end.
    pub(super) takes_up: bool,
}

impl Opening {
    /// Of a thread that gets a run.
    pub(super) fn of(new: &NewRun) -> Self {
        let is_temporary = new.temporary == Some(Completion::Delete);
        Self { is_temporary, is_new: new.temporary.is_some() && new.run_id.is_none(), takes_up: false }
    }

    /// Of a thread whose run this process takes up.
    pub(super) fn again(run: &RunRecord) -> Self {
        Self { is_temporary: run.goes_with_its_thread(), ..Self::default() }
    }

    pub(super) fn taking_up() -> Self {
        Self { takes_up: true, ..Self::default() }
    }
}

impl Inner {
    /// Where a thread's runs are. Its queue is made where there is none.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn place(self: &Arc<Self>, thread: Uuid, opening: Opening) -> Result<Place, Refusal> {
        loop {
            if let Some(locked) = self.queue_in_use(thread).await {
                return Ok(Place::Here(locked));
            }
            let Some(member) = self.member.clone() else {
                self.enter(thread, opening).await?;
                continue;
            };
            // A thread that is claimed gets its queue, though whoever asks goes away.
            let inner = Arc::clone(self);
            let opened = detached(async move { inner.open(&member, thread, opening).await });
            // None where somebody else had it in the hand.
            if let Some(place) = opened.await? {
                return Ok(place);
            }
        }
    }

    /// The queue of a thread in the table.
    async fn enter(&self, thread: Uuid, opening: Opening) -> Result<Arc<RunQueue>, Refusal> {
        let log = match opening.is_new {
            true => self.logs.fresh(thread, opening.is_temporary),
            false => self.logs.open_again(thread, opening.is_temporary).await?,
        };
        let new = || Arc::new(RunQueue::new(thread, log, self.member.is_some()));
        Ok(Arc::clone(&self.queues.entry(thread).or_insert_with(new)))
    }

    async fn open(self: &Arc<Self>, member: &Member, thread: Uuid, opening: Opening) -> Result<Option<Place>, Refusal> {
        let Some(mut locked) = self.enter(thread, opening).await?.lock().await else { return Ok(None) };
        if locked.is_open() {
            return Ok(Some(Place::Here(locked)));
        }
        match self.hold(member, &mut locked, opening).await {
            Ok(None) => Ok(Some(Place::Here(locked))),
            Ok(Some(other)) => {
                locked.vanish(self);
                Ok(Some(Place::There(other)))
            }
            Err(refusal) => {
                locked.fail(self).await;
                Err(refusal)
            }
        }
    }

    /// Holds the thread of a queue, or tells which member does.
    async fn hold(
        self: &Arc<Self>,
        member: &Member,
        locked: &mut Locked,
        opening: Opening,
    ) -> Result<Option<Uuid>, Refusal> {
        let thread = locked.queue.thread;
        let (claim, was_left) = match member.claim(thread).await? {
            Claimed::Won { claim, was_left } => (claim, was_left),
            Claimed::Held(other) => return Ok(Some(other)),
        };
        locked.open(claim);
        if !member.is_still(claim.member).await {
            return Err(Refusal::Unavailable("the server was cut off from its store; try again".to_owned()));
        }
        let takes_up = was_left || opening.takes_up;
        let left = if takes_up { self.records.runs.left_of_thread(thread).await? } else { Vec::new() };
        let is_short = opening.is_temporary || left.iter().any(RunRecord::goes_with_its_thread);
        let from = match (takes_up, opening.is_new) {
            (true, _) => WriteFrom::TakenOver,
            (false, true) => WriteFrom::Nothing,
            (false, false) => WriteFrom::Newest,
        };
        locked.queue.log.write_on(claim.member, from, is_short.then_some(TEMPORARY)).await?;
        if takes_up {
            self.take_up_thread(locked, left).await?;
            locked.start_next(self);
        }
        Ok(None)
    }

    /// Whether runs of a thread are under way or wait, here or elsewhere.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn is_busy(&self, thread: Uuid) -> Result<bool, Refusal> {
        if let Some(locked) = self.queue_in_use(thread).await {
            return Ok(locked.runs().any(|live| live.is_live()));
        }
        let Some(member) = &self.member else { return Ok(false) };
        if member.holder(thread).await? == Holder::Nobody {
            return Ok(false);
        }
        // A process gives a thread back a moment after its last run has ended.
        let runs = self.records.runs.of_thread(thread).await?;
        Ok(runs.iter().any(|run| !run.status.is_final()))
    }
}
