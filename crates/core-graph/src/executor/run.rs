//! A run as its caller holds it: awaited, or read event by event.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::task::JoinHandle;

use crate::clock::SystemClock;
use crate::error::RunError;
use crate::event::{Event, EventMode};
use crate::executor::outcome::Outcome;
use crate::executor::run_loop::{Driver, Entry};
use crate::executor::runtime::Runtime;
use crate::limits::{Control, RunPolicy};
use crate::questions::Questions;
use crate::recorder::session::Session;
use crate::recorder::subscriber::{Lag, Queue};
use crate::state::State;
use crate::tasks::Stop;

type Starting<S> = Box<dyn FnOnce(Option<Arc<Queue>>) -> BoxFuture<'static, Result<Outcome<S>, RunError>> + Send>;

/// A run of a graph.
///
/// It starts when it is first awaited, read with [`next`](Self::next), [`start`](Self::start)ed or
/// [`detach`](Self::detach)ed, as a task of its own. Dropping a started run cancels it; the record of that is committed.
#[must_use = "a run does nothing until it is awaited, read, started or detached"]
pub struct Run<S> {
    starting: Option<Starting<S>>,
    started: Option<StartedRun<S>>,
    control: Arc<Control>,
    lag: Lag,
    modes: Vec<EventMode>,
}

struct StartedRun<S> {
    task: JoinHandle<Result<Outcome<S>, RunError>>,
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
        F: Future<Output = Result<Outcome<S>, RunError>> + Send + 'static,
    {
        let starting: Starting<S> = Box::new(move |queue| work(queue).boxed());
        Self { starting: Some(starting), started: None, control, lag: Lag::default(), modes: vec![EventMode::Debug] }
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
        self.lag = lag;
        self
    }

    /// Tells this reader only the events of these modes; all of them unless stated. Before the first
    /// [`next`](Self::next).
    pub fn only(mut self, modes: impl IntoIterator<Item = EventMode>) -> Self {
        self.modes = modes.into_iter().collect();
        self
    }

    /// Starts the run without reading events.
    pub fn start(mut self) -> Self {
        self.begin(false);
        self
    }

    /// The next event; `None` when the run has ended. The first call starts the run.
    pub async fn next(&mut self) -> Option<Event> {
        self.begin(true);
        self.started.as_ref()?.reader.as_ref()?.0.next().await
    }

    /// Starts the run and lets it go on by itself.
    pub fn detach(mut self) -> RunHandle {
        self.begin(false);
        if let Some(mut started) = self.started.take() {
            started.guard.armed = false;
        }
        RunHandle(Arc::clone(&self.control))
    }

    /// A handle that can stop the run.
    pub fn handle(&self) -> RunHandle {
        RunHandle(Arc::clone(&self.control))
    }

    fn begin(&mut self, read: bool) {
        let Some(starting) = self.starting.take() else { return };
        let queue =
            read.then(|| Arc::new(Queue::new(self.lag, std::mem::take(&mut self.modes), Arc::clone(&self.control))));
        let work = starting(queue.clone());
        let writer = QueueEnd(queue.clone());
        let task = tokio::spawn(async move {
            let _writer = writer;
            work.await
        });
        let guard = Guard { control: Arc::clone(&self.control), armed: true };
        self.started = Some(StartedRun { task, reader: queue.map(Reader), guard });
    }
}

/// Drives a root to its end and writes how it ended.
pub(crate) async fn conclude<S: State, Cx: Send + Sync + 'static>(
    driver: &mut Driver<S, Cx>,
    entry: Entry<S>,
) -> Result<Outcome<S>, RunError> {
    use crate::checkpoint::ThreadStatus as Status;
    let stop = match driver.run(entry).await {
        Ok(stop) => stop,
        Err(error) => {
            // An input that was refused leaves the thread as it was.
            if matches!(error, RunError::Checkpoint(_)) || driver.recorder.is_unwritten() {
                driver.release();
                return Err(error);
            }
            let ended = driver.close_with(Status::Failed, &error.to_string(), Err(error)).await;
            driver.release();
            return ended;
        }
    };
    let machine = driver.machine();
    let (state, next) = (Arc::clone(&machine.state), machine.next_nodes());
    let (status, detail, outcome) = match stop {
        Stop::Done => (Status::Done, String::new(), Ok(Outcome::Done(state))),
        Stop::Waiting => {
            let questions = Questions::new(driver.questions());
            (Status::Waiting, questions.keys(), Ok(Outcome::Waiting(questions)))
        }
        Stop::Failed => {
            let error = machine.failure_of_run();
            (Status::Failed, error.to_string(), Err(error))
        }
        Stop::StepLimit => {
            let limit = driver.policy().max_steps.unwrap_or_default();
            let error = RunError::StepLimit { limit, next: next.join(", ") };
            (Status::BudgetSpent, error.to_string(), Err(error))
        }
        Stop::StepTimeout => {
            let error = driver.step_timeout();
            (Status::Failed, error.to_string(), Err(error))
        }
        Stop::Budget => (Status::BudgetSpent, next.join(", "), Ok(Outcome::BudgetSpent { state, next })),
        Stop::Drained => (Status::Drained, next.join(", "), Ok(Outcome::Drained { state, next })),
        Stop::Cancelled => (Status::Cancelled, next.join(", "), Ok(Outcome::Cancelled { state, next })),
    };
    driver.close_with(status, &detail, outcome).await
}

/// The outcome of a started run.
pub struct RunFuture<S> {
    task: JoinHandle<Result<Outcome<S>, RunError>>,
    guard: Guard,
}

impl<S> Future for RunFuture<S> {
    type Output = Result<Outcome<S>, RunError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut PollContext<'_>) -> Poll<Self::Output> {
        let joined = std::task::ready!(self.task.poll_unpin(context));
        self.guard.armed = false;
        Poll::Ready(
            joined.unwrap_or_else(|error| Err(RunError::Internal(format!("the driver of the run stopped: {error}")))),
        )
    }
}

impl<S: Send + Sync + 'static> IntoFuture for Run<S> {
    type Output = Result<Outcome<S>, RunError>;
    type IntoFuture = RunFuture<S>;

    fn into_future(mut self) -> RunFuture<S> {
        self.begin(false);
        match self.started.take() {
            Some(StartedRun { task, guard, .. }) => RunFuture { task, guard },
            None => unreachable!("a run is started by `begin` and taken only here and in `detach`, which consume it"),
        }
    }
}

impl<S> fmt::Debug for Run<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("started", &self.started.is_some()).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for RunFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunFuture")
    }
}
