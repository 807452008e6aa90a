//! A run as its caller holds it: awaited, or read event by event.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::task::JoinHandle;
use tracing::Instrument;

use crate::checkpoint::ThreadStatus;
use crate::clock::SystemClock;
use crate::error::RunError;
use crate::event::{Event, EventMode};
use crate::executor::outcome::{EndedBy, Outcome, RunEnd};
use crate::executor::run_loop::{Driver, Entry};
use crate::executor::runtime::Runtime;
use crate::executor::spans;
use crate::limits::{Control, RunPolicy};
use crate::machine::MachineCore;
use crate::questions::Questions;
use crate::recorder::session::Session;
use crate::recorder::subscriber::{Lag, Queue};
use crate::state::{AnyState, State};
use crate::tasks::Stop;

type Starting = Box<dyn FnOnce(Option<Arc<Queue>>) -> BoxFuture<'static, Result<RunEnd, RunError>> + Send>;

/// A run of a graph.
///
/// It starts when it is first awaited, read with [`next`](Self::next), [`start`](Self::start)ed or
/// [`detach`](Self::detach)ed, as a task of its own. Dropping a started run cancels it; the record of that is committed.
#[must_use = "a run does nothing until it is awaited, read, started or detached"]
pub struct Run<S> {
    run: AnyRun,
    state: PhantomData<fn() -> S>,
}

/// A run over a state of any type.
struct AnyRun {
    starting: Option<Starting>,
    started: Option<StartedRun>,
    control: Arc<Control>,
    lag: Lag,
    modes: Vec<EventMode>,
}

struct StartedRun {
    task: JoinHandle<Result<RunEnd, RunError>>,
    reader: Option<Reader>,
    guard: Guard,
}

/// The reading end of a queue. A run does not wait for a reader that is gone.
struct Reader(Arc<Queue>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The writing end of a queue, which ends with the run, however that ends.
struct QueueEnd(Option<Arc<Queue>>);

impl Drop for QueueEnd {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            queue.finish();
        }
    }
}

/// Asks a run to stop, from anywhere.
#[derive(Clone, Debug)]
pub struct RunHandle(Arc<Control>);

/// Cancels the run when it is dropped armed.
struct Guard {
    control: Arc<Control>,
    armed: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.armed {
            self.control.cancel();
        }
    }
}

impl RunHandle {
    /// Dispatches nothing more; what is in flight finishes and commits.
    pub fn drain(&self) {
        self.0.drain();
    }

    /// Stops what is in flight.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

impl<S: Send + Sync + 'static> Run<S> {
    pub(crate) fn new<F>(control: Arc<Control>, work: impl FnOnce(Option<Arc<Queue>>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<RunEnd, RunError>> + Send + 'static,
    {
        let run = AnyRun::new(control, Box::new(move |queue| work(queue).boxed()));
        Self { run, state: PhantomData }
    }

    pub(crate) fn without_store<Cx: Send + Sync + 'static>(
        runtime: Runtime<S, Cx>,
        input: S::Update,
        policy: RunPolicy,
    ) -> Self
    where
        S: State,
    {
        let control = Arc::new(Control::default());
        let shared = Arc::clone(&control);
        Self::new(control, move |queue| async move {
            let clock = Arc::new(SystemClock);
            let session = Session::new("".into(), None, clock, shared, policy, None, queue, Default::default());
            let mut driver = Driver::new(runtime, Arc::new(session), "".into(), None, None)?;
            conclude(&mut driver, Entry::Input(Some(input))).await
        })
    }

    /// What happens to events when this reader is slower than the run. Before the first [`next`](Self::next).
    pub fn lag(mut self, lag: Lag) -> Self {
        self.run.lag = lag;
        self
    }

    /// Tells this reader only the events of these modes; all of them unless stated. Before the first
    /// [`next`](Self::next).
    pub fn only(mut self, modes: impl IntoIterator<Item = EventMode>) -> Self {
        self.run.modes = modes.into_iter().collect();
        self
    }

    /// Starts the run without reading events.
    pub fn start(mut self) -> Self {
        self.run.begin(false);
        self
    }

    /// The next event; `None` when the run has ended. The first call starts the run.
    pub async fn next(&mut self) -> Option<Event> {
        self.run.next().await
    }

    /// Starts the run and lets it go on by itself.
    pub fn detach(mut self) -> RunHandle {
        self.run.begin(false);
        if let Some(mut started) = self.run.started.take() {
            started.guard.armed = false;
        }
        self.handle()
    }

    /// A handle that can stop the run.
    pub fn handle(&self) -> RunHandle {
        RunHandle(Arc::clone(&self.run.control))
    }
}

impl AnyRun {
    fn new(control: Arc<Control>, starting: Starting) -> Self {
        Self { starting: Some(starting), started: None, control, lag: Lag::default(), modes: vec![EventMode::Debug] }
    }

    async fn next(&mut self) -> Option<Event> {
        self.begin(true);
        self.started.as_ref()?.reader.as_ref()?.0.next().await
    }

