//! The services of one attempt of a task, behind its `Context`: durable steps, questions, events, signs of life.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use compact_str::CompactString;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::context::{Scope, StopReason, TaskInfo, TaskServices};
use crate::error::{ErrorKind, NodeError};
use crate::event::{EventKind, Payload};
use crate::executor::spans::TaskSpans;
use crate::lock::lock;
use crate::machine::TaskOutcome;
use crate::name::Name;
use crate::recorder::durable_steps::DurableSteps;
use crate::recorder::session::Session;
use crate::state::State;
use crate::step::Step;
use crate::store::Store;
use crate::tasks::{Question, Standing, Stop, TaskId};
use crate::timeout::Timeout;
use crate::topology::{NodeInfo, Outline, Persistence};

/// What all tasks of a namespace share.
pub(crate) struct NamespaceContext {
    pub(crate) session: Arc<Session>,
    pub(crate) ns: Arc<str>,
    /// What the ids of the tasks begin with.
    pub(crate) base: Arc<str>,
    pub(crate) durable_steps: DurableSteps,
    /// Finds the checks of declared questions.
    pub(crate) outline: Arc<Outline>,
    /// The super-step of the namespace at which the run's limit of super-steps stops it.
    pub(crate) last_step: Option<u64>,
    pub(crate) spans: TaskSpans,
}

impl NamespaceContext {
    /// Returns what the tasks of a subgraph call with its own state share, in a run without limits.
    pub(crate) fn for_call(session: &Arc<Session>, call: &Arc<str>, outline: &Arc<Outline>) -> Self {
        Self {
            session: Arc::clone(session),
            ns: Arc::clone(call),
            base: Arc::clone(call),
            durable_steps: DurableSteps::default(),
            outline: Arc::clone(outline),
            last_step: None,
            spans: TaskSpans::here(),
        }
    }
}

/// Which attempt of which task.
pub(crate) struct TaskIdentity {
    pub(crate) id: TaskId,
    pub(crate) key: Option<CompactString>,
    /// Counts from 1.
    pub(crate) attempt: u32,
    /// Whether this run made the task, so that no earlier run has begun it.
    pub(crate) is_of_run: bool,
    /// Super-steps committed when it was dispatched.
    pub(crate) step: u64,
    /// When the first attempt began, in milliseconds since 1970; 0 for a node that is tried once.
    pub(crate) began: u64,
}

/// The services of one attempt.
pub(crate) struct TaskContext {
    namespace: Arc<NamespaceContext>,
    task: TaskIdentity,
    node: Name,
    /// What is kept of the subgraph in the node.
    persistence: Persistence,
    /// The task's id in the thread. Made when somebody asks, as `info`: most nodes never do.
    path: OnceLock<Arc<str>>,
    info: OnceLock<Box<TaskInfo>>,
    /// Tasks that its subgraph has executed.
    cost: AtomicU64,
    /// Made for the first report: most nodes report nothing.
    reported: OnceLock<Box<Mutex<Reported>>>,
    timeout: Timeout,
    /// For a node with an idle limit, when the attempt began.
    started: Option<Instant>,
    /// Milliseconds since `started` of the last sign of life.
    alive: AtomicU64,
}

/// What a node has reported through its context.
#[derive(Debug, Default)]
struct Reported {
    /// Keys of durable steps.
    begun: BTreeSet<String>,
    questions: Vec<Question>,
    /// Its subgraph stopped together with the run.
    stopped: Option<Stop>,
    standing: Option<Standing>,
}

impl TaskContext {
    /// Returns the services of a task of `node`. Under an idle limit they measure how long the node gives no sign of life.
    #[inline]
    pub(crate) fn new(
        namespace: &Arc<NamespaceContext>,
        node: &NodeInfo,
        task: TaskIdentity,
        timeout: Timeout,
    ) -> Self {
        Self {
            namespace: Arc::clone(namespace),
            task,
            node: node.name.clone(),
            persistence: node.persistence,
            path: OnceLock::new(),
            info: OnceLock::new(),
            cost: AtomicU64::new(0),
            reported: OnceLock::new(),
            timeout,
            started: timeout.idle.map(|_| Instant::now()),
            alive: AtomicU64::new(0),
        }
    }

