//! One attempt of one task: context services, panic guard, time limits.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::context::{StopReason, TaskInfo, TaskServices};
use crate::driver::child::Scope;
use crate::driver::session::Session;
use crate::error::{ErrorKind, NodeError};
use crate::event::{EventKind, Payload};
use crate::graph::{AnswerCheck, Timeout};
use crate::machine::{Done, Question, Stop, TaskOutcome};
use crate::state::State;
use crate::step::Step;
use crate::store::Store;

/// Results of durable steps in a namespace, by task and key.
#[derive(Debug, Default)]
pub(crate) struct Onces(Mutex<HashMap<Arc<str>, BTreeMap<Arc<str>, Arc<[u8]>>>>);

impl Onces {
    pub(crate) fn insert(&self, task: Arc<str>, key: Arc<str>, value: Arc<[u8]>) {
        lock(&self.0).entry(task).or_default().insert(key, value);
    }

    fn get(&self, task: &str, key: &str) -> Option<Arc<[u8]>> {
        lock(&self.0).get(task)?.get(key).map(Arc::clone)
    }

    /// Forgets a task that has committed.
    pub(crate) fn settle(&self, task: &str) {
        lock(&self.0).remove(task);
    }
}

/// The services of one attempt.
pub(crate) struct TaskCell {
    info: TaskInfo,
    session: Arc<Session>,
    onces: Arc<Onces>,
    /// Finds the check of a declared question.
    declared: Box<dyn Fn(&str) -> Option<AnswerCheck> + Send + Sync>,
    begun: Mutex<BTreeSet<String>>,
    questions: Mutex<Vec<Question>>,
    stopped: Mutex<Option<Stop>>,
    cost: AtomicU64,
    started: Instant,
    /// Milliseconds since `started` of the last sign of life.
    alive: AtomicU64,
}

impl TaskCell {
    pub(crate) fn new(
        info: TaskInfo,
        session: Arc<Session>,
        onces: Arc<Onces>,
        declared: impl Fn(&str) -> Option<AnswerCheck> + Send + Sync + 'static,
    ) -> Self {
        Self {
            info,
            session,
            onces,
            declared: Box::new(declared),
            begun: Mutex::default(),
            questions: Mutex::default(),
            stopped: Mutex::default(),
            cost: AtomicU64::new(0),
            started: Instant::now(),
            alive: AtomicU64::new(0),
        }
    }

    fn idle(&self) -> Duration {
        self.started.elapsed().saturating_sub(Duration::from_millis(self.alive.load(Ordering::Relaxed)))
    }
}

impl TaskServices for TaskCell {
    fn task(&self) -> &TaskInfo {
        &self.info
    }

    fn recorded(&self, key: &str) -> Option<Arc<[u8]>> {
        self.onces.get(&self.info.id, key)
    }

    fn answered(&self, key: &str) -> Option<Arc<[u8]>> {
        self.session.answers.get(&(Arc::clone(&self.info.id), Arc::from(key))).map(Arc::clone)
    }

    fn begin(&self, key: &str) -> bool {
        lock(&self.begun).insert(key.to_owned())
    }

    fn record<'a>(&'a self, key: &'a str, value: Vec<u8>) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            self.heartbeat();
            let (task, key, payload) = (Arc::clone(&self.info.id), Arc::<str>::from(key), Arc::<[u8]>::from(value));
            let record = TaskRecord {
                task: Arc::clone(&task),
                kind: TaskRecordKind::Once,
                key: Arc::clone(&key),
                payload: Arc::clone(&payload),
            };
            let schedule = self.session.schedule.as_deref();
            if let Some(schedule) = schedule {
                schedule.once_ran(&task, &key);
            }
            self.session.record(&self.info.ns, record).await.map_err(NodeError::terminal)?;
            if let Some(schedule) = schedule {
                schedule.once_stored(&task, &key);
            }
            self.onces.insert(task, key, payload);
            Ok(())
        })
    }

    fn question(&self, key: &str, payload: Value) -> Result<(), NodeError> {
        let Some(check) = (self.declared)(key) else {
            let message = format!(
                "node `{}` asks `{key}`, which it does not declare; add `.asks::<Answer>(\"{key}\")` to the node",
                self.info.node
            );
            return Err(NodeError::terminal(message));
        };
        let question = Question {
            id: format!("{}?{key}", self.info.id),
            key: key.to_owned(),
            path: vec![self.info.node.clone()],
            task: self.info.id.to_string(),
            payload,
            check: crate::machine::question_check(check),
        };
        let mut questions = lock(&self.questions);
        if questions.iter().all(|other| other.id != question.id) {
            questions.push(question);
        }
        Ok(())
    }

    fn emit<'a>(&'a self, name: &'a str, payload: Payload) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.heartbeat();
            if self.session.is_watched() {
                let kind = EventKind::Custom { name: name.to_owned(), payload };
                let task = Some((&self.info.id, self.info.attempt));
                self.session.tell(self.session.event(&self.info.ns, self.info.step, task, kind)).await;
            }
        })
    }

    fn heartbeat(&self) {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.alive.store(elapsed, Ordering::Relaxed);
    }

    fn stopping(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.session.control.stopping())
    }

    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.session.memory.as_ref()
    }

    fn now(&self) -> u64 {
        self.session.clock.now()
    }

    fn scope(&self) -> Option<Scope> {
        let again = self.info.attempt > 1;
        Some(Scope { session: Arc::clone(&self.session), ns: Arc::clone(&self.info.id), again })
    }

    fn adopt_questions(&self, mut questions: Vec<Question>) {
        questions.iter_mut().for_each(|question| question.path.insert(0, self.info.node.clone()));
        lock(&self.questions).extend(questions);
    }

    fn adopt_stop(&self, reason: StopReason) {
        *lock(&self.stopped) = Some(reason.0);
    }

    fn adopt_cost(&self, tasks: u64) {
        self.cost.store(tasks, Ordering::SeqCst);
    }
}

