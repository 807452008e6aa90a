//! From the events of the runtime to the entries of the log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointRow, Source};
use graphloom_core_graph::{Event, EventKind, MOST_LEVELS, is_nested_within};
use serde_json::Value;

use crate::changes::Changes;
use crate::graph::{Fields, Outline, interrupt_id};
use crate::log::{CommitOf, Interrupt, LogEvent, ThreadLog};
use crate::messages::{MESSAGE_EVENT, MessageChunk, ToolCallChunk, Usage};
use crate::runs::live::LiveRun;
use crate::usage::{MODEL_CALL_EVENT, ModelCall};

/// Takes the events of one run of the runtime to the log.
pub(super) struct Follower<'r> {
    outline: &'r Outline,
    thread: &'r str,
    live: &'r LiveRun,
    log: &'r Arc<ThreadLog>,
    changes: &'r Changes,
    namespaces: BTreeMap<Arc<str>, Namespace>,
    /// What the run began with, until its first commit.
    opening: Option<Source>,
    /// The super-steps that the root graph had committed before the run, when its first commit has told them.
    steps_before: Option<u64>,
    /// Messages that were told in pieces.
    streamed: BTreeSet<String>,
    /// Questions that are not told yet: a branch asks them again, and may have their answers.
    held: Option<Vec<Event>>,
    /// What the run has come to.
    pub(super) progress: Progress,
}

/// What a run has come to.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The state of the root graph after its newest commit.
    pub(super) values: Option<Fields>,
    /// The first and the last checkpoint of the root graph that the run made.
    pub(super) checkpoints: Option<(u64, u64)>,
    /// The super-steps of the root graph that the run committed, where that is known.
    pub(super) steps: Option<u64>,
    /// The sequence number of the run's first event in the runtime's journal.
    pub(super) journal: Option<u64>,
}

/// What is known of a namespace.
#[derive(Default)]
struct Namespace {
    /// The checkpoint at its head.
    head: Option<u64>,
    /// The fields that were written.
    written: BTreeSet<Arc<str>>,
    /// A commit whose state is told next.
    commit: Option<(u64, Vec<Arc<str>>, Vec<Arc<str>>, bool)>,
    /// Tasks whose update was told.
    updated: BTreeSet<Arc<str>>,
}

impl<'r> Follower<'r> {
    /// A follower of a run that begins at a checkpoint. `opening` is what makes the run's first commit, where that is not a
    /// super-step.
    pub(super) fn new(
        outline: &'r Outline,
        thread: &'r str,
        live: &'r LiveRun,
        log: &'r Arc<ThreadLog>,
        changes: &'r Changes,
        base: Option<&CheckpointRow>,
        opening: Option<Source>,
    ) -> Self {
        let root = Namespace {
            head: base.map(|row| row.number),
            written: base.iter().flat_map(|row| row.fields.iter()).map(|(field, _)| Arc::clone(field)).collect(),
            ..Namespace::default()
        };
        Self {
            outline,
            thread,
            live,
            log,
            changes,
            namespaces: BTreeMap::from([("".into(), root)]),
            opening,
            steps_before: None,
            streamed: BTreeSet::new(),
            held: None,
            progress: Progress { steps: Some(0), ..Progress::default() },
        }
    }

    /// Keeps questions back until it is known which of them are answered.
    pub(super) fn hold_questions(&mut self) {
        self.held = Some(Vec::new());
    }

    /// Tells the questions that were kept back, those of these ids as answered, and keeps back no more.
    pub(super) fn tell_held(&mut self, answered: &[&str]) {
        for event in self.held.take().unwrap_or_default() {
            if let EventKind::Question { id, key, payload } = &event.kind {
                self.asked(&event, (id.as_str(), key.as_str(), payload), answered.contains(&id.as_str()));
            }
        }
    }

    /// Takes up that the run began with a branch, whose first commit is not told.
    pub(super) fn branched(&mut self, number: u64) {
        let last = self.progress.checkpoints.map_or(number, |(_, last)| last);
        self.progress.checkpoints = Some((number, last));
    }

