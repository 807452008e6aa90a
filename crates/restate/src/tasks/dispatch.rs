//! A task on its way: invoked, begun, served until it has ended.
//!
//! 1. The engine brings a task to a worker as an invocation, and to another one when that dies. Each worker asks this process to
//!    begin the task, so that the newest execution counts.
//! 2. What comes of the task is the answer of the invocation, which the engine keeps. A connection to the engine that is lost is made
//!    anew, and the same invocation asked for.
//! 3. An invocation that the engine has given up is followed by another one: the deployment that it was bound to may be gone, and
//!    another one be there.

use std::time::Duration;

use graphloom_core_graph::NodeError;
use graphloom_core_graph::remote::{ErrorRow, GraphVersion, NodePlace, TaskHost, TaskReply};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::Shared;
use super::callbacks::{Answers, Letter, Mailbox};
use crate::engine::Invoked;
use crate::names::{PERFORM, service_name};
use crate::wire::{Answer, Message, REPLY, Summons};

/// The first wait before the engine is asked again, and the longest.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);
/// The status of an invocation that somebody cancelled at the engine.
const CANCELLED: u16 = 409;
/// The status by which a worker says that the task has taken longer than it lets any task take.
pub(crate) const TOO_LONG: u16 = 504;

/// Has a task executed by workers.
pub(super) async fn dispatch(shared: &Shared, host: &TaskHost<'_>) -> Result<TaskReply, NodeError> {
    let root = host.place().first().map(NodePlace::graph_version);
    let root = root.ok_or_else(|| NodeError::terminal("the task has no graph"))?;
    let mut mailbox = shared.callbacks.mailbox();
    let summons =
        Summons { callback: shared.callbacks.url().to_owned(), key: mailbox.key().to_owned(), task: name_of(host) };
    let key = summons.key.clone();
    let summons = serde_json::to_vec(&summons).map_err(NodeError::terminal)?;
    let mut task = InFlight { host, listeners: Vec::new(), is_stopping: false };
    let mut pause = Pause::default();
    loop {
        let reply = {
            let invoked = invoked(shared, &root, &key, &summons);
            tokio::select! {
                biased;
                Err(error) = task.serve(&mut mailbox) => return Err(error),
                reply = invoked => reply?,
            }
        };
        match reply {
            Ok(reply) if host.is_current(reply.execution) => return Ok(reply),
            Ok(_) => tracing::debug!("the engine gave back what came of an execution that does not count"),
            Err(message) => tracing::warn!(message, "the engine gave a task up, and is asked for it anew"),
        }
        tokio::select! {
            biased;
            Err(error) = task.serve(&mut mailbox) => return Err(error),
            () = pause.wait() => {}
        }
    }
}

/// What came of one invocation; inside, why the engine has given it up.
async fn invoked(
    shared: &Shared,
    root: &GraphVersion,
    recipient: &str,
    summons: &[u8],
) -> Result<Result<TaskReply, String>, NodeError> {
    let target = format!("{}/{PERFORM}", service_name(&shared.options.application, root));
    let key = Uuid::now_v7().simple().to_string();
    let (began, mut pause, mut is_told) = (Instant::now(), Pause::default(), false);
    loop {
        match shared.ingress.invoke(&target, &key, summons.to_vec()).await {
            Ok(Invoked::Answered(reply)) => {
                let reply = shared.options.keys.decrypt(REPLY, recipient, reply.into());
                let reply = reply.map_err(NodeError::terminal)?;
                return TaskReply::from_bytes(&reply).map(Ok).map_err(NodeError::terminal);
            }
            Ok(Invoked::Failed { status: CANCELLED, .. }) => {
                return Err(NodeError::retryable("the task was cancelled at the engine"));
            }
            Ok(Invoked::Failed { status: TOO_LONG, message }) => return Err(NodeError::retryable(message)),
            Ok(Invoked::Failed { message, .. }) => return Ok(Err(message)),
            Ok(Invoked::Unserved) => {
                let unserved = Unserved { place: shared.ingress.place().to_owned(), graph: root.clone() };
                if began.elapsed() >= shared.options.unserved {
                    return Err(NodeError::retryable(unserved.to_string()));
                }
                if !std::mem::replace(&mut is_told, true) {
                    tracing::warn!(error = %unserved, "a task waits for a worker");
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut is_told, true) {
                    tracing::warn!(
                        error,
                        engine = shared.ingress.place(),
                        "the engine cannot be reached; it is waited for"
                    );
                }
            }
        }
        pause.wait().await;
    }
}

