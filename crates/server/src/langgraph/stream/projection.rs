//! What frames an entry of the log gives.
//!
//! Places are counted for every frame that the entry could give, whatever is asked for, so that the id of a frame is the same in
//! all streams of its run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Source, ThreadStatus};
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::chains::Chain;
use super::checkpoints::Checkpoint;
use super::messages::{PartialMessage, chunk as wire_chunk};
use super::tasks::{RunningTask, TaskEnd};
use super::{FrameId, Mode, Modes, interrupt};
use crate::graph::{Fields, Position, namespace};
use crate::http::Frame;
use crate::log::{CommitOf, Entry, Interrupt, LogEvent};
use crate::messages::MessageChunk;
use crate::records::{RunFailure, timestamp};

/// What a client wants to see of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamOptions {
    pub(crate) modes: Modes,
    /// Whether it wants to see what happens in subgraphs.
    pub(crate) subgraphs: bool,
    pub(crate) end: RunEndFrame,
}

/// How a stream says that a run has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RunEndFrame {
    /// `end`, after which nothing comes.
    #[default]
    End,
    /// `metadata` with the status `run_done`, after which another run may come.
    RunDone,
}

/// A frame, and its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StreamFrame {
    pub(super) id: FrameId,
    pub(super) event: String,
    /// JSON.
    pub(super) data: String,
}

impl StreamFrame {
    pub(super) fn encoded(&self) -> Frame {
        Frame::encoded(&self.event, &self.data, Some(&self.id.to_string()))
    }
}

/// What all frames of a run know of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) thread: String,
    pub(super) run: Uuid,
    pub(super) graph: String,
    pub(super) assistant: Uuid,
    pub(super) attempt: u32,
}

impl Facts {
    pub(super) fn metadata(&self) -> Value {
        json!({
            "graph_id": self.graph,
            "assistant_id": self.assistant,
            "run_id": self.run,
            "run_attempt": self.attempt,
        })
    }
}

/// The namespaces of a run.
#[derive(Default)]
pub(super) struct Spaces(BTreeMap<Arc<str>, Space>);

/// What is known of a namespace.
#[derive(Default)]
struct Space {
    /// The entry with its newest state.
    head: Option<Arc<Entry>>,
    /// The step of its newest checkpoint on the wire; none before the first.
    step: Option<i64>,
    /// The graph of a subgraph.
    graph: String,
}

impl Space {
    fn commit(&self) -> Option<&CommitOf> {
        match &self.head.as_ref()?.event {
            LogEvent::Commit(commit) => Some(commit),
            _ => None,
        }
    }

    fn values(&self) -> Option<&Fields> {
        match &self.head.as_ref()?.event {
            LogEvent::Commit(commit) => Some(&commit.values),
            LogEvent::RunStarted { values, .. } => values.as_ref(),
            _ => None,
        }
    }
}

impl Spaces {
    fn get(&self, ns: &str) -> Option<&Space> {
        self.0.get(ns)
    }

    fn values(&self, ns: &str) -> Option<&Fields> {
        self.get(ns)?.values()
    }

    /// The step of a checkpoint, if it is the newest one that was told.
    fn step_at(&self, ns: &str, number: u64) -> Option<i64> {
        let space = self.get(ns)?;
        if space.commit()?.number == number { space.step } else { None }
    }

    fn entry(&mut self, ns: &Arc<str>) -> &mut Space {
        self.0.entry(Arc::clone(ns)).or_default()
    }

