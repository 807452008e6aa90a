//! Commands to a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EventStream, Subscription};
use crate::request::request;
use crate::transport::{Call, Transport};
use crate::{ClientError, MultitaskStrategy, RunId, ThreadId};

/// The commands and events of a thread. The thread need not be there: the first run makes it.
///
/// # Errors
/// [`ClientError::Command`] for a command that is refused, else as [`ClientError`] says.
#[derive(Clone, Debug)]
pub struct ThreadEvents {
    transport: Arc<Transport>,
    thread: ThreadId,
    /// Counts the commands.
    next: Arc<AtomicU64>,
}

request! {
    /// A run to be started, of an assistant by its id or of a graph by its name.
    RunStart(assistant_id: String) {
        /// What it begins with.
        input: Value,
        /// `configurable` and others.
        config: Value,
        /// What is noted about it.
        metadata: Value,
        /// What becomes of it while another runs on the thread.
        multitask_strategy: MultitaskStrategy,
    }
}

request! {
    /// The answer to a question.
    Response(interrupt_id: String, response: Value, namespace: Vec<String>) {
        /// Whether an answer to a question that is not open is refused.
        strict_resume: bool,
    }
}

#[derive(Serialize)]
struct Envelope<'c, P> {
    id: u64,
    method: &'c str,
    params: P,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Reply {
    Success {
        #[serde(default)]
        result: Value,
    },
    Error {
        error: String,
        #[serde(default)]
        message: String,
    },
}

#[expect(clippy::missing_errors_doc, reason = "the type says it for all of its calls")]
impl ThreadEvents {
    pub(crate) fn new(transport: Arc<Transport>, thread: ThreadId) -> Self {
        Self { transport, thread, next: Arc::new(AtomicU64::new(1)) }
    }

    /// Starts a run.
    pub async fn start(&self, run: RunStart) -> Result<RunId, ClientError> {
        #[derive(Deserialize)]
        struct Started {
            run_id: RunId,
        }
        let method = "run.start";
        let result = self.command(method, run).await?;
        let started = Started::deserialize(&result);
        started
            .map(|started| started.run_id)
            .map_err(|error| self.transport.unexpected(method, "the id of a run", format!("{error} in `{result}`")))
    }

    /// Answers a question.
    pub async fn respond(&self, response: Response) -> Result<(), ClientError> {
        self.command("input.respond", response).await.map(drop)
    }

    /// Sends a command of any method, such as `agent.getTree` or `state.get`, and gives its result.
    pub async fn command(&self, method: &str, params: impl Serialize) -> Result<Value, ClientError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let call = Call::post(["threads", &self.thread.to_string(), "commands"]);
        match self.transport.json(&call.json(&Envelope { id, method, params })).await? {
            Reply::Success { result } => Ok(result),
            Reply::Error { error, message } => {
                Err(ClientError::Command { method: method.to_owned(), code: error, message })
            }
        }
    }

    /// The events of the thread: those that the server still has, then those that come.
    pub async fn subscribe(&self, subscription: Subscription) -> Result<EventStream, ClientError> {
        EventStream::open(Arc::clone(&self.transport), self.thread, subscription).await
    }
}
