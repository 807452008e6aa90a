//! Asking a run to stop.

use tokio::sync::Notify;

use crate::sync::atomic::{AtomicU8, Ordering};
use crate::tasks::Stop;

/// Shared by a run, its children and its handles.
#[derive(Debug, Default)]
pub(crate) struct Control {
    reason: AtomicU8,
    changed: Notify,
}

const DRAIN: u8 = 1;
const CANCEL: u8 = 2;

impl Control {
    /// Dispatch nothing more, finish and commit what is in flight.
    pub(crate) fn drain(&self) {
        self.raise(DRAIN);
    }

    /// Stop what is in flight.
    pub(crate) fn cancel(&self) {
        self.raise(CANCEL);
    }

    fn raise(&self, reason: u8) {
        self.reason.fetch_max(reason, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    #[inline]
    pub(crate) fn reason(&self) -> Option<Stop> {
        match self.reason.load(Ordering::Relaxed) {
            0 => None,
            DRAIN => Some(Stop::Drained),
            _ => Some(Stop::Cancelled),
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.reason.load(Ordering::Relaxed) >= CANCEL
    }

    /// Resolves when a stop of any kind is asked for.
    pub(crate) async fn stopping(&self) {
        self.wait(|control| control.reason().is_some()).await;
    }

    /// Resolves when the run is cancelled.
    pub(crate) async fn cancelled(&self) {
        self.wait(Self::is_cancelled).await;
    }

    async fn wait(&self, done: impl Fn(&Self) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before the check, so that no change is missed.
            changed.as_mut().enable();
            if done(self) {
                return;
            }
            changed.await;
        }
    }
}
