//! A remote run that ends with the local one.

use futures::FutureExt;
use graphloom_core_graph::Context;

use crate::{CancelAction, Client, RunId, ThreadId};

/// Cancels a run when it is dropped while the local run stops.
pub(super) struct CancelOnStop<'c, Cx: Send + Sync + 'static> {
    pub(super) client: &'c Client,
    pub(super) context: &'c Context<Cx>,
    pub(super) thread: ThreadId,
    pub(super) run: RunId,
    /// The remote run is over, or is left alone.
    pub(super) is_over: bool,
}

impl<Cx: Send + Sync + 'static> Drop for CancelOnStop<'_, Cx> {
    fn drop(&mut self) {
        // Neither a time limit nor a process that ends cancels it: the next attempt joins it.
        if self.is_over || self.context.stopping().now_or_never().is_none() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (client, thread, run) = (self.client.clone(), self.thread, self.run);
        runtime.spawn(async move {
            if let Err(error) = client.runs().cancel(thread, run, CancelAction::Interrupt, false).await {
                tracing::warn!(%thread, %run, %error, "the remote run was not cancelled");
            }
        });
    }
}