    /// The ids of the checkpoints at the heads of the namespaces around one.
    pub(super) fn heads_above(&self, thread: &str, ns: &str) -> Map<String, Value> {
        let heads = namespaces(ns).into_iter().skip(1).filter_map(|around| {
            let number = self.get(around)?.commit()?.number;
            let id = Position::of(number).id(thread, around).to_string();
            Some((namespace(thread, around), Value::from(id)))
        });
        let mut heads: Vec<_> = heads.collect();
        heads.reverse();
        heads.into_iter().collect()
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A namespace and those around it, from the inside out; the last one is the root's.
pub(super) fn namespaces(ns: &str) -> Vec<&str> {
    let mut all = vec![ns];
    let mut rest = ns;
    while !rest.is_empty() {
        rest = rest.rsplit_once('/').map_or("", |(around, _)| around);
        all.push(rest);
    }
    all
}

/// Makes the frames of one run.
pub(super) struct Projection {
    facts: Facts,
    options: StreamOptions,
    /// The frame after which frames are made.
    after: FrameId,
    has_begun: bool,
    /// Whether the chain of the graph was told in `events`.
    has_chain: bool,
    spaces: Spaces,
    tasks: HashMap<Arc<str>, RunningTask>,
    /// Questions that were told, with the namespaces in which they were.
    interrupts: Vec<(Arc<str>, Interrupt)>,
    messages: HashMap<String, PartialMessage>,
    /// The steps of checkpoints that were there before the run.
    steps: HashMap<u64, i64>,
}

/// Takes the frames of one entry.
struct Frames<'f> {
    options: &'f StreamOptions,
    facts: &'f Facts,
    entry: &'f Entry,
    after: FrameId,
    place: u64,
    made: Vec<StreamFrame>,
}

impl Frames<'_> {
    /// A frame, which is made only if it is wanted.
    fn push<T: Serialize>(&mut self, wanted: bool, event: impl FnOnce() -> String, data: impl FnOnce() -> T) {
        let id = FrameId::new(self.entry.seq, self.place, self.entry.time);
        self.place += 1;
        if wanted && id.is_after(self.after) {
            let data = serde_json::to_string(&data()).unwrap_or_else(|_| "null".to_owned());
            self.made.push(StreamFrame { id, event: event(), data });
        }
    }

    /// A frame of every stream.
    fn always<T: Serialize>(&mut self, event: &str, data: impl FnOnce() -> T) {
        self.push(true, || event.to_owned(), data);
    }

    /// A frame of a mode, about a namespace of the runtime.
    fn tell<T: Serialize>(&mut self, mode: Mode, ns: &str, data: impl FnOnce() -> T) {
        self.tell_as(mode, mode.event(), ns, data);
    }

    fn tell_as<T: Serialize>(&mut self, mode: Mode, event: &str, ns: &str, data: impl FnOnce() -> T) {
        let wanted = self.options.modes.contains(mode) && (ns.is_empty() || self.options.subgraphs);
        let thread = &self.facts.thread;
        let name = || if ns.is_empty() { event.to_owned() } else { format!("{event}|{}", namespace(thread, ns)) };
        self.push(wanted, name, data);
    }

    /// A frame of `events`, which has those of subgraphs without being asked.
    fn chain(&mut self, data: impl FnOnce() -> Value) {
        self.push(self.options.modes.contains(Mode::Events), || "events".to_owned(), data);
    }

    fn debug(&mut self, ns: &str, step: i64, kind: &str, payload: impl FnOnce() -> Value) {
        let time = self.entry.time;
        self.tell(
            Mode::Debug,
            ns,
            || json!({"step": step, "timestamp": timestamp(time), "type": kind, "payload": payload()}),
        );
    }

    fn task_end(&mut self, ns: &str, task: &RunningTask, end: &TaskEnd<'_>) {
        let facts = self.facts;
        self.tell(Mode::Tasks, ns, || task.end(facts, end));
        self.debug(ns, task.step, "task_result", || task.end(facts, end));
    }
}

#[derive(Serialize)]
struct Interrupted<'v> {
    #[serde(flatten)]
    values: &'v Fields,
    __interrupt__: Vec<Value>,
}

impl Projection {
    pub(super) fn new(thread: Uuid, run: Uuid, options: StreamOptions, after: FrameId) -> Self {
        Self {
            facts: Facts { thread: thread.to_string(), run, ..Facts::default() },
            options,
            after,
            has_begun: false,
            has_chain: false,
            spaces: Spaces::default(),
            tasks: HashMap::new(),
            interrupts: Vec::new(),
            messages: HashMap::new(),
            steps: HashMap::new(),
        }
    }

    /// Makes frames wherever they are.
    pub(super) fn show_all(&mut self) {
        self.after = FrameId::START;
    }

    /// The checkpoint from before the run whose step is needed for an entry, and is not known.
    pub(super) fn needs_step(&self, entry: &Entry) -> Option<u64> {
        if !self.options.modes.tell_steps() || !entry.ns.is_empty() {
            return None;
        }
        let number = match &entry.event {
            LogEvent::RunStarted { base, .. } => *base,
            LogEvent::Commit(commit) => commit.parent.filter(|parent| self.spaces.step_at("", *parent).is_none()),
            _ => None,
        };
        number.filter(|number| !self.steps.contains_key(number))
    }

