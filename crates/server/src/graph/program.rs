//! What the program of a server is told of the runs of its own thread.
//!
//! Every run of the thread is driven by the run manager, whoever began it; on its way to the log each event goes to the
//! program, and at the end the outcome with its state.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use graphloom_core_graph::{Event, Outcome, Run, RunError, RunHandle, RunPolicy, State};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::graph::named::ThreadName;
use crate::graph::typed::ended_as;
use crate::graph::{BadLaunch, Ended, Failed, GraphRun};

/// Events that a program has not taken yet. Its run waits where there are more.
const UNREAD: usize = 1_024;

/// The thread of a program, and where the program is told of its runs.
pub(crate) struct Program<S> {
    thread: Arc<ThreadName>,
    policy: RunPolicy,
    /// Runs that the program wants, until the run manager begins them.
    wanted: Mutex<BTreeMap<Uuid, Run<S>>>,
    runs: mpsc::UnboundedSender<ProgramRun<S>>,
}

impl<S: State> Program<S> {
    /// A program's thread, and the runs of it as they begin.
    pub(crate) fn new(thread: Arc<ThreadName>, policy: RunPolicy) -> (Self, mpsc::UnboundedReceiver<ProgramRun<S>>) {
        let (runs, told) = mpsc::unbounded_channel();
        (Self { thread, policy, wanted: Mutex::default(), runs }, told)
    }

    pub(crate) fn thread(&self) -> &ThreadName {
        &self.thread
    }

    pub(super) fn policy(&self) -> &RunPolicy {
        &self.policy
    }

    /// Refuses any other thread than that of the program.
    pub(super) fn check(&self, thread: &str) -> Result<(), BadLaunch> {
        if self.thread.is(thread) {
            return Ok(());
        }
        let name = self.thread.name();
        Err(BadLaunch::Input(format!("this program serves its own run `{name}` only; `graphloom serve` serves others")))
    }

    /// Keeps a run until the run manager begins it.
    pub(crate) fn want(&self, id: Uuid, run: Run<S>) {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).insert(id, run);
    }

    /// Takes a run that was kept.
    pub(crate) fn take(&self, id: Uuid) -> Option<Run<S>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }

    /// A run whose events and end the program is told.
    pub(super) fn told(&self, run: Run<S>) -> Box<dyn GraphRun> {
        let (events, unread) = mpsc::channel(UNREAD);
        let (outcome, ended) = oneshot::channel();
        let stop = StopOnDrop(run.handle());
        // A program that is gone is told nothing.
        self.runs.send(ProgramRun { events: unread, ended, stop }).ok();
        Box::new(ToldRun { run, events, outcome })
    }
}

/// A run of a program's thread, as the program follows it. Dropping it cancels the run.
#[must_use = "the run is cancelled when this is dropped"]
pub struct ProgramRun<S> {
    events: mpsc::Receiver<Event>,
    ended: oneshot::Receiver<Result<Outcome<S>, RunError>>,
    stop: StopOnDrop,
}

/// Cancels a run. Of one that has ended nothing changes.
struct StopOnDrop(RunHandle);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl<S> ProgramRun<S> {
    /// A handle that can stop the run.
    pub fn handle(&self) -> RunHandle {
        self.stop.0.clone()
    }

    /// The next event; `None` when the run has ended.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// How the run ended, after its last event.
    ///
    /// # Errors
    /// The run's.
    pub async fn ended(self) -> Result<Outcome<S>, RunError> {
        self.ended.await.unwrap_or_else(|_| Err(RunError::Internal("the run was dropped by its server".to_owned())))
    }
}

impl<S> fmt::Debug for ProgramRun<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramRun").finish_non_exhaustive()
    }
}

/// A run of which the program is told.
struct ToldRun<S> {
    run: Run<S>,
    events: mpsc::Sender<Event>,
    outcome: oneshot::Sender<Result<Outcome<S>, RunError>>,
}

impl<S: State> GraphRun for ToldRun<S> {
    fn next(&mut self) -> BoxFuture<'_, Option<Event>> {
        async move {
            let event = self.run.next().await?;
            self.events.send(event.clone()).await.ok();
            Some(event)
        }
        .boxed()
    }

    fn handle(&self) -> RunHandle {
        self.run.handle()
    }

    fn ended(self: Box<Self>) -> BoxFuture<'static, Result<Ended, Failed>> {
        async move {
            let Self { run, events, outcome } = *self;
            drop(events);
            let ended = run.await;
            let told = ended_as(&ended);
            outcome.send(ended).ok();
            told
        }
        .boxed()
    }
}
