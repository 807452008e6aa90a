//! One run on the remote thread: started once, followed until it stops.

use futures::StreamExt;
use graphloom_core_graph::{Context, NodeError, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::cancel::CancelOnStop;
use super::node::KEY;
use super::{RemoteGraph, node_error};
use crate::{
    ClientError, Command, IfThreadMissing, Interrupt, NewRun, RunId, RunSearch, RunStatus, StreamData, StreamEvent,
    ThreadId,
};

/// The metadata by which a run is found again whose start was not answered.
const MARK: &str = "graphloom_call";
/// How many of the newest runs of a thread are looked through for it.
const NEWEST: u64 = 100;

/// One run on the remote thread.
pub(super) struct Round<'r, S: State, Cx> {
    pub(super) remote: &'r RemoteGraph<S>,
    pub(super) context: &'r Context<Cx>,
    /// The id of the task's call, unique everywhere.
    pub(super) call: Uuid,
    pub(super) thread: ThreadId,
    /// Counts the runs of the call from 0.
    pub(super) number: u32,
}

/// What a run begins with.
pub(super) enum Beginning {
    /// The input that the local state makes.
    Input,
    /// What the run before left unfinished.
    Unfinished,
    /// Answers to what the run before asked.
    Answers(Box<Command>),
}

/// What a run left.
pub(super) enum RoundEnd {
    /// The state, with nothing more to do.
    Done(Value),
    /// Something that another run goes on from.
    Stopped(Stop),
}

/// Why a run stopped before the end. Kept by the task, so that the run is not asked about again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Stop {
    Waiting { interrupts: Vec<Interrupt> },
    Failed { kind: String, message: String, is_cancelled: bool },
}

impl<S: State, Cx: Send + Sync + 'static> Round<'_, S, Cx> {
    fn run_key(&self) -> String {
        format!("{KEY}/run/{}", self.number)
    }

    fn stop_key(&self) -> String {
        format!("{KEY}/stop/{}", self.number)
    }

    /// Whether the run was started in an earlier attempt, or in another process.
    pub(super) fn started(&self) -> Result<bool, NodeError> {
        Ok(self.context.recorded::<RunId>(&self.run_key())?.is_some())
    }

    /// The run: the one that was started before, or a new one. `is_first` says that there can be none yet.
    pub(super) async fn start(&self, state: &S, beginning: Beginning, is_first: bool) -> Result<RunId, NodeError> {
        let start = async {
            if !is_first && let Some(run) = self.find().await.map_err(node_error)? {
                return Ok(run);
            }
            let new = self.new_run(state, beginning).await?;
            match self.remote.client.runs().create(self.thread, new).await {
                Ok(run) => Ok(run.run_id),
                // Whether there is a run is not known, unless it is found.
                Err(error @ ClientError::Broken { .. }) => {
                    self.find().await.ok().flatten().ok_or_else(|| node_error(error))
                }
                Err(error) => Err(node_error(error)),
            }
        };
        self.context.once(&self.run_key(), start).await
    }

    async fn new_run(&self, state: &S, beginning: Beginning) -> Result<NewRun, NodeError> {
        let remote = self.remote;
        let mut new = NewRun::new(remote.assistant.clone())
            .metadata(json!({ MARK: self.mark() }))
            .if_not_exists(IfThreadMissing::Create)
            .stream_resumable(true);
        if !remote.forwarded.is_empty() {
            new = new.stream_mode(remote.forwarded.clone());
        }
        if let Some(config) = &remote.config {
            new = new.config(config.clone());
        }
        if let Some(context) = &remote.context {
            new = new.context(context.clone());
        }
        Ok(match beginning {
            Beginning::Answers(command) => new.command(*command),
            Beginning::Unfinished if self.has_unfinished().await? => new.input(Value::Null),
            Beginning::Input | Beginning::Unfinished => new.input((remote.input)(state)?),
        })
    }

    /// Whether the thread has tasks. One that failed before its first step has none, and begins anew.
    async fn has_unfinished(&self) -> Result<bool, NodeError> {
        let state = self.remote.client.threads().state(self.thread, false).await.map_err(node_error)?;
        Ok(!state.next.is_empty())
    }

    fn mark(&self) -> String {
        format!("{}/{}", self.call, self.number)
    }

    /// The run that has the mark.
    async fn find(&self) -> Result<Option<RunId>, ClientError> {
        let runs = self.remote.client.runs().list(self.thread, RunSearch::new().limit(NEWEST)).await;
        let runs = match runs {
            Err(error) if error.is_not_found() => return Ok(None),
            runs => runs?,
        };
        let mark = self.mark();
        let mut marked = runs.iter().filter(|run| run.metadata.get(MARK).and_then(Value::as_str) == Some(&mark));
        Ok(marked.next().map(|run| run.run_id))
    }