    /// Moves the services to the heap, into the allocation of an earlier task's services unless that task's node still
    /// holds them.
    #[inline]
    pub(crate) fn shared(self, before: Option<Arc<Self>>) -> Arc<Self> {
        let Some(mut before) = before else { return Arc::new(self) };
        match Arc::get_mut(&mut before) {
            Some(place) => *place = self,
            None => return Arc::new(self),
        }
        before
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.namespace.session
    }

    /// What is kept of the subgraph in the node.
    pub(crate) fn persistence(&self) -> Persistence {
        self.persistence
    }

    /// Whether the task is in a subgraph.
    pub(crate) fn is_deep(&self) -> bool {
        !self.namespace.base.is_empty()
    }

    pub(crate) fn is_retried(&self) -> bool {
        self.task.attempt > 1
    }

    /// Whether the task may have begun before, in this run or in an earlier one.
    pub(crate) fn may_have_begun(&self) -> bool {
        self.is_retried() || !self.task.is_of_run
    }

    /// How long the node has given no sign of life.
    pub(crate) fn idle(&self) -> Duration {
        let alive = Duration::from_millis(self.alive.load(Ordering::Relaxed));
        self.started.map_or(Duration::ZERO, |started| started.elapsed().saturating_sub(alive))
    }

    /// The task's id in the thread.
    pub(crate) fn path(&self) -> &Arc<str> {
        self.path.get_or_init(|| self.task.id.path(&self.namespace.base, self.node.as_str()))
    }

    async fn tell(&self, kind: EventKind) {
        let task = Some((self.path(), self.task.attempt));
        self.namespace.session.tell(self.namespace.session.event(&self.namespace.ns, self.task.step, task, kind)).await;
    }

    fn reported(&self) -> MutexGuard<'_, Reported> {
        lock(self.reported.get_or_init(Box::default))
    }

    /// Whether the node has reported nothing that changes how the attempt ended.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        let says_nothing = |reported: &Mutex<Reported>| {
            let reported = lock(reported);
            reported.questions.is_empty() && reported.stopped.is_none() && reported.standing.is_none()
        };
        self.cost.load(Ordering::Relaxed) == 0 && self.reported.get().is_none_or(|reported| says_nothing(reported))
    }

    /// Returns how the attempt ended: its result, seen together with what the node has reported.
    pub(crate) fn judge<S: State>(&self, result: Result<Step<S>, NodeError>) -> TaskOutcome {
        let cost = self.cost.load(Ordering::Relaxed);
        let standing = match self.reported.get() {
            Some(reported) => {
                let mut reported = lock(reported);
                if let Some(reason) = reported.stopped {
                    return TaskOutcome::Abandoned(reason);
                }
                if !reported.questions.is_empty() {
                    let swallowed = result.as_ref().map_or_else(|error| error.kind != ErrorKind::Suspended, |_| true);
                    return TaskOutcome::Suspended { questions: std::mem::take(&mut reported.questions), swallowed };
                }
                reported.standing.take_if(|_| result.is_ok())
            }
            None => None,
        };
        match (result, standing) {
            (Ok(step), Some(standing)) => {
                self.namespace.session.calls.finish(self.path(), &standing);
                TaskOutcome::called(step, cost, standing.heads)
            }
            (Ok(step), None) => TaskOutcome::done(step, cost),
            (Err(error), _) => TaskOutcome::Error(error),
        }
    }
}

impl TaskServices for TaskContext {
    fn task(&self) -> &TaskInfo {
        self.info.get_or_init(|| {
            Box::new(TaskInfo {
                thread: Arc::clone(&self.namespace.session.thread),
                ns: Arc::clone(&self.namespace.ns),
                node: self.node.to_string(),
                key: self.task.key.as_deref().map(Arc::from),
                id: Arc::clone(self.path()),
                attempt: self.task.attempt,
                step: self.task.step,
            })
        })
    }

