//! A stream of a thread over its runs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures::Stream;
use futures::stream::unfold;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::projection::{Projection, StreamFrame};
use super::run_stream::unreadable;
use super::steps::Steps;
use super::{FrameId, Modes, RunEndFrame, Since, StreamOptions};
use crate::graph::Position;
use crate::host::Host;
use crate::http::{Frame, Problem};
use crate::langgraph::state::graph_of;
use crate::langgraph::wire::{ThreadStates, Wanted};
use crate::log::{Entry, LogEvent, Tail, TailError, ThreadLog};
use crate::records::RunRecord;
use crate::refusal::Refusal;

/// What a client asks to be told of a thread.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ThreadStreamMode {
    /// What each run was asked to stream.
    RunModes,
    /// Where runs begin and end.
    Lifecycle,
    /// Changes of the state from outside of runs.
    StateUpdate,
}

/// What is told of a thread.
struct Shows {
    /// What its runs tell.
    runs: bool,
    /// Where they begin and end.
    lifecycle: bool,
    /// Changes of its state from outside of them.
    updates: bool,
}

impl Shows {
    fn of(modes: &[ThreadStreamMode]) -> Self {
        let runs = modes.is_empty() || modes.contains(&ThreadStreamMode::RunModes);
        Self {
            runs,
            lifecycle: runs || modes.contains(&ThreadStreamMode::Lifecycle),
            updates: modes.contains(&ThreadStreamMode::StateUpdate),
        }
    }
}

/// The frames of a thread over its runs. They end when the thread is deleted.
pub(crate) struct ThreadStream {
    host: Host,
    steps: Steps,
    thread: Uuid,
    tail: Tail,
    after: FrameId,
    shows: Shows,
    runs: HashMap<Uuid, Projection>,
    ready: VecDeque<StreamFrame>,
}

impl ThreadStream {
    /// Reads a thread. What came before is read as far as it is needed to tell what comes after.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn new(
        host: &Host,
        log: &Arc<ThreadLog>,
        modes: &[ThreadStreamMode],
        since: Since,
    ) -> Result<Self, Refusal> {
        let (thread, last) = (log.thread(), log.last());
        let (after, run) = match since {
            Since::Now => (FrameId::after_entry(last), host.manager.current(thread).await?.map(|live| live.run)),
            Since::Frame(frame) if frame.seq == 0 => (frame, None),
            Since::Frame(frame) if frame.seq > last => (FrameId::after_entry(last), None),
            Since::Frame(frame) => {
                let entry = log.after(frame.seq - 1).ready().await;
                let entry = entry.map_err(|error| Refusal::Failed(error.to_string()))?;
                let of_run = |entry: &Arc<Entry>| !matches!(entry.event, LogEvent::StateUpdated { .. });
                (frame, entry.filter(of_run).map(|entry| entry.run))
            }
        };
        let record = match run {
            Some(run) => record_of(host, thread, run).await?,
            None => None,
        };
        let start = match (record, run) {
            (Some(record), _) => record.before,
            // The run is deleted, so that nothing says where it began.
            (None, Some(_)) => 0,
            (None, None) if after == FrameId::START => 0,
            (None, None) => last,
        };
        Ok(Self {
            host: host.clone(),
            steps: Steps::new(host, thread),
            thread,
            tail: log.after(start.min(after.seq)),
            after,
            shows: Shows::of(modes),
            runs: HashMap::new(),
            ready: VecDeque::new(),
        })
    }

    pub(super) async fn next(&mut self) -> Result<Option<StreamFrame>, TailError> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            let Some(entry) = self.tail.next().await? else { return Ok(None) };
            if let LogEvent::StateUpdated { checkpoint } = entry.event {
                self.ready.extend(self.updated(&entry, checkpoint).await);
                continue;
            }
            if !self.shows.lifecycle {
                continue;
            }
            let run = entry.run;
            if !self.runs.contains_key(&run) {
                let options = self.options(run).await;
                self.runs.insert(run, Projection::new(self.thread, run, options, self.after));
            }
            let Some(projection) = self.runs.get_mut(&run) else { continue };
            self.steps.teach(projection, &entry).await;
            self.ready.extend(projection.take(&entry));
            if matches!(entry.event, LogEvent::RunEnded { .. }) {
                self.runs.remove(&run);
            }
        }
    }

    /// The frame of a change of the state, with the state at its checkpoint.
    async fn updated(&self, entry: &Entry, checkpoint: u64) -> Option<StreamFrame> {
        let id = FrameId::new(entry.seq, 0, entry.time);
        if !self.shows.updates || !id.is_after(self.after) {
            return None;
        }
        match state_at(&self.host, self.thread, checkpoint).await {
            Ok(state) => {
                let data = json!({ "state": state, "thread_id": self.thread });
                Some(StreamFrame { id, event: "state_update".to_owned(), data: data.to_string() })
            }
            // It is pruned.
            Err(problem) if problem.status == 404 => None,
            Err(problem) => {
                tracing::warn!(thread = %self.thread, checkpoint, ?problem, "a change of a state is not told: it cannot be read");
                None
            }
        }
    }

    /// How a run was asked to stream; one that is deleted, as by default.
    async fn options(&self, run: Uuid) -> StreamOptions {
        let end = RunEndFrame::RunDone;
        if !self.shows.runs {
            return StreamOptions { modes: Modes::none(), subgraphs: false, end };
        }
        match record_of(&self.host, self.thread, run).await {
            Ok(Some(record)) => StreamOptions { end, ..options_of(&record) },
            Ok(None) => StreamOptions { end, ..StreamOptions::default() },
            Err(error) => {
                tracing::warn!(%run, %error, "it is not known how a run streams");
                StreamOptions { end, ..StreamOptions::default() }
            }
        }
    }

    /// The frames as bytes. Entries that are no longer kept, or cannot be read, end them with an `error`.
    pub(crate) fn frames(self) -> impl Stream<Item = Frame> + Send + 'static {
        unfold(Some(self), |stream| async move {
            let mut stream = stream?;
            match stream.next().await {
                Ok(Some(frame)) => Some((frame.encoded(), Some(stream))),
                Ok(None) => None,
                Err(error) => Some((unreadable(&error), None)),
            }
        })
    }
}

