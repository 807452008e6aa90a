//! Commits of the lane of one: most bring a checkpoint and one event, and are written in place.

use futures::future::BoxFuture;

use crate::checkpoint::{Commit, ToldStep};
use crate::driver::drive::Driver;
use crate::driver::policy::Durability;
use crate::driver::session::Session;
use crate::error::RunError;
use crate::machine::Committed;
use crate::state::State;

/// A commit on its way to the store.
pub(super) enum Underway<'a> {
    /// A plain one.
    Step(&'a Session, Box<Commit>, ToldStep),
    /// One with something beside it. On the heap: it is large and rare.
    Any(BoxFuture<'a, Result<(), RunError>>),
}

impl Underway<'_> {
    /// Writes it.
    pub(super) async fn finish(self) -> Result<(), Box<RunError>> {
        match self {
            Self::Step(session, commit, step) => match &session.attached {
                Some(attached) => attached.write_step(commit, step).await.map_err(|error| Box::new(error.into())),
                None => Ok(()),
            },
            Self::Any(published) => published.await.map_err(Box::new),
        }
    }
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Makes ready to write the commit of a step of one task.
    pub(super) fn write_step(&mut self, mut committed: Box<Committed<S>>, now: u64) -> Underway<'_> {
        let step = if self.is_plain() { self.short(&committed, now) } else { None };
        match (step, committed.stored.take()) {
            (Some(step), Some(commit)) => Underway::Step(&self.session, commit, step),
            (_, stored) => {
                committed.stored = stored;
                Underway::Any(Box::pin(self.publish(*committed, now)))
            }
        }
    }

    /// Whether a commit has nothing to tell or to end but its own step, and is written at once.
    fn is_plain(&self) -> bool {
        let begun = self.opening.is_none() && self.forgotten.is_empty() && self.abandoned.is_empty();
        let kept = self.recorded.is_empty() && (self.session.answers.is_empty() || !self.is_root);
        let ends = self.is_root && self.machine.is_idle();
        begun && kept && !ends && !self.session.is_watched() && self.session.policy.durability == Durability::Sync
    }
}