impl fmt::Debug for TaskCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskCell").field("info", &self.info).finish_non_exhaustive()
    }
}

/// Runs one attempt to its end. `start` calls the node; a panic in it, in its future or in what that drops is the
/// task's error.
pub(crate) async fn attempt<S: State>(
    start: impl FnOnce() -> BoxFuture<'static, Result<Step<S>, NodeError>>,
    timeout: Timeout,
    cell: Option<Arc<TaskCell>>,
) -> TaskOutcome<S> {
    let whole = AssertUnwindSafe(unguarded(start, timeout, cell));
    whole.catch_unwind().await.unwrap_or_else(|payload| TaskOutcome::Error(NodeError::panic(payload.as_ref())))
}

async fn unguarded<S: State>(
    start: impl FnOnce() -> BoxFuture<'static, Result<Step<S>, NodeError>>,
    timeout: Timeout,
    cell: Option<Arc<TaskCell>>,
) -> TaskOutcome<S> {
    let future = match catch_unwind(AssertUnwindSafe(start)) {
        Ok(future) => AssertUnwindSafe(future).catch_unwind(),
        Err(payload) => return TaskOutcome::Error(NodeError::panic(payload.as_ref())),
    };
    let result =
        if timeout == Timeout::default() { future.await } else { limited(future, timeout, cell.as_deref()).await };
    let result = result.unwrap_or_else(|payload| Err(NodeError::panic(payload.as_ref())));
    match cell {
        Some(cell) => judge(result, &cell),
        None => match result {
            Ok(step) => TaskOutcome::Step(Done::of(step, 0)),
            Err(error) => TaskOutcome::Error(error),
        },
    }
}

type Caught<S> = Result<Result<Step<S>, NodeError>, Box<dyn std::any::Any + Send>>;

async fn limited<S: State>(
    future: impl Future<Output = Caught<S>>,
    timeout: Timeout,
    cell: Option<&TaskCell>,
) -> Caught<S> {
    tokio::pin!(future);
    let started = Instant::now();
    loop {
        let whole = timeout.attempt.map(|limit| (started + limit, "attempt", limit));
        let idle = timeout.idle.map(|limit| {
            let idle = cell.map_or_else(|| started.elapsed(), TaskCell::idle);
            (Instant::now() + limit.saturating_sub(idle), "idle", limit)
        });
        let Some((until, kind, limit)) = whole.into_iter().chain(idle).min_by_key(|(until, ..)| *until) else {
            return future.await;
        };
        tokio::select! {
            biased;
            result = &mut future => return result,
            () = tokio::time::sleep_until(until) => {}
        }
        let alive = kind == "idle" && cell.is_some_and(|cell| cell.idle() < limit);
        if !alive {
            return Ok(Err(NodeError::timeout(kind, limit)));
        }
    }
}

fn judge<S: State>(result: Result<Step<S>, NodeError>, cell: &TaskCell) -> TaskOutcome<S> {
    let questions = std::mem::take(&mut *lock(&cell.questions));
    if let Some(reason) = lock(&cell.stopped).take() {
        return TaskOutcome::Abandoned(reason);
    }
    if !questions.is_empty() {
        let swallowed = result.as_ref().map_or_else(|error| error.kind != ErrorKind::Suspended, |_| true);
        return TaskOutcome::Suspended { questions, swallowed };
    }
    match result {
        Ok(step) => TaskOutcome::Step(Done::of(step, cell.cost.load(Ordering::SeqCst))),
        Err(error) => TaskOutcome::Error(error),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