async fn state_at(host: &Host, thread: Uuid, checkpoint: u64) -> Result<Value, Problem> {
    let record = host.manager.records().threads.get(thread).await?;
    let states = ThreadStates::new(host, graph_of(host, &record)?, &record).await?;
    let id = Position::of(checkpoint).id(&thread.to_string(), "");
    let found = states.find("", Wanted::At { id, with_subgraphs: false }).await?;
    Ok(found.into_iter().next().unwrap_or_default())
}

async fn record_of(host: &Host, thread: Uuid, run: Uuid) -> Result<Option<RunRecord>, Refusal> {
    match host.manager.records().runs.get(thread, run).await.map_err(Refusal::from) {
        Ok(record) => Ok(Some(record)),
        Err(Refusal::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How a run was asked to stream when it was made.
pub(crate) fn options_of(record: &RunRecord) -> StreamOptions {
    options(|key| record.kwargs.get(key).cloned())
}

/// How a run without a thread was asked to stream, by its log, which begins with it: its record is deleted when it has ended.
///
/// # Errors
/// As [`Tail::ready`].
pub(crate) async fn options_in(log: &Arc<ThreadLog>) -> Result<StreamOptions, TailError> {
    let first = log.after(0).ready().await?;
    Ok(match first.as_deref().map(|entry| &entry.event) {
        Some(LogEvent::RunStarted { asked, .. }) => options(|key| asked.get(key).cloned()),
        _ => StreamOptions::default(),
    })
}

fn options(asked: impl Fn(&str) -> Option<Value>) -> StreamOptions {
    let field = |key: &str| asked(key).unwrap_or_default();
    StreamOptions {
        modes: serde_json::from_value(field("stream_mode")).unwrap_or_default(),
        subgraphs: field("subgraphs").as_bool().unwrap_or_default(),
        end: RunEndFrame::default(),
    }
}