    /// Takes the step of a checkpoint.
    pub(super) fn know_step(&mut self, number: u64, step: i64) {
        self.steps.insert(number, step);
    }

    /// The step of a checkpoint from before the run; where it is not known, the number of super-steps before it.
    fn step_of(&self, number: u64, committed: u64) -> i64 {
        self.steps.get(&number).copied().unwrap_or_else(|| signed(committed))
    }

    /// The step of a commit: an input counts for two.
    fn step_after(&self, entry: &Entry, commit: &CommitOf) -> i64 {
        let parent = match commit.parent {
            None if commit.source == Source::Input => return 0,
            None => return signed(entry.step),
            Some(parent) => self.spaces.step_at(&entry.ns, parent).or_else(|| self.steps.get(&parent).copied()),
        };
        let Some(parent) = parent else { return signed(entry.step) };
        if commit.source == Source::Input { parent + 2 } else { parent + 1 }
    }

    /// Takes up the next entry of the run, and returns its frames.
    pub(super) fn take(&mut self, entry: &Arc<Entry>) -> Vec<StreamFrame> {
        if let LogEvent::RunStarted { graph, assistant, attempt, .. } = &entry.event {
            self.facts.graph.clone_from(graph);
            (self.facts.assistant, self.facts.attempt) = (*assistant, *attempt);
        }
        let (options, facts) = (self.options.clone(), self.facts.clone());
        let mut frames =
            Frames { options: &options, facts: &facts, entry, after: self.after, place: 0, made: Vec::new() };
        self.project(entry, &mut frames);
        frames.made
    }

    fn project(&mut self, entry: &Arc<Entry>, frames: &mut Frames<'_>) {
        let ns = &entry.ns;
        match &entry.event {
            LogEvent::RunStarted { base, values, .. } => self.started(entry, *base, values.as_ref(), frames),
            LogEvent::SubgraphStarted { graph } => {
                self.spaces.entry(ns).graph.clone_from(graph);
                frames.chain(|| Chain::subgraph(&self.facts, ns, graph).start(&Value::Null));
            }
            LogEvent::SubgraphEnded { graph, status, .. } => {
                let space = self.spaces.0.remove(ns);
                if *status == ThreadStatus::Done {
                    let output = space.as_ref().and_then(Space::values);
                    frames.chain(|| Chain::subgraph(&self.facts, ns, graph).end(&json!(output), None));
                }
            }
            LogEvent::TaskStarted { task, node, attempt, packet } => {
                self.task_started(entry, task, node, *attempt, packet.is_some(), frames);
            }
            LogEvent::Update { task, node, values } => self.updated(entry, task, node, values, frames),
            LogEvent::TaskFailed { task, node, error } => {
                let task = self.task_of(entry, task, node);
                frames.task_end(ns, &task, &TaskEnd::Failed(error));
            }
            LogEvent::Interrupted { task, node, interrupt } => self.interrupted(entry, task, node, interrupt, frames),
            LogEvent::Custom { name, payload, .. } if name.is_empty() => frames.tell(Mode::Custom, ns, || payload),
            LogEvent::Custom { name, payload, .. } => {
                frames.tell(Mode::Custom, ns, || json!({"name": name, "payload": payload}));
            }
            LogEvent::Message { task, node, chunk } => self.message(entry, task, node, chunk, frames),
            LogEvent::Commit(commit) => self.committed(entry, commit, frames),
            LogEvent::Warning { message } => frames.always("warning", || json!({"message": message})),
            LogEvent::RunEnded { status, failure, interrupts } => {
                self.ended(status, failure.as_ref(), interrupts, frames);
            }
            LogEvent::TaskRetry { .. }
            | LogEvent::ModelCall { .. }
            | LogEvent::AskedAgain { .. }
            | LogEvent::StateUpdated { .. }
            | LogEvent::Lost { .. } => {}
        }
    }

    fn started(&mut self, entry: &Arc<Entry>, base: Option<u64>, values: Option<&Fields>, frames: &mut Frames<'_>) {
        self.has_begun = true;
        self.tasks.clear();
        let (run, attempt) = (self.facts.run, self.facts.attempt);
        frames.always("metadata", || json!({"run_id": run, "attempt": attempt}));
        let step = base.map(|base| self.step_of(base, entry.step));
        let root = self.spaces.entry(&entry.ns);
        root.step = step;
        if let Some(values) = values {
            root.head = Some(Arc::clone(entry));
            self.begin_chain(frames, &Value::Null);
            frames.tell(Mode::Values, "", || values);
        }
    }

