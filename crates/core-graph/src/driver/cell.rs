//! What one attempt is served with: durable steps, questions, events, signs of life.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use compact_str::CompactString;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::context::{StopReason, TaskInfo, TaskServices};
use crate::driver::calls::Standing;
use crate::driver::child::Scope;
use crate::driver::onces::Onces;
use crate::driver::session::Session;
use crate::error::{ErrorKind, NodeError};
use crate::event::{EventKind, Payload};
use crate::graph::{Declarations, NodeInfo, Persistence, Topology};
use crate::machine::{Question, Stop, TaskId, TaskOutcome};
use crate::name::Name;
use crate::state::State;
use crate::step::Step;
use crate::store::Store;

/// What all tasks of a namespace share.
pub(crate) struct Home {
    pub(crate) session: Arc<Session>,
    pub(crate) ns: Arc<str>,
    /// What the ids of the tasks begin with.
    pub(crate) base: Arc<str>,
    pub(crate) onces: Onces,
    /// Finds the checks of declared questions.
    pub(crate) declarations: Arc<dyn Declarations>,
    /// The super-step of the namespace at which the run's limit of super-steps stops it.
    pub(crate) last_step: Option<u64>,
}

impl Home {
    /// The home of a call of a subgraph with its own state, in a run without limits.
    pub(super) fn of_call<S: State>(session: &Arc<Session>, call: &Arc<str>, topology: &Arc<Topology<S>>) -> Self {
        Self {
            session: Arc::clone(session),
            ns: Arc::clone(call),
            base: Arc::clone(call),
            onces: Onces::default(),
            declarations: Arc::clone(topology) as Arc<dyn Declarations>,
            last_step: None,
        }
    }
}

/// The services of one attempt.
pub(crate) struct TaskCell {
    home: Arc<Home>,
    id: TaskId,
    node: Name,
    /// What is kept of the subgraph in the node.
    persistence: Persistence,
    key: Option<CompactString>,
    attempt: u32,
    /// Whether no run before may have begun it.
    is_of_run: bool,
    step: u64,
    /// When the first attempt began, in milliseconds since 1970; 0 for a node that is tried once.
    began: u64,
    /// The task's id in the thread. Made when somebody asks, as `info`: most nodes never do.
    path: OnceLock<Arc<str>>,
    info: OnceLock<Box<TaskInfo>>,
    /// Tasks that its subgraph has executed.
    cost: AtomicU64,
    /// Made for the first word: most nodes say nothing.
    said: OnceLock<Box<Mutex<Said>>>,
    /// For a node with an idle limit.
    started: Option<Instant>,
    /// Milliseconds since `started` of the last sign of life.
    alive: AtomicU64,
}

/// What a node said to its context.
#[derive(Debug, Default)]
struct Said {
    /// Keys of durable steps.
    begun: BTreeSet<String>,
    questions: Vec<Question>,
    /// Its subgraph stopped together with the run.
    stopped: Option<Stop>,
    standing: Option<Standing>,
}

impl TaskCell {
    pub(crate) fn new<S: State>(
        home: &Arc<Home>,
        id: TaskId,
        node: &NodeInfo<S>,
        key: Option<CompactString>,
        attempt: u32,
        step: u64,
        began: u64,
    ) -> Self {
        Self {
            home: Arc::clone(home),
            id,
            node: node.name.clone(),
            persistence: node.persistence,
            key,
            attempt,
            is_of_run: false,
            step,
            began,
            path: OnceLock::new(),
            info: OnceLock::new(),
            cost: AtomicU64::new(0),
            said: OnceLock::new(),
            started: None,
            alive: AtomicU64::new(0),
        }
    }

    /// Of a task that has come into being in this run, if so.
    pub(crate) fn of_run(mut self, is_of_run: bool) -> Self {
        self.is_of_run = is_of_run;
        self
    }

    /// Measures how long the node gives no sign of life, from now.
    pub(crate) fn watch_idle(mut self) -> Self {
        self.started = Some(Instant::now());
        self
    }

