//! A graph of a server as a node of a graph of one's own.

mod cancel;
mod node;
mod questions;
mod round;

pub use node::RemoteNode;

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::{NodeError, State, Step};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Client, ClientError, RunId, StreamMode, ThreadId};

/// A graph of a server as a node: it runs an assistant on a thread of the server, and folds what that leaves into the state.
///
/// - **Durable.** The ids of the thread and of the run are kept by [`Context::once`](graphloom_core_graph::Context::once).
///   After a crash the node joins the run that it had started. A run whose start was not answered is found again by a mark
///   in its metadata.
/// - **Questions.** What the remote graph asks is asked here, under the key `remote`, further ones under `remote/2` and so on.
///   The node declares it: `graph.add_node(NODE, remote).asks::<serde_json::Value>("remote")`. All that is asked at once is
///   answered at once.
/// - **Events.** What the remote graph tells is told here by [`Context::emit`](graphloom_core_graph::Context::emit), under
///   the name of its mode, `custom` and `messages` unless set. After a crash it is told again from the beginning of the run.
/// - **Failures.** A remote run that failed is an error of the node with its kind and message. Another attempt, by a retry
///   policy or by [`continue_`](graphloom_core_graph::Thread::continue_), goes on with the remote thread where it failed. A
///   server that is away is an error that a retry mends; a request that it refuses is terminal.
///
/// A task node, which sends run with an input each, makes one of its input and [runs](Self::run) it:
///
/// ```no_run
/// # use graphloom_client::{Client, RemoteGraph};
/// # use graphloom_core_graph::{Context, Log, NodeError, Snapshot, State, StateGraph, Step, Task};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::{Value, json};
/// #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// struct Report {
///     #[state(append)]
///     sections: Log<String>,
/// }
///
/// const SECTION: Task<String> = Task::named("section");
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::new("http://127.0.0.1:2024")?;
/// let mut graph = StateGraph::<Report>::new("report");
/// graph.add_task(SECTION, move |topic: String, report: Snapshot<Report>, cx: Context| {
///     let remote = RemoteGraph::<Report>::new(
///         client.clone(),
///         "writer",
///         move |_| Ok(json!({"topic": topic})),
///         |left| Ok::<_, NodeError>(Report::update().sections([left.values_as::<String>()?])),
///     );
///     async move { remote.run(&report, &cx).await }
/// });
/// # Ok(())
/// # }
/// ```
pub struct RemoteGraph<S: State> {
    client: Client,
    assistant: String,
    input: Arc<InputFn<S>>,
    fold: Arc<FoldFn<S>>,
    thread: Option<Arc<ThreadFn<S>>>,
    config: Option<Value>,
    context: Option<Value>,
    forwarded: Vec<StreamMode>,
    cancels: bool,
}

type InputFn<S> = dyn Fn(&S) -> Result<Value, NodeError> + Send + Sync;
type FoldFn<S> = dyn Fn(RemoteState) -> Result<Step<S>, NodeError> + Send + Sync;
type ThreadFn<S> = dyn Fn(&S) -> ThreadId + Send + Sync;

/// What a remote graph left.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RemoteState {
    /// Its thread.
    pub thread: ThreadId,
    /// Its last run.
    pub run: RunId,
    /// Its state.
    pub values: Value,
}

impl RemoteState {
    /// The state as a type.
    ///
    /// # Errors
    /// A state that does not fit, which no retry mends.
    pub fn values_as<T: DeserializeOwned>(self) -> Result<T, NodeError> {
        serde_path_to_error::deserialize(self.values).map_err(|error| {
            NodeError::terminal(format!("the remote state does not fit at `{}`: {}", error.path(), error.inner()))
        })
    }
}

impl<S: State> RemoteGraph<S> {
    /// An assistant of a server by its id, or a graph by its name. `input` makes its input of the local state, `fold` a
    /// step of what it leaves.
    pub fn new<R: Into<Step<S>>>(
        client: Client,
        assistant: impl Into<String>,
        input: impl Fn(&S) -> Result<Value, NodeError> + Send + Sync + 'static,
        fold: impl Fn(RemoteState) -> Result<R, NodeError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            client,
            assistant: assistant.into(),
            input: Arc::new(input),
            fold: Arc::new(move |state| fold(state).map(Into::into)),
            thread: None,
            config: None,
            context: None,
            forwarded: vec![StreamMode::Custom, StreamMode::MessagesTuple],
            cancels: false,
        }
    }

    /// The same on a thread that is chosen by the state, in the place of a new one for each task. The thread is made if it
    /// is not there. Runs of others wait for each other there, and are seen in the state that is folded.
    #[must_use]
    pub fn on_thread(mut self, thread: impl Fn(&S) -> ThreadId + Send + Sync + 'static) -> Self {
        self.thread = Some(Arc::new(thread));
        self
    }

    /// The same with a configuration: `tags`, `recursion_limit`, `configurable`.
    #[must_use]
    pub fn config(mut self, config: impl Into<Value>) -> Self {
        self.config = Some(config.into());
        self
    }

    /// The same with what the remote graph is given beside its input.
    #[must_use]
    pub fn context(mut self, context: impl Into<Value>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// The same, telling here what the remote graph tells in these modes. With none the run is waited for and not read.
    #[must_use]
    pub fn forward<const N: usize>(mut self, modes: [StreamMode; N]) -> Self {
        self.forwarded = modes.to_vec();
        self
    }

    /// Whether the remote run is cancelled with the local one. Unless asked it goes on, and a local run that is continued
    /// joins it. Where it was cancelled, the remote thread goes on from its last checkpoint.
    #[must_use]
    pub fn cancel_with_run(mut self, cancels: bool) -> Self {
        self.cancels = cancels;
        self
    }
}

impl<S: State> fmt::Debug for RemoteGraph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteGraph")
            .field("assistant", &self.assistant)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

/// The error of a node for one of its server: worth another attempt if time may mend it, or if another attempt goes on
/// where a run failed.
fn node_error(error: ClientError) -> NodeError {
    if !error.is_temporary() && !matches!(error, ClientError::RunFailed { .. }) {
        return NodeError::terminal(error);
    }
    let asked = crate::transport::asked_pause(&error);
    let error = NodeError::from(error);
    match asked {
        Some(wait) => error.after(wait),
        None => error,
    }
}