    /// Tells the chain of the graph, before all others.
    fn begin_chain(&mut self, frames: &mut Frames<'_>, input: &Value) {
        if !std::mem::replace(&mut self.has_chain, true) {
            frames.chain(|| Chain::graph(&self.facts).start(input));
        }
    }

    fn task_started(
        &mut self,
        entry: &Arc<Entry>,
        path: &Arc<str>,
        node: &str,
        attempt: u32,
        is_sent: bool,
        frames: &mut Frames<'_>,
    ) {
        if attempt > 1 && self.tasks.contains_key(path) {
            return;
        }
        let ns = &entry.ns;
        let space = self.spaces.entry(ns);
        if space.head.is_none() {
            // A subgraph that goes on.
            space.step = Some(signed(entry.step));
        }
        let task = RunningTask {
            path: Arc::clone(path),
            node: node.to_owned(),
            step: space.step.unwrap_or_default() + 1,
            is_sent,
            stood: if is_sent { Some(Arc::clone(entry)) } else { space.head.clone() },
        };
        let facts = &self.facts;
        frames.tell(Mode::Tasks, ns, || task.start(facts));
        frames.debug(ns, task.step, "task", || task.start(facts));
        frames.chain(|| Chain::node(facts, ns, &task).start(&task.input()));
        self.tasks.insert(Arc::clone(path), task);
    }

    /// A task, as it began; what is known of one whose beginning was not told.
    fn task_of(&self, entry: &Entry, path: &Arc<str>, node: &str) -> RunningTask {
        self.tasks.get(path).cloned().unwrap_or_else(|| RunningTask {
            path: Arc::clone(path),
            node: node.to_owned(),
            step: signed(entry.step),
            is_sent: false,
            stood: None,
        })
    }

    fn updated(&mut self, entry: &Entry, path: &Arc<str>, node: &str, values: &Value, frames: &mut Frames<'_>) {
        let ns = &entry.ns;
        let task = self.task_of(entry, path, node);
        self.tasks.remove(path);
        frames.tell(Mode::Updates, ns, || json!({node: values}));
        frames.task_end(ns, &task, &TaskEnd::Wrote(values));
        let facts = &self.facts;
        frames.chain(|| Chain::node(facts, ns, &task).stream(values));
        frames.chain(|| Chain::node(facts, ns, &task).end(values, Some(&task.input())));
    }

    /// A question is told where it is asked, and again in each graph around it, whose task waits for it.
    fn interrupted(&mut self, entry: &Entry, path: &Arc<str>, node: &str, asked: &Interrupt, frames: &mut Frames<'_>) {
        let ns = &entry.ns;
        self.interrupts.push((Arc::clone(ns), asked.clone()));
        frames.tell(Mode::Updates, ns, || json!({"__interrupt__": [interrupt(asked)]}));
        let (empty, here) = (Fields::new(), self.interrupts.iter().filter(|(around, _)| around == ns));
        let values = self.spaces.values(ns).unwrap_or(&empty);
        let here = here.map(|(_, one)| interrupt(one)).collect();
        frames.tell(Mode::Values, ns, || Interrupted { values, __interrupt__: here });
        let task = self.task_of(entry, path, node);
        frames.task_end(ns, &task, &TaskEnd::Asked(std::slice::from_ref(asked)));
    }

    fn message(&mut self, entry: &Entry, path: &Arc<str>, node: &str, chunk: &MessageChunk, frames: &mut Frames<'_>) {
        let ns = &entry.ns;
        let task = self.task_of(entry, path, node);
        let facts = &self.facts;
        frames.tell(Mode::MessagesTuple, ns, || json!([wire_chunk(chunk), task.metadata(facts)]));
        let is_new = !self.messages.contains_key(&chunk.id);
        let message = self.messages.entry(chunk.id.clone()).or_default();
        message.add(chunk);
        let message = &*message;
        if is_new {
            let id = &chunk.id;
            frames.tell_as(Mode::Messages, "messages/metadata", ns, || json!({id: {"metadata": task.metadata(facts)}}));
            let asked = self.spaces.values(ns).and_then(|values| values.get("messages"));
            frames.chain(|| Chain::model(facts, ns, &task, &chunk.id).start(&json!({"messages": [asked]})));
        }
        frames.tell(Mode::Messages, ns, || [message.wire(&chunk.id)]);
        frames.chain(|| Chain::model(facts, ns, &task, &chunk.id).stream(&wire_chunk(chunk)));
        if chunk.is_last {
            frames.chain(|| Chain::model(facts, ns, &task, &chunk.id).end(&message.wire(&chunk.id), None));
        }
    }