/// A task that workers execute.
struct InFlight<'t, 'h> {
    host: &'t TaskHost<'h>,
    /// Workers that listen: those that have the execution which counts.
    listeners: Vec<Answers>,
    is_stopping: bool,
}

impl InFlight<'_, '_> {
    /// Does for the workers of the task what they ask for, for ever.
    ///
    /// # Errors
    /// The task cannot be carried.
    async fn serve(&mut self, mailbox: &mut Mailbox) -> Result<std::convert::Infallible, NodeError> {
        loop {
            tokio::select! {
                biased;
                () = self.host.stopping(), if !self.is_stopping => {
                    self.is_stopping = true;
                    self.listeners.iter().for_each(|listener| listener.say(&Answer::Stopping));
                }
                Letter { message, answers } = mailbox.next() => self.answer(message, answers).await?,
            }
        }
    }

    /// Does what a message asks for.
    async fn answer(&mut self, message: Message, answers: Answers) -> Result<(), NodeError> {
        match message {
            Message::Begin => {
                self.end_listening();
                let request = self.host.begin().await.to_bytes().map_err(NodeError::terminal)?;
                answers.say(&Answer::Begun { request: request.into() });
                self.listen(answers);
            }
            Message::Listen { execution } if self.host.is_current(execution) => self.listen(answers),
            Message::Listen { .. } => answers.say(&Answer::Over),
            Message::Record { execution, key, value } => {
                let recorded = self.host.record(execution, &key, value.into_vec()).await;
                answers.say(&Answer::Recorded { refused: recorded.err().map(|error| ErrorRow::of(&error)) });
            }
            Message::Event { execution, name, payload } => self.host.emit(execution, &name, payload).await,
            Message::Alive { execution } => self.host.heartbeat(execution),
        }
        Ok(())
    }

    fn listen(&mut self, answers: Answers) {
        if self.is_stopping {
            answers.say(&Answer::Stopping);
        }
        self.listeners.retain(Answers::is_heard);
        self.listeners.push(answers);
    }

    /// Tells workers that their execution is over.
    fn end_listening(&mut self) {
        self.listeners.drain(..).for_each(|listener| listener.say(&Answer::Over));
    }
}

impl Drop for InFlight<'_, '_> {
    fn drop(&mut self) {
        self.end_listening();
    }
}

/// Waits that grow.
struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Self(PAUSE)
    }
}

impl Pause {
    async fn wait(&mut self) {
        sleep(self.0).await;
        self.0 = (self.0 * 2).min(LONGEST);
    }
}

/// What a task is, for people: the nodes that lead to it, its key, its attempt and its thread.
fn name_of(host: &TaskHost<'_>) -> String {
    let task = host.task();
    let nodes: Vec<&str> = host.place().iter().map(|place| place.node.as_str()).collect();
    let key = task.key.as_ref().map(|key| format!(" `{key}`")).unwrap_or_default();
    format!("{}{key} of thread {}, attempt {}", nodes.join(" / "), task.thread, task.attempt)
}

/// A graph that no worker has.
#[derive(Debug, thiserror::Error)]
#[error(
    "the engine at `{place}` knows no worker that has the graph `{}` in version {} (state {}); start one that serves it",
    graph.graph, graph.version, graph.state_version
)]
struct Unserved {
    place: String,
    graph: GraphVersion,
}