    fn asked(&self, event: &Event, (id, key, payload): (&str, &str, &Value), is_answered: bool) {
        let task = event.task.clone().unwrap_or_default();
        let interrupt = Interrupt {
            id: interrupt_id(self.thread, id),
            value: payload.clone(),
            key: key.to_owned(),
            task: task.to_string(),
            ns: event.ns.to_string(),
            response_schema: self.outline.answers.schema(key).cloned(),
        };
        let node = node_of(&task).to_owned();
        self.tell(
            event,
            match is_answered {
                true => LogEvent::AskedAgain { node, task, interrupt },
                false => LogEvent::Interrupted { node, task, interrupt },
            },
        );
    }

    fn tell(&self, event: &Event, entry: LogEvent) {
        self.log.append(self.live.run, Arc::clone(&event.ns), event.step, entry);
    }

    /// Takes up one event.
    pub(super) fn take(&mut self, event: &Event) {
        let task = || event.task.clone().unwrap_or_default();
        match &event.kind {
            EventKind::RunStarted { .. } if event.ns.is_empty() => {
                self.progress.journal = self.progress.journal.or(event.seq);
            }
            EventKind::SubgraphStarted { graph, .. } => {
                self.namespaces.entry(Arc::clone(&event.ns)).or_default();
                self.tell(event, LogEvent::SubgraphStarted { graph: graph.clone() });
            }
            EventKind::SubgraphEnded { graph, status, detail } => {
                self.namespaces.remove(&event.ns);
                let (graph, detail) = (graph.clone(), detail.clone());
                self.tell(event, LogEvent::SubgraphEnded { graph, status: *status, detail });
            }
            EventKind::TaskStarted { node, packet } => {
                let packet = packet.as_ref().map(graphloom_core_graph::Payload::json);
                let (node, attempt) = (node.clone(), event.attempt);
                self.tell(event, LogEvent::TaskStarted { task: task(), node, attempt, packet });
            }
            EventKind::TaskRetry { node, error, delay } => {
                let (node, error, delay) = (node.clone(), error.clone(), *delay);
                self.tell(event, LogEvent::TaskRetry { task: task(), node, error, delay });
            }
            EventKind::TaskFailed { node, error } => {
                self.tell(event, LogEvent::TaskFailed { task: task(), node: node.clone(), error: error.clone() });
            }
            EventKind::Update { node, payload } => {
                let values = self.update_of(event, payload.json());
                self.messages_of(event, node, &values);
                self.namespaces.entry(Arc::clone(&event.ns)).or_default().updated.insert(task());
                self.tell(event, LogEvent::Update { task: task(), node: node.clone(), values });
            }
            EventKind::Committed { checkpoint, tasks, changed, next } => {
                let updated = std::mem::take(&mut self.namespaces.entry(Arc::clone(&event.ns)).or_default().updated);
                // A node that wrote nothing is told, too.
                for task in tasks.iter().filter(|task| !updated.contains(*task)) {
                    let node = node_of(task).to_owned();
                    self.tell(event, LogEvent::Update { task: Arc::clone(task), node, values: Value::Null });
                }
                let namespace = self.namespaces.entry(Arc::clone(&event.ns)).or_default();
                namespace.written.extend(changed.iter().cloned());
                namespace.commit = Some((*checkpoint, changed.clone(), next.clone(), tasks.is_empty()));
            }
            EventKind::Values { payload } => self.commit(event, payload.json()),
            EventKind::Custom { name, payload } => {
                let node = event.task.as_deref().map(node_of).unwrap_or_default().to_owned();
                if name == MESSAGE_EVENT {
                    let chunk = payload.get::<MessageChunk>().cloned();
                    let Some(chunk) = chunk.or_else(|| serde_json::from_value(payload.json()).ok()) else { return };
                    self.streamed.insert(chunk.id.clone());
                    self.tell(event, LogEvent::Message { task: task(), node, chunk });
                } else if name == MODEL_CALL_EVENT {
                    let Ok(call) = serde_json::from_value::<ModelCall>(payload.json()) else { return };
                    self.live.count(&call);
                    self.changes.note_progress();
                    self.tell(event, LogEvent::ModelCall { task: task(), node, call });
                } else {
                    let (name, payload) = (name.clone(), readable(payload.json()));
                    self.tell(event, LogEvent::Custom { task: task(), node, name, payload });
                }
            }
            EventKind::Question { id, key, payload } => match &mut self.held {
                Some(held) => held.push(event.clone()),
                None => self.asked(event, (id.as_str(), key.as_str(), payload), false),
            },
            EventKind::Warning { message } => self.tell(event, LogEvent::Warning { message: message.clone() }),
            EventKind::Lagged { lost } => self.tell(event, LogEvent::Lost { events: *lost }),
            _ => {}
        }
    }