    fn committed(&mut self, entry: &Arc<Entry>, commit: &CommitOf, frames: &mut Frames<'_>) {
        let ns = &entry.ns;
        let is_root = ns.is_empty();
        if is_root {
            let input: Fields = commit
                .changed
                .iter()
                .filter_map(|name| Some((name.to_string(), commit.values.get(&**name)?.clone())))
                .collect();
            self.begin_chain(frames, &input.into());
        }
        let step = self.step_after(entry, commit);
        if commit.source == Source::Input {
            let before = self.spaces.values(ns).cloned().unwrap_or_else(|| {
                // The state before the run is not told: what the input did not change stood before.
                let unchanged = |name: &String| !commit.changed.iter().any(|changed| **changed == **name);
                commit.values.iter().filter(|(name, _)| unchanged(name)).map(|(n, v)| (n.clone(), v.clone())).collect()
            });
            self.checkpoint(ns, commit, (Position::before_input(commit.number), step - 1), before, frames);
        }
        let space = self.spaces.entry(ns);
        (space.head, space.step) = (Some(Arc::clone(entry)), Some(step));
        frames.tell(Mode::Values, ns, || &commit.values);
        self.checkpoint(ns, commit, (Position::of(commit.number), step), commit.values.clone(), frames);
    }

    fn checkpoint(
        &self,
        ns: &str,
        commit: &CommitOf,
        (position, step): (Position, i64),
        values: Fields,
        frames: &mut Frames<'_>,
    ) {
        let checkpoint = Checkpoint { facts: &self.facts, spaces: &self.spaces, ns, step, commit, position, values };
        frames.tell(Mode::Checkpoints, ns, || checkpoint.payload());
        frames.debug(ns, step, "checkpoint", || checkpoint.debug_payload());
    }

    fn ended(&mut self, status: &str, failure: Option<&RunFailure>, open: &[Interrupt], frames: &mut Frames<'_>) {
        let (run, attempt) = (self.facts.run, self.facts.attempt.max(1));
        let has_begun = self.has_begun;
        frames.push(!has_begun, || "metadata".to_owned(), || json!({"run_id": run, "attempt": attempt}));
        if has_begun && status == "success" {
            self.begin_chain(frames, &Value::Null);
            self.stopped(open, frames);
            let output = json!(self.spaces.values(""));
            frames.chain(|| Chain::graph(&self.facts).end(&output, None));
        }
        if let Some(failure) = failure {
            frames.always("error", || failure);
        }
        match self.options.end {
            RunEndFrame::End => frames.always("end", || json!({"run_id": run, "status": status})),
            RunEndFrame::RunDone => frames.always("metadata", || json!({"status": "run_done", "run_id": run})),
        }
    }

    /// Tells at what a run stopped, as far as that was not told before.
    fn stopped(&self, open: &[Interrupt], frames: &mut Frames<'_>) {
        let is_told = |one: &&Interrupt| self.interrupts.iter().any(|(_, told)| told.id == one.id);
        let untold: Vec<Value> = open.iter().filter(|one| !is_told(one)).map(interrupt).collect();
        let stops_before_nodes = || self.spaces.get("").and_then(Space::commit).is_some_and(|one| !one.next.is_empty());
        if !untold.is_empty() {
            frames.tell(Mode::Updates, "", || json!({"__interrupt__": untold}));
            let (empty, all) = (Fields::new(), open.iter().map(interrupt).collect());
            let values = self.spaces.values("").unwrap_or(&empty);
            frames.tell(Mode::Values, "", || Interrupted { values, __interrupt__: all });
        } else if open.is_empty() && stops_before_nodes() {
            frames.tell(Mode::Updates, "", || json!({"__interrupt__": []}));
        }
    }
}
