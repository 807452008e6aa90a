//! A client that goes away ends its run, if it said so.

use futures::FutureExt as _;
use uuid::Uuid;

use crate::host::Host;
use crate::runs::Cancel;

/// Cancels a run when it is dropped, unless that is because the run has ended or the server stops.
pub(crate) struct CancelOnDrop {
    host: Host,
    thread: Uuid,
    run: Uuid,
    is_armed: bool,
}

impl CancelOnDrop {
    pub(crate) fn new(host: &Host, thread: Uuid, run: Uuid) -> Self {
        Self { host: host.clone(), thread, run, is_armed: true }
    }

    /// The run has ended.
    pub(crate) fn disarm(&mut self) {
        self.is_armed = false;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        // A server that stops leaves its runs to the next one.
        let is_stopping = self.host.guard.draining().now_or_never().is_some();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.is_armed || is_stopping {
            return;
        }
        let (manager, thread, run) = (self.host.manager.clone(), self.thread, self.run);
        runtime.spawn(async move {
            // One that has ended meanwhile is not found.
            if manager.cancel(thread, run, Cancel::Interrupt).await.is_ok() {
                tracing::info!(%thread, %run, "a run is cancelled, because its client went away");
            }
        });
    }
}
