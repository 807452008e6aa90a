//! A process executes tasks that the engine brings.
//!
//! | what | file |
//! | --- | --- |
//! | a task from its coming to its end | `execution.rs` |
//! | what is said to the process that drives its run | `driver.rs` |
//! | what a node needs of that process | `link.rs` |
//! | processes that could not be reached | `unreachable.rs` |

mod driver;
mod execution;
mod link;
mod unreachable;

use std::sync::Arc;
use std::time::Duration;

use graphloom_checkpoint_encrypted::MessageKeys;
use graphloom_core_graph::remote::Performer;
use graphloom_core_graph::store::Store;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::errors::{HandlerResult, TerminalError};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::tasks::TOO_LONG;
use crate::wire::Summons;
use execution::Ended;
pub(crate) use unreachable::Unreachable;

/// What the executions of a worker share.
pub(crate) struct Worker {
    pub(crate) graphs: Vec<Arc<dyn Performer>>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) places: Semaphore,
    /// Whether the worker takes no more tasks.
    pub(crate) stopping: watch::Receiver<bool>,
    pub(crate) client: reqwest::Client,
    pub(crate) max_bytes: usize,
    pub(crate) keys: MessageKeys,
    pub(crate) silence: Duration,
    pub(crate) task_limit: Duration,
    pub(crate) unreachable: Unreachable,
}

/// Executes a task, as an invocation that can be cancelled at the engine: what the engine says comes through a wait that it keeps,
/// which ends with the cancellation. A wait for anything that may never come would have the invocation put aside for ever.
///
/// # Errors
/// What has the engine bring the task again, and, as terminal, what ends the invocation.
pub(crate) async fn perform(
    worker: &Arc<Worker>,
    context: &ContextInternal,
    summons: Summons,
) -> HandlerResult<Vec<u8>> {
    let limit = context.sleep(worker.task_limit);
    let executing = Executing(tokio::spawn(execution::execute(Arc::clone(worker), summons)));
    let ended = tokio::select! {
        biased;
        over = limit => {
            over?;
            let limit = worker.task_limit;
            let message = format!("the task has taken longer than {limit:?}, which is the limit of its worker");
            return Err(TerminalError::new_with_code(TOO_LONG, message).into());
        }
        ended = executing.end() => ended,
    };
    match ended {
        Ended::Reply(reply) => Ok(reply),
        Ended::Over => Err(TerminalError::new_with_code(410, "nobody waits for this task any more").into()),
        Ended::Elsewhere(reason) => Err(reason.into()),
    }
}

/// A task that is executed beside the conversation with the engine, until this is dropped.
struct Executing(JoinHandle<Ended>);

impl Executing {
    async fn end(mut self) -> Ended {
        match (&mut self.0).await {
            Ok(ended) => ended,
            Err(error) => Ended::Elsewhere(format!("the worker failed: {error}")),
        }
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        self.0.abort();
    }
}