    fn recorded(&self, key: &str) -> Option<Arc<[u8]>> {
        self.namespace.durable_steps.get(self.path(), key)
    }

    fn answered(&self, key: &str) -> Option<Arc<[u8]>> {
        self.namespace.session.answers.get(&(Arc::clone(self.path()), Arc::from(key))).map(Arc::clone)
    }

    fn answers(&self) -> Vec<(Arc<str>, Arc<[u8]>)> {
        let from = (Arc::clone(self.path()), Arc::from(""));
        let answers = self.namespace.session.answers.range(from..).take_while(|((task, _), _)| task == self.path());
        answers.map(|((_, key), value)| (Arc::clone(key), Arc::clone(value))).collect()
    }

    fn durable_steps(&self) -> Vec<(Arc<str>, Arc<[u8]>)> {
        self.namespace.durable_steps.of_task(self.path())
    }

    fn timeout(&self) -> Timeout {
        self.timeout
    }

    fn begin(&self, key: &str) -> bool {
        self.reported().begun.insert(key.to_owned())
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
            let schedule = self.namespace.session.schedule.as_deref();
            if let Some(schedule) = schedule {
                schedule.once_ran(&task, &key);
            }
            self.namespace.session.record(&self.namespace.ns, record).await.map_err(NodeError::terminal)?;
            if let Some(schedule) = schedule.filter(|_| self.namespace.session.attached.is_some()) {
                schedule.once_stored(&task, &key);
            }
            self.namespace.durable_steps.insert(task, key, payload);
            Ok(())
        })
    }

    fn question(&self, key: &str, payload: Value) -> Result<(), NodeError> {
        let node = self.node.to_string();
        let path = vec![node];
        let Some(check) = self.namespace.outline.check(&path, key) else {
            return Err(NodeError::undeclared_question(self.node.as_str(), key));
        };
        let question = Question {
            id: format!("{}?{key}", self.path()),
            key: key.to_owned(),
            path,
            task: self.path().to_string(),
            payload,
            check: crate::tasks::question_check(check),
        };
        let questions = &mut self.reported().questions;
        if questions.iter().all(|other| other.id != question.id) {
            questions.push(question);
        }
        Ok(())
    }

    fn emit<'a>(&'a self, name: &'a str, payload: Payload) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.heartbeat();
            if self.namespace.session.is_watched() {
                self.tell(EventKind::Custom { name: name.to_owned(), payload }).await;
            }
        })
    }

    fn found_cached(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.namespace.session.is_watched() {
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
        Box::pin(self.namespace.session.control.stopping())
    }

    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.namespace.session.memory.as_ref()
    }

    fn now(&self) -> u64 {
        self.namespace.session.clock.now()
    }

    fn remaining_steps(&self) -> Option<u64> {
        self.namespace.last_step.map(|end| end.saturating_sub(self.task.step + 1))
    }

    fn remaining_tasks(&self) -> Option<u64> {
        self.namespace.session.room()
    }

    fn first_attempt(&self) -> Option<u64> {
        (self.task.began > 0).then_some(self.task.began)
    }

    fn scope(&self) -> Option<Scope<'_>> {
        Some(Scope(self))
    }

    fn adopt_questions(&self, mut questions: Vec<Question>) {
        questions.iter_mut().for_each(|question| question.path.insert(0, self.node.to_string()));
        self.reported().questions.extend(questions);
    }

    fn adopt_stop(&self, reason: StopReason) {
        self.reported().stopped = Some(reason.0);
    }

    fn adopt_cost(&self, tasks: u64) {
        self.cost.store(tasks, Ordering::Relaxed);
    }

    fn adopt_standing(&self, standing: Standing) {
        self.reported().standing = Some(standing);
    }
}

impl fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskContext").field("task", self.task()).finish_non_exhaustive()
    }
}