    /// On the heap, in the place of the cell of a task before, unless its node still holds that.
    pub(super) fn shared(self, before: Option<Arc<Self>>) -> Arc<Self> {
        let Some(mut before) = before else { return Arc::new(self) };
        match Arc::get_mut(&mut before) {
            Some(place) => *place = self,
            None => return Arc::new(self),
        }
        before
    }

    pub(super) fn session(&self) -> &Arc<Session> {
        &self.home.session
    }

    /// What is kept of the subgraph in the node.
    pub(super) fn persistence(&self) -> Persistence {
        self.persistence
    }

    /// Whether the task is in a subgraph.
    pub(super) fn is_deep(&self) -> bool {
        !self.home.base.is_empty()
    }

    pub(super) fn is_retried(&self) -> bool {
        self.attempt > 1
    }

    /// Whether the task has begun before, in this run or in one before, as far as can be told.
    pub(super) fn may_have_begun(&self) -> bool {
        self.is_retried() || !self.is_of_run
    }

    /// How long the node has given no sign of life.
    pub(crate) fn idle(&self) -> Duration {
        let alive = Duration::from_millis(self.alive.load(Ordering::Relaxed));
        self.started.map_or(Duration::ZERO, |started| started.elapsed().saturating_sub(alive))
    }

    /// The task's id in the thread.
    pub(super) fn path(&self) -> &Arc<str> {
        self.path.get_or_init(|| self.id.path(&self.home.base, self.node.as_str()))
    }

    async fn tell(&self, kind: EventKind) {
        let task = Some((self.path(), self.attempt));
        self.home.session.tell(self.home.session.event(&self.home.ns, self.step, task, kind)).await;
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        lock(self.said.get_or_init(Box::default))
    }

    /// Whether the node told its context nothing that matters for how the attempt ended.
    pub(crate) fn is_silent(&self) -> bool {
        let says_nothing = |said: &Mutex<Said>| {
            let said = lock(said);
            said.questions.is_empty() && said.stopped.is_none() && said.standing.is_none()
        };
        self.cost.load(Ordering::Relaxed) == 0 && self.said.get().is_none_or(|said| says_nothing(said))
    }

    /// How the attempt ended, seen together with what the node said.
    pub(crate) fn judge<S: State>(&self, result: Result<Step<S>, NodeError>) -> TaskOutcome<S> {
        let cost = self.cost.load(Ordering::Relaxed);
        let standing = match self.said.get() {
            Some(said) => {
                let mut said = lock(said);
                if let Some(reason) = said.stopped {
                    return TaskOutcome::Abandoned(reason);
                }
                if !said.questions.is_empty() {
                    let swallowed = result.as_ref().map_or_else(|error| error.kind != ErrorKind::Suspended, |_| true);
                    return TaskOutcome::Suspended { questions: std::mem::take(&mut said.questions), swallowed };
                }
                said.standing.take_if(|_| result.is_ok())
            }
            None => None,
        };
        match (result, standing) {
            (Ok(step), Some(standing)) => {
                self.home.session.calls.finish(self.path(), &standing);
                TaskOutcome::called(step, cost, standing.heads)
            }
            (Ok(step), None) => TaskOutcome::done(step, cost),
            (Err(error), _) => TaskOutcome::Error(error),
        }
    }
}

