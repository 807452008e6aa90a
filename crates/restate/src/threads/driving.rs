//! The handlers of an object.

use std::sync::Arc;
use std::time::Duration;

use restate_sdk::context::{ContextSideEffects, ObjectContext, RunFuture};
use restate_sdk::endpoint::{ContextInternal, InputMetadata};
use restate_sdk::errors::{HandlerError, HandlerResult, TerminalError};
use tokio::time::timeout;

use super::{Drive, DriveError, Invocation, RunRequest};

/// How long a run that was cancelled may take to say so.
const CANCELLED: Duration = Duration::from_secs(5);

/// An object and how it is driven.
pub(crate) struct Driving {
    pub(crate) threads: Arc<dyn Drive>,
    /// How long a run may take.
    pub(crate) limit: Duration,
}

/// What the engine does about an error: it ends the invocation, or tries again.
fn told(error: DriveError) -> HandlerError {
    match error {
        DriveError::Failed(reason) => TerminalError::new(reason).into(),
        DriveError::Refused(reason) => TerminalError::new_with_code(400, reason).into(),
        DriveError::Later(reason) => reason.into(),
    }
}

impl Driving {
    /// Drives a run to its end. What is asked of the engine is the same in every try: where the thread's journal ended before the
    /// first one, and a wait that ends when the invocation is cancelled.
    ///
    /// # Errors
    /// What has the engine try again, and, as terminal, what ends the invocation.
    pub(crate) async fn run(
        &self,
        context: &ContextInternal,
        metadata: InputMetadata,
        request: RunRequest,
    ) -> HandlerResult<Vec<u8>> {
        let (thread, id) = (metadata.key.clone(), metadata.invocation_id.clone());
        let object = ObjectContext::from((context, metadata));
        let since = object.run(|| async { self.threads.mark(&thread).await.map_err(told) }).name("mark").await?;
        let limit = context.sleep(self.limit);
        let mut run = self.threads.run(&thread, Invocation { id, since }, request);
        let ended = tokio::select! {
            biased;
            over = limit => {
                self.threads.cancel(&thread);
                // The store is told by the run, if it can.
                let _ = timeout(CANCELLED, run).await;
                over?;
                let message = format!("the run has taken longer than {:?}, which is the limit", self.limit);
                return Err(TerminalError::new_with_code(504, message).into());
            }
            ended = &mut run => ended.map_err(told)?,
        };
        Ok(serde_json::to_vec(&ended)?)
    }

    /// How a thread stands.
    ///
    /// # Errors
    /// As [`Driving::run`].
    pub(crate) async fn state(&self, thread: &str) -> HandlerResult<Vec<u8>> {
        Ok(serde_json::to_vec(&self.threads.state(thread).await.map_err(told)?)?)
    }
}