    fn update_of(&self, event: &Event, update: Value) -> Value {
        readable(if event.ns.is_empty() { self.outline.written(update) } else { update })
    }

    fn commit(&mut self, event: &Event, state: Value) {
        let state = readable(state);
        let is_root = event.ns.is_empty();
        let namespace = self.namespaces.entry(Arc::clone(&event.ns)).or_default();
        let Some((number, changed, next, is_opening)) = namespace.commit.take() else { return };
        let written = &namespace.written;
        let values = match state {
            state if is_root => self.outline.shown(state, |name| written.contains(name)),
            // Of a subgraph it is not known which fields fold.
            Value::Object(mut fields) => {
                fields.retain(|name, value| written.contains(name.as_str()) || !value.is_null());
                fields
            }
            _ => Fields::new(),
        };
        let parent = namespace.head.replace(number);
        let source = match self.opening.take_if(|_| is_root) {
            Some(source) if is_opening => source,
            _ if is_opening && parent.is_none() => Source::Input,
            _ if is_opening => Source::Update,
            _ => Source::Step,
        };
        if is_root {
            self.progress.values = Some(values.clone());
            let first = self.progress.checkpoints.map_or(number, |(first, _)| first);
            self.progress.checkpoints = Some((first, number));
            let before = self.steps_before.get_or_insert_with(|| steps_before(event.step, source));
            self.progress.steps = Some(event.step.saturating_sub(*before));
        }
        self.tell(event, LogEvent::Commit(CommitOf { number, parent, source, changed, next, values }));
    }

    /// Tells messages that a node wrote without telling their pieces before.
    fn messages_of(&mut self, event: &Event, node: &str, values: &Value) {
        let Some(messages) = values.get("messages") else { return };
        let list = messages.as_array().map_or(std::slice::from_ref(messages), Vec::as_slice);
        for message in list.iter().filter(|message| message["type"] == "ai") {
            let Ok(message) = crate::messages::Message::try_from(message.clone()) else { continue };
            if !self.streamed.insert(message.id().to_owned()) {
                continue;
            }
            let chunk = whole_chunk(&message);
            let task = event.task.clone().unwrap_or_default();
            self.tell(event, LogEvent::Message { task, node: node.to_owned(), chunk });
        }
    }
}

/// A value that can be read again out of the log: what is nested too deeply is not told. The runtime refuses such values where
/// it stores them; fields that are never stored and what nodes tell are not refused.
fn readable(value: Value) -> Value {
    let or_unread = |value: Value| match is_nested_within(&value, MOST_LEVELS) {
        true => value,
        false => Value::String(format!("not told: nested more deeply than {MOST_LEVELS} levels")),
    };
    match value {
        Value::Object(fields) => fields.into_iter().map(|(name, field)| (name, or_unread(field))).collect(),
        other => or_unread(other),
    }
}

/// The super-steps before a commit, by those that it tells.
pub(super) fn steps_before(step: u64, source: Source) -> u64 {
    step.saturating_sub(u64::from(source == Source::Step))
}

/// A message as one piece.
fn whole_chunk(message: &crate::messages::Message) -> MessageChunk {
    let text = |call: &Value, key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
    let calls = message.tool_calls().iter().zip(0..).map(|(call, index)| ToolCallChunk {
        index,
        id: text(call, "id"),
        name: text(call, "name"),
        args: call.get("args").map(Value::to_string).unwrap_or_default(),
    });
    let usage = message.get("usage_metadata").and_then(|usage| serde_json::from_value::<Usage>(usage.clone()).ok());
    let text = MessageChunk::text(message.id(), message.text());
    MessageChunk { tool_calls: calls.collect(), usage, is_last: true, ..text }
}

/// The node of a task, by its path `outer:3.0/inner:1.0`.
pub(super) fn node_of(task: &str) -> &str {
    let last = task.rsplit_once('/').map_or(task, |(_, last)| last);
    last.rsplit_once(':').map_or(last, |(node, _)| node)
}
