//! The loop of one namespace: plan, run, complete, commit.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;
use tokio::task::JoinSet;

use crate::checkpoint::{Commit, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::context::{Context, TaskInfo, TaskServices};
use crate::driver::control::Control;
use crate::driver::policy::{Order, RunPolicy};
use crate::driver::session::Session;
use crate::driver::task::{Onces, TaskCell, attempt};
use crate::error::RunError;
use crate::event::{Event, EventKind, Payload};
use crate::graph::{App, Compiled, Topology};
use crate::handler::NodeFn;
use crate::machine::{
    Committed, Completion, Dispatch, Fault, Limits, Machine, Plan, Restored, Stop, TaskId, TaskOutcome,
};
use crate::state::{Snapshot, State, codec};

/// What a graph needs to run: its topology, its nodes, their resources.
pub(crate) struct Runtime<S: State, Cx> {
    pub(crate) topology: Arc<Topology<S>>,
    handlers: Arc<[Arc<dyn NodeFn<S, Cx>>]>,
    resources: Arc<Cx>,
}

/// How a run begins.
pub(crate) enum Entry<S: State> {
    /// With an input.
    Input(Option<S::Update>),
    /// Where it stopped; told in the journal as `resume` or `continue`.
    Resume(&'static str),
}

/// One namespace while it runs.
pub(crate) struct Driver<S: State, Cx> {
    runtime: Runtime<S, Cx>,
    session: Arc<Session>,
    ns: Arc<str>,
    machine: Machine<S>,
    onces: Arc<Onces>,
    running: JoinSet<(TaskId, TaskOutcome<S>)>,
    flying: BTreeMap<TaskId, u32>,
    /// Task ids in the order in which they must commit.
    turns: VecDeque<String>,
    held: BTreeMap<String, (TaskId, TaskOutcome<S>)>,
    /// What the first commit tells of the thread, and whether it is the root.
    opening: Option<(ThreadRow, EventKind)>,
    is_root: bool,
    /// Whether the commit that ends the run is written.
    ended: bool,
}

type Ended<S> = SmallVec<[(TaskId, TaskOutcome<S>); 1]>;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    pub(crate) fn new(
        runtime: Runtime<S, Cx>,
        session: Arc<Session>,
        ns: Arc<str>,
        restored: Option<Restored<S>>,
    ) -> Result<Self, RunError> {
        let limits = Limits {
            room: None,
            max_steps: session.policy.max_steps,
            concurrency: session.policy.max_concurrency.unwrap_or(usize::MAX).max(1),
        };
        let topology = Arc::clone(&runtime.topology);
        let onces = Arc::new(Onces::default());
        let mut machine = match restored {
            None => Machine::fresh(topology, Arc::clone(&ns), limits, session.attached.is_some()),
            Some(mut restored) => {
                for record in restored.records.iter().filter(|record| record.kind == TaskRecordKind::Once) {
                    onces.insert(Arc::clone(&record.task), Arc::clone(&record.key), Arc::clone(&record.payload));
                }
                restored.records.extend(session.answer_records());
                Machine::restore(topology, Arc::clone(&ns), limits, restored, &session.thread)?
            }
        };
        machine.observed = session.attached.is_some() || session.is_watched();
        let is_root = ns.is_empty();
        let turns = match &session.policy.order {
            Order::Recorded(order) if is_root => order.iter().cloned().collect(),
            _ => VecDeque::new(),
        };
        Ok(Self {
            runtime,
            session,
            ns,
            machine,
            onces,
            running: JoinSet::new(),
            flying: BTreeMap::new(),
            turns,
            held: BTreeMap::new(),
            opening: None,
            is_root,
            ended: false,
        })
    }

    pub(crate) fn machine(&self) -> &Machine<S> {
        &self.machine
    }

    pub(crate) fn policy(&self) -> &RunPolicy {
        &self.session.policy
    }

    /// Runs until nothing is in flight and nothing more is dispatched.
    pub(crate) async fn run(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        let how = match &entry {
            Entry::Input(_) => "input",
            Entry::Resume(how) => how,
        };
        if self.is_root {
            let kind = EventKind::RunStarted { graph: self.runtime.topology.name.clone(), how: how.to_owned() };
            match self.session.ending(ThreadStatus::Running, "") {
                Some(row) => self.opening = Some((row, kind)),
                None if self.session.is_watched() => self.tell(None, kind).await,
                None => {}
            }
        }
        match entry {
            Entry::Input(update) => {
                self.machine.executed = 0;
                let now = self.now();
                let committed = self.machine.input(update, now);
                self.publish(committed).await?;
            }
            Entry::Resume(_) => {
                self.session.count_spent(self.machine.executed + self.machine.held());
                if let Some(id) = self.machine.uncommitted() {
                    self.commit(id).await?;
                }
            }
        }
        self.drive().await
    }

    async fn drive(&mut self) -> Result<Stop, RunError> {
        loop {
            if let Some(reason) = self.session.control.reason() {
                self.machine.halt(reason);
                if reason == Stop::Cancelled {
                    self.abort().await?;
                }
            }
            if let Some(room) = self.session.room() {
                self.machine.allow(room);
            }
            let now = if self.machine.wants_time() { self.session.clock.now() } else { 0 };
            match self.machine.plan(now) {
                Plan::Dispatch(dispatches) => self.dispatch(dispatches).await?,
                Plan::Wait { until } => self.wait(until).await?,
                Plan::Stop(reason) => return Ok(reason),
            }
        }
    }

    // ===== dispatch =====

    async fn dispatch(&mut self, mut dispatches: SmallVec<[Dispatch<S>; 1]>) -> Result<(), RunError> {
        let new = dispatches.iter().filter(|dispatch| dispatch.attempt == 1).count() as u64;
        if self.session.policy.budget.is_some() && !self.session.reserve(new) {
            // A sibling subgraph took the room in between; plan again with what is left.
            for dispatch in dispatches {
                self.machine.put_back(dispatch.id);
            }
            return Ok(());
        }
        if self.session.is_watched() {
            for dispatch in &dispatches {
                let node = self.runtime.topology.node(dispatch.node).name.to_string();
                self.tell(Some((dispatch.id, dispatch.attempt)), EventKind::TaskStarted { node }).await;
            }
        }
        if dispatches.len() == 1
            && self.running.is_empty()
            && let Some(dispatch) = dispatches.pop()
        {
            let id = dispatch.id;
            let attempt = self.start(dispatch);
            let outcome = or_cancelled(attempt, &self.session.control).await;
            return self
                .settle(SmallVec::from_buf([(id, outcome.unwrap_or(TaskOutcome::Abandoned(Stop::Cancelled)))]))
                .await;
        }
        for dispatch in dispatches {
            let id = dispatch.id;
            self.flying.insert(id, dispatch.attempt);
            let attempt = self.start(dispatch);
            self.running.spawn(async move { (id, attempt.await) });
        }
        Ok(())
    }

    fn start(&self, dispatch: Dispatch<S>) -> impl Future<Output = TaskOutcome<S>> + Send + use<S, Cx> {
        let Dispatch { id, node, attempt: number, key, input, state } = dispatch;
        let handler = Arc::clone(&self.runtime.handlers[node as usize]);
        let info = self.runtime.topology.node(node);
        let cell = handler.wants_context().then(|| {
            let task = TaskInfo {
                thread: Arc::clone(&self.session.thread),
                ns: Arc::clone(&self.ns),
                node: info.name.to_string(),
                key,
                id: self.machine.task_path(id),
                attempt: number,
                step: self.machine.step(),
            };
            let topology = Arc::clone(&self.runtime.topology);
            let declared = move |key: &str| topology.node(node).asked(key).map(|ask| Arc::clone(&ask.check));
            Arc::new(TaskCell::new(task, Arc::clone(&self.session), Arc::clone(&self.onces), declared))
        });
        let context = cell.as_ref().map(|cell| {
            let services: Arc<dyn TaskServices> = Arc::clone(cell) as Arc<dyn TaskServices>;
            Context::new(services, Arc::clone(&self.runtime.resources))
        });
        attempt(move || handler.call(input, Snapshot::new(state), context), info.timeout, cell)
    }

    // ===== wait =====

    async fn wait(&mut self, until: Option<u64>) -> Result<(), RunError> {
        let pause = until.map(|until| Duration::from_millis(until.saturating_sub(self.session.clock.now())));
        let session = Arc::clone(&self.session);
        let draining = session.control.reason().is_some();
        let stop =
            async { if draining { session.control.cancelled().await } else { session.control.stopping().await } };
        let mut ended = Ended::new();
        tokio::select! {
            biased;
            Some(joined) = self.running.join_next(), if !self.running.is_empty() => ended.extend(joined.ok()),
            () = stop => return Ok(()),
            () = tokio::time::sleep(pause.unwrap_or_default()), if pause.is_some() => return Ok(()),
            else => return Err(RunError::Internal("nothing to wait for".to_owned())),
        }
        while let Some(joined) = self.running.try_join_next() {
            ended.extend(joined.ok());
        }
        self.settle(ended).await
    }

    /// Stops what is in flight; what had finished is kept.
    async fn abort(&mut self) -> Result<(), RunError> {
        if self.flying.is_empty() {
            return Ok(());
        }
        self.running.abort_all();
        let mut ended = Ended::new();
        while let Some(joined) = self.running.join_next().await {
            ended.extend(joined.ok());
        }
        let finished: BTreeSet<_> = ended.iter().map(|(id, _)| *id).collect();
        let stopped = self.flying.keys().filter(|id| !finished.contains(id));
        ended.extend(stopped.map(|id| (*id, TaskOutcome::Abandoned(Stop::Cancelled))));
        self.turns.clear();
        self.settle(ended).await
    }

    // ===== complete =====

    async fn settle(&mut self, ended: Ended<S>) -> Result<(), RunError> {
        let mut writes = Vec::new();
        let mut events = Vec::new();
        let mut queue: VecDeque<_> = ended.into_iter().collect();
        while let Some((id, outcome)) = queue.pop_front() {
            let Some(outcome) = self.take_turn(id, outcome) else { continue };
            let attempt = self.flying.remove(&id).unwrap_or(1);
            let wide = self.machine.in_wide_step();
            match self.complete(id, attempt, outcome, &mut writes, &mut events) {
                Completion::Commit => {
                    if self.machine.in_barrier() {
                        writes.retain(|record: &TaskRecord| record.kind == TaskRecordKind::Attempt);
                    }
                    self.commit(id).await?;
                }
                Completion::Hold if wide => writes.extend(self.write_record(id)),
                Completion::Suspended => writes.extend(self.write_record(id)),
                Completion::Hold | Completion::Retry { .. } | Completion::Failed | Completion::Ready => {}
            }
            self.next_turn(&mut queue);
        }
        if self.session.attached.is_some() && !(writes.is_empty() && events.is_empty()) {
            let commit = Commit { ns: Arc::clone(&self.ns), tasks: writes, ..Commit::default() };
            self.write(commit, events).await
        } else {
            for event in events {
                self.session.tell(event).await;
            }
            Ok(())
        }
    }

    fn complete(
        &mut self,
        id: TaskId,
        attempt: u32,
        outcome: TaskOutcome<S>,
        writes: &mut Vec<TaskRecord>,
        events: &mut Vec<Event>,
    ) -> Completion {
        let quiet = self.session.attached.is_none() && !self.session.is_watched();
        let plain = matches!(outcome, TaskOutcome::Step { .. });
        let now = if plain { 0 } else { self.session.clock.now() };
        let path = (!plain).then(|| self.machine.task_path(id));
        let (error, swallowed) = match &outcome {
            TaskOutcome::Error(error) => (Some(error.to_string()), false),
            TaskOutcome::Suspended { swallowed, .. } => (None, *swallowed),
            _ => (None, false),
        };
        let completion = self.machine.complete(id, outcome, now);
        let (Some(path), false) = (path, quiet) else { return completion };
        let node = path.rsplit('/').next().and_then(|last| last.split(':').next()).unwrap_or_default().to_owned();
        let mut tell =
            |kind| events.push(self.session.event(&self.ns, self.machine.step(), Some((&path, attempt)), kind));
        match &completion {
            Completion::Retry { at, failed } => {
                tell(EventKind::TaskRetry { node, error: error.unwrap_or_default(), delay: at.saturating_sub(now) });
                writes.extend(codec::encode("attempt", failed).ok().map(|payload| TaskRecord {
                    task: Arc::clone(&path),
                    kind: TaskRecordKind::Attempt,
                    key: "".into(),
                    payload: payload.into(),
                }));
            }
            Completion::Failed => tell(EventKind::TaskFailed { node, error: error.unwrap_or_default() }),
            Completion::Suspended => {
                if swallowed {
                    let message = format!(
                        "node `{node}` asked a question and did not pass the suspension on with `?`; its result is discarded"
                    );
                    tell(EventKind::Warning { message });
                }
                for question in self.machine.questions().into_iter().filter(|question| question.task == *path) {
                    tell(EventKind::Question { id: question.id, key: question.key, payload: question.payload });
                }
            }
            _ => {}
        }
        completion
    }

    /// Keeps a finished task for its recorded turn.
    fn take_turn(&mut self, id: TaskId, outcome: TaskOutcome<S>) -> Option<TaskOutcome<S>> {
        if self.turns.is_empty() || !matches!(outcome, TaskOutcome::Step { .. }) {
            return Some(outcome);
        }
        let path = self.machine.task_path(id).to_string();
        if self.turns.front() == Some(&path) {
            self.turns.pop_front();
            return Some(outcome);
        }
        if !self.turns.contains(&path) {
            return Some(outcome);
        }
        self.held.insert(path, (id, outcome));
        None
    }

    /// Takes up a held task whose turn has come, or the first one when the recorded task cannot come.
    fn next_turn(&mut self, queue: &mut VecDeque<(TaskId, TaskOutcome<S>)>) {
        if self.held.is_empty() {
            return;
        }
        if let Some(held) = self.turns.front().and_then(|path| self.held.remove(path)) {
            queue.push_back(held);
        } else if queue.is_empty() && self.machine.in_flight() == self.held.len() && self.machine.is_halted() {
            self.turns.clear();
            queue.extend(std::mem::take(&mut self.held).into_values());
        }
    }

    fn write_record(&self, id: TaskId) -> Option<TaskRecord> {
        self.session.attached.as_ref()?;
        let row = self.machine.write_row(id)?;
        let payload = codec::encode("write", &row).ok()?.into();
        Some(TaskRecord { task: self.machine.task_path(id), kind: TaskRecordKind::Write, key: "".into(), payload })
    }

    // ===== commit =====

    async fn commit(&mut self, id: TaskId) -> Result<(), RunError> {
        let paths = if self.machine.in_barrier() { self.machine.step_paths() } else { Vec::new() };
        let now = self.now();
        let committed = self.machine.commit(id, now);
        if let Err(Fault::Run(_)) = &committed
            && self.session.attached.is_some()
        {
            // What the tasks wrote does not fit together: they run again when the run is continued.
            self.machine.halt(Stop::Failed);
            let commit = Commit { ns: Arc::clone(&self.ns), settled: paths, ..Commit::default() };
            self.write(commit, Vec::new()).await?;
        }
        self.publish(committed).await
    }

    async fn publish(&mut self, committed: Result<Committed<S>, Fault>) -> Result<(), RunError> {
        let committed = match committed {
            Ok(committed) => committed,
            Err(Fault::Run(error)) => return Err(error),
            Err(Fault::Task) => {
                if let Some((id, node, _, error)) = self.machine.failure() {
                    let (node, error) = (node.to_owned(), error.to_string());
                    let path = self.machine.task_path(id);
                    let event = self.session.event(
                        &self.ns,
                        self.machine.step(),
                        Some((&path, 1)),
                        EventKind::TaskFailed { node, error },
                    );
                    self.write(Commit { ns: Arc::clone(&self.ns), ..Commit::default() }, vec![event]).await?;
                }
                return Ok(());
            }
        };
        if !self.machine.observed {
            return Ok(());
        }
        let mut events = self.events_of(&committed);
        let mut commit = Commit { ns: Arc::clone(&self.ns), ..Commit::default() };
        for task in &committed.tasks {
            self.onces.settle(&task.path);
        }
        if let Some(stored) = committed.stored {
            commit.expected_head = stored.expected_head;
            commit.checkpoint = Some(stored.row);
            commit.fields = stored.fields;
            commit.settled = stored.settled;
        }
        if self.is_root && self.machine.is_idle() {
            self.end(&mut commit, &mut events, ThreadStatus::Done, "");
        }
        self.write(commit, events).await
    }

    fn events_of(&self, committed: &Committed<S>) -> Vec<Event> {
        let watched = self.session.is_watched();
        let event = |kind| self.session.event(&self.ns, committed.step, None, kind);
        let mut events = Vec::new();
        if watched {
            for task in &committed.tasks {
                if let Some(update) = &task.update {
                    let kind = EventKind::Update { node: task.node.clone(), payload: Payload::new(update.clone()) };
                    events.push(self.session.event(&self.ns, committed.step, Some((&task.path, 1)), kind));
                }
            }
            for send in &committed.coalesced {
                let node = self.runtime.topology.node(send.node).name.to_string();
                events.push(event(EventKind::SendCoalesced { node, key: send.key.to_string() }));
            }
        }
        events.push(event(EventKind::Committed {
            checkpoint: committed.number,
            tasks: committed.tasks.iter().map(|task| Arc::clone(&task.path)).collect(),
            changed: committed.changed.clone(),
            next: committed.next.clone(),
        }));
        if watched {
            events.push(event(EventKind::Values { payload: Payload::shared(Arc::clone(&self.machine.state)) }));
        }
        events
    }

    fn end(&mut self, commit: &mut Commit, events: &mut Vec<Event>, status: ThreadStatus, detail: &str) {
        self.ended = true;
        for (target, missing) in self.machine.starved_joins() {
            let message = format!("the join into `{target}` never filled: {missing} did not finish in this run");
            events.push(self.session.event(&self.ns, self.machine.step(), None, EventKind::Warning { message }));
        }
        let kind = EventKind::RunEnded { status, detail: detail.to_owned() };
        events.push(self.session.event(&self.ns, self.machine.step(), None, kind));
        commit.thread = self.session.ending(status, detail);
        commit.release = true;
    }

    /// Writes the commit that ends the run of a root, unless the last checkpoint did.
    pub(crate) async fn close(&mut self, status: ThreadStatus, detail: &str) -> Result<(), RunError> {
        if !self.ended && (self.session.attached.is_some() || self.session.is_watched()) {
            let mut commit = Commit { ns: Arc::clone(&self.ns), ..Commit::default() };
            let mut events = Vec::new();
            self.end(&mut commit, &mut events, status, detail);
            self.write(commit, events).await?;
        }
        Ok(self.session.flush().await?)
    }

    /// Commits a change that no task made, and gives the lease back.
    pub(crate) async fn edit(
        &mut self,
        change: impl FnOnce(&mut Machine<S>, u64) -> Result<(Committed<S>, Vec<TaskRecord>), Fault>,
    ) -> Result<(), RunError> {
        let now = self.now();
        let (committed, tasks) = change(&mut self.machine, now).map_err(|fault| match fault {
            Fault::Run(error) => error,
            Fault::Task => RunError::Internal("an edit failed a task".to_owned()),
        })?;
        let events = self.events_of(&committed);
        let mut commit = Commit { ns: Arc::clone(&self.ns), tasks, release: true, ..Commit::default() };
        if let Some(stored) = committed.stored {
            commit.expected_head = stored.expected_head;
            commit.checkpoint = Some(stored.row);
            commit.fields = stored.fields;
        }
        let (status, detail) =
            if self.machine.is_idle() { (ThreadStatus::Done, "") } else { (ThreadStatus::Drained, "edited") };
        commit.thread = self.session.ending(status, detail);
        self.session.commit(commit, events).await?;
        Ok(self.session.flush().await?)
    }

    async fn write(&mut self, mut commit: Commit, mut events: Vec<Event>) -> Result<(), RunError> {
        if let Some((row, kind)) = self.opening.take() {
            commit.thread.get_or_insert(row);
            events.insert(0, self.session.event(&self.ns, self.machine.step(), None, kind));
        }
        Ok(self.session.commit(commit, events).await?)
    }

    async fn tell(&self, task: Option<(TaskId, u32)>, kind: EventKind) {
        let path = task.map(|(id, attempt)| (self.machine.task_path(id), attempt));
        let task = path.as_ref().map(|(path, attempt)| (path, *attempt));
        self.session.tell(self.session.event(&self.ns, self.machine.step(), task, kind)).await;
    }

    fn now(&self) -> u64 {
        if self.machine.observed { self.session.clock.now() } else { 0 }
    }
}

/// Runs a future until it is ready or the run is cancelled. A future that is ready at once costs no registration.
async fn or_cancelled<T>(future: impl Future<Output = T>, control: &Control) -> Option<T> {
    tokio::pin!(future);
    if let std::task::Poll::Ready(value) = futures::poll!(&mut future) {
        return Some(value);
    }
    tokio::select! {
        biased;
        value = &mut future => Some(value),
        () = control.cancelled() => None,
    }
}

impl<S: State, Cx> Runtime<S, Cx> {
    pub(crate) fn new(app: &App<S, Cx>) -> Self {
        Self::of(&app.graph, Arc::clone(&app.resources))
    }

    pub(crate) fn of(graph: &Compiled<S, Cx>, resources: Arc<Cx>) -> Self {
        Self { topology: Arc::clone(&graph.topology), handlers: Arc::clone(&graph.handlers), resources }
    }
}

impl<S: State, Cx> Clone for Runtime<S, Cx> {
    fn clone(&self) -> Self {
        Self {
            topology: Arc::clone(&self.topology),
            handlers: Arc::clone(&self.handlers),
            resources: Arc::clone(&self.resources),
        }
    }
}

impl<S: State, Cx> fmt::Debug for Driver<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").field("ns", &self.ns).finish_non_exhaustive()
    }
}