    fn begin(&mut self, read: bool) {
        let Some(starting) = self.starting.take() else { return };
        let queue =
            read.then(|| Arc::new(Queue::new(self.lag, std::mem::take(&mut self.modes), Arc::clone(&self.control))));
        let work = starting(queue.clone());
        let writer = QueueEnd(queue.clone());
        let run = async move {
            let _writer = writer;
            work.await
        };
        let task = tokio::spawn(run.instrument(spans::of_run()));
        let guard = Guard { control: Arc::clone(&self.control), armed: true };
        self.started = Some(StartedRun { task, reader: queue.map(Reader), guard });
    }
}

/// Drives a root to its end and writes how it ended.
pub(crate) async fn conclude<S: State, Cx: Send + Sync + 'static>(
    driver: &mut Driver<S, Cx>,
    entry: Entry<S>,
) -> Result<RunEnd, RunError> {
    spans::name_run(&driver.runtime.topology.outline.name, &driver.recorder.session.thread);
    let stop = match driver.run(entry).await {
        Ok(stop) => stop,
        Err(error) => {
            // An input that was refused leaves the thread as it was.
            spans::end_run(ThreadStatus::Failed, true);
            if matches!(error, RunError::Checkpoint(_)) || driver.recorder.is_unwritten() {
                driver.release();
                return Err(error);
            }
            let ended = driver.close_with(ThreadStatus::Failed, &error.to_string(), Err(error)).await;
            driver.release();
            return ended;
        }
    };
    let state = Arc::clone(&driver.machine.state) as AnyState;
    let (status, detail, ended) = ended_by(stop, &driver.machine, driver.policy(), driver.step_clock.limit());
    spans::end_run(status, ended.is_err());
    driver.close_with(status, &detail, ended.map(|how| RunEnd { state, how })).await
}

/// What a root that stopped tells of its end: to the store, and to its caller.
fn ended_by(
    stop: Stop,
    machine: &MachineCore,
    policy: &RunPolicy,
    step_limit: Option<Duration>,
) -> (ThreadStatus, String, Result<EndedBy, RunError>) {
    use ThreadStatus as Status;
    let next = machine.next_nodes();
    match stop {
        Stop::Done => (Status::Done, String::new(), Ok(EndedBy::Done)),
        Stop::Waiting => {
            let questions = Questions::new(machine.checked_questions());
            (Status::Waiting, questions.keys(), Ok(EndedBy::Waiting(questions)))
        }
        Stop::Failed => {
            let error = machine.failure_of_run();
            (Status::Failed, error.to_string(), Err(error))
        }
        Stop::StepLimit => {
            let limit = policy.max_steps.unwrap_or_default();
            let error = RunError::StepLimit { limit, next: next.join(", ") };
            (Status::BudgetSpent, error.to_string(), Err(error))
        }
        Stop::StepTimeout => {
            let error = machine.step_timeout(step_limit);
            (Status::Failed, error.to_string(), Err(error))
        }
        Stop::Budget => (Status::BudgetSpent, next.join(", "), Ok(EndedBy::BudgetSpent(next))),
        Stop::Drained => (Status::Drained, next.join(", "), Ok(EndedBy::Drained(next))),
        Stop::Cancelled => (Status::Cancelled, next.join(", "), Ok(EndedBy::Cancelled(next))),
    }
}

/// The outcome of a started run.
pub struct RunFuture<S> {
    run: StartedFuture,
    state: PhantomData<fn() -> S>,
}

struct StartedFuture {
    task: JoinHandle<Result<RunEnd, RunError>>,
    guard: Guard,
}

impl StartedFuture {
    fn poll(&mut self, context: &mut PollContext<'_>) -> Poll<Result<RunEnd, RunError>> {
        let joined = std::task::ready!(self.task.poll_unpin(context));
        self.guard.armed = false;
        Poll::Ready(
            joined.unwrap_or_else(|error| Err(RunError::Internal(format!("the driver of the run stopped: {error}")))),
        )
    }
}

impl<S: Send + Sync + 'static> Future for RunFuture<S> {
    type Output = Result<Outcome<S>, RunError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut PollContext<'_>) -> Poll<Self::Output> {
        self.run.poll(context).map(|ended| ended.and_then(RunEnd::outcome))
    }
}

impl<S: Send + Sync + 'static> IntoFuture for Run<S> {
    type Output = Result<Outcome<S>, RunError>;
    type IntoFuture = RunFuture<S>;

    fn into_future(mut self) -> RunFuture<S> {
        self.run.begin(false);
        match self.run.started.take() {
            Some(StartedRun { task, guard, .. }) => {
                RunFuture { run: StartedFuture { task, guard }, state: PhantomData }
            }
            None => unreachable!("a run is started by `begin` and taken only here and in `detach`, which consume it"),
        }
    }
}

impl<S> fmt::Debug for Run<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("started", &self.run.started.is_some()).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for RunFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunFuture")
    }
}