    /// Why the run stopped, as it was found before.
    pub(super) fn kept_stop(&self) -> Result<Option<Stop>, NodeError> {
        self.context.recorded(&self.stop_key())
    }

    pub(super) async fn keep_stop(&self, stop: &Stop) -> Result<(), NodeError> {
        self.context.once(&self.stop_key(), async { Ok(stop.clone()) }).await.map(drop)
    }

    /// Follows the run until it stops, telling here what it tells.
    pub(super) async fn follow(&self, run: RunId) -> Result<RoundEnd, NodeError> {
        let (client, context, thread) = (&self.remote.client, self.context, self.thread);
        let mut guard = CancelOnStop { client, context, thread, run, is_over: !self.remote.cancels };
        let failure = if self.remote.forwarded.is_empty() { None } else { self.forward(run).await? };
        let left = match failure {
            Some(stop) => RoundEnd::Stopped(stop),
            None => self.left(run).await.map_err(node_error)?,
        };
        guard.is_over = true;
        Ok(left)
    }

    /// Tells here what the run tells; its failure, if it tells one.
    async fn forward(&self, run: RunId) -> Result<Option<Stop>, NodeError> {
        let mut events = self.remote.client.runs().join_stream(self.thread, run, None).await.map_err(node_error)?;
        while let Some(event) = events.next().await {
            let event = event.map_err(node_error)?;
            self.context.heartbeat();
            match emission(event) {
                Emission::Nothing => {}
                Emission::Event(name, payload) => self.context.emit(&name, payload).await,
                Emission::Failure(stop) => return Ok(Some(stop)),
            }
        }
        Ok(None)
    }

    /// What a run left that is over, or that this waits for.
    async fn left(&self, run: RunId) -> Result<RoundEnd, ClientError> {
        let client = &self.remote.client;
        match client.runs().join(self.thread, run).await {
            Err(ClientError::RunFailed { kind, message }) => {
                return Ok(RoundEnd::Stopped(Stop::Failed { kind, message, is_cancelled: false }));
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let failed = |kind: &str, message: &str, is_cancelled| {
            let (kind, message) = (kind.to_owned(), message.to_owned());
            Ok(RoundEnd::Stopped(Stop::Failed { kind, message, is_cancelled }))
        };
        match client.runs().get(self.thread, run).await?.status {
            RunStatus::Interrupted => return failed("Cancelled", "the run was cancelled on its server", true),
            RunStatus::Timeout => return failed("Timeout", "the run took longer than its server allows", false),
            RunStatus::Error => return failed("Error", "the run failed, and its server does not say why", false),
            _ => {}
        }
        let state = client.threads().state(self.thread, false).await?;
        let interrupts = state.interrupts();
        if !interrupts.is_empty() {
            return Ok(RoundEnd::Stopped(Stop::Waiting { interrupts }));
        }
        if !state.next.is_empty() {
            return failed("Breakpoint", &format!("the run stopped before `{}`", state.next.join("`, `")), false);
        }
        Ok(RoundEnd::Done(state.values))
    }
}

/// What becomes of an event here.
enum Emission {
    Nothing,
    Event(String, Value),
    Failure(Stop),
}

fn emission(event: StreamEvent) -> Emission {
    let told = |name: &str, value| Emission::Event(name.to_owned(), value);
    match event.data {
        StreamData::Metadata(_) | StreamData::End(_) => Emission::Nothing,
        StreamData::Error(error) => {
            Emission::Failure(Stop::Failed { kind: error.kind, message: error.message, is_cancelled: false })
        }
        StreamData::Values(value) => told("values", value),
        StreamData::Updates(updates) => told("updates", Value::Object(updates)),
        StreamData::Message(chunk, metadata) => told("messages", json!([chunk, metadata])),
        StreamData::Messages { messages, complete: true } => told("messages/complete", json!(messages)),
        StreamData::Messages { messages, complete: false } => told("messages/partial", json!(messages)),
        StreamData::MessagesMetadata(metadata) => told("messages/metadata", Value::Object(metadata)),
        StreamData::Custom(value) => told("custom", value),
        StreamData::Task(task) => told("tasks", json!(task)),
        StreamData::Checkpoint(checkpoint) => told("checkpoints", json!(checkpoint)),
        StreamData::Debug(debug) => told("debug", json!(debug)),
        StreamData::Other { event, data } => Emission::Event(event, data),
    }
}