fn lock(said: &Mutex<Said>) -> MutexGuard<'_, Said> {
    said.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TaskServices for TaskCell {
    fn task(&self) -> &TaskInfo {
        self.info.get_or_init(|| {
            Box::new(TaskInfo {
                thread: Arc::clone(&self.home.session.thread),
                ns: Arc::clone(&self.home.ns),
                node: self.node.to_string(),
                key: self.key.as_deref().map(Arc::from),
                id: Arc::clone(self.path()),
                attempt: self.attempt,
                step: self.step,
            })
        })
    }

    fn recorded(&self, key: &str) -> Option<Arc<[u8]>> {
        self.home.onces.get(self.path(), key)
    }

    fn answered(&self, key: &str) -> Option<Arc<[u8]>> {
        self.home.session.answers.get(&(Arc::clone(self.path()), Arc::from(key))).map(Arc::clone)
    }

    fn begin(&self, key: &str) -> bool {
        self.said().begun.insert(key.to_owned())
    }

    fn record<'a>(&'a self, key: &'a str, value: Vec<u8>) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            self.heartbeat();
            let (task, key, payload) = (Arc::clone(self.path()), Arc::<str>::from(key), Arc::<[u8]>::from(value));
            let record = TaskRecord {
                task: Arc::clone(&task),
                kind: TaskRecordKind::Once,
                key: Arc::clone(&key),
                payload: Arc::clone(&payload),
            };
            let schedule = self.home.session.schedule.as_deref();
            if let Some(schedule) = schedule {
                schedule.once_ran(&task, &key);
            }
            self.home.session.record(&self.home.ns, record).await.map_err(NodeError::terminal)?;
            if let Some(schedule) = schedule.filter(|_| self.home.session.attached.is_some()) {
                schedule.once_stored(&task, &key);
            }
            self.home.onces.insert(task, key, payload);
            Ok(())
        })
    }

    fn question(&self, key: &str, payload: Value) -> Result<(), NodeError> {
        let node = self.node.to_string();
        let path = vec![node];
        let Some(check) = self.home.declarations.check(&path, key) else {
            let message = format!(
                "node `{}` asks `{key}`, which it does not declare; add `.asks::<Answer>(\"{key}\")` to the node",
                self.node
            );
            return Err(NodeError::terminal(message));
        };
        let question = Question {
            id: format!("{}?{key}", self.path()),
            key: key.to_owned(),
            path,
            task: self.path().to_string(),
            payload,
            check: crate::machine::question_check(check),
        };
        let questions = &mut self.said().questions;
        if questions.iter().all(|other| other.id != question.id) {
            questions.push(question);
        }
        Ok(())
    }

    fn emit<'a>(&'a self, name: &'a str, payload: Payload) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.heartbeat();
            if self.home.session.is_watched() {
                self.tell(EventKind::Custom { name: name.to_owned(), payload }).await;
            }
        })
    }

    fn found_cached(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.home.session.is_watched() {
                self.tell(EventKind::TaskCached { node: self.node.to_string() }).await;
            }
        })
    }

    fn heartbeat(&self) {
        if let Some(started) = self.started {
            let elapsed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.alive.store(elapsed, Ordering::Relaxed);
        }
    }

    fn stopping(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.home.session.control.stopping())
    }

    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.home.session.memory.as_ref()
    }

    fn now(&self) -> u64 {
        self.home.session.clock.now()
    }

    fn remaining_steps(&self) -> Option<u64> {
        self.home.last_step.map(|end| end.saturating_sub(self.step + 1))
    }

    fn remaining_tasks(&self) -> Option<u64> {
        self.home.session.room()
    }

    fn first_attempt(&self) -> Option<u64> {
        (self.began > 0).then_some(self.began)
    }

    fn scope(&self) -> Option<Scope<'_>> {
        Some(Scope::of(self))
    }

    fn adopt_questions(&self, mut questions: Vec<Question>) {
        questions.iter_mut().for_each(|question| question.path.insert(0, self.node.to_string()));
        self.said().questions.extend(questions);
    }

    fn adopt_stop(&self, reason: StopReason) {
        self.said().stopped = Some(reason.0);
    }

    fn adopt_cost(&self, tasks: u64) {
        self.cost.store(tasks, Ordering::Relaxed);
    }

    fn adopt_standing(&self, standing: Standing) {
        self.said().standing = Some(standing);
    }
}

impl fmt::Debug for TaskCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskCell").field("task", self.task()).finish_non_exhaustive()
    }
}
