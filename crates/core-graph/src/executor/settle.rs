//! What becomes of tasks that ended: records, events, commits.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::event::{Event, EventKind, EventMode};
use crate::executor::replay_order::ReplayOrder;
use crate::executor::run_loop::{Driver, EndedTasks};
use crate::executor::task_context::NamespaceContext;
use crate::executor::workers::Workers;
use crate::machine::{AnyMachine, Committed, Completion, Fault, MachineCore, TaskOutcome};
use crate::recorder::Recorder;
use crate::recorder::durable_steps::DurableSteps;
use crate::recorder::events::{Events, OutgoingEvent};
use crate::state::{State, codec};
use crate::tasks::{Question, Stop, TaskId};

/// What ended tasks left and no commit has taken along yet.
#[derive(Debug, Default)]
pub(crate) struct Unrecorded {
    /// Events of tasks that ended with a result. They are sent before the commits of the tasks.
    finished: Vec<Event>,
    /// Tasks that wait for the others of their step, or for an answer.
    waiting: Vec<TaskId>,
    attempts: Vec<TaskRecord>,
    events: Vec<Event>,
}

impl Unrecorded {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { finished, waiting, attempts, events } = self;
        finished.is_empty() && waiting.is_empty() && attempts.is_empty() && events.is_empty()
    }
}

/// The node of a task, by its id in the thread.
fn node_of(path: &str) -> String {
    path.rsplit('/').next().and_then(|last| last.split(':').next()).unwrap_or_default().to_owned()
}

/// The parts of a driver that take up how tasks ended, over a machine of any state.
pub(crate) struct Settling<'d> {
    machine: &'d mut dyn AnyMachine,
    recorder: &'d mut Recorder,
    replay_order: &'d mut ReplayOrder,
    fault: &'d mut Option<RunError>,
    /// What the tasks of the namespace share, if any of them takes a context.
    namespace: Option<&'d NamespaceContext>,
}

impl<'d> Settling<'d> {
    // Futures that typed code polls are boxed here: a future is compiled where it is made a `dyn`, or else where it is
    // polled, which would be in every program. What is rare inside of them is boxed too: to ask for more than a kilobyte makes
    // the C library sort all small pieces that are free, and each that is asked for afterwards costs more.

    fn boxed(self, ended: EndedTasks) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(self.settle(ended))
    }

    fn boxed_one(self, id: TaskId, outcome: TaskOutcome) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(self.settle_one(id, outcome))
    }

    fn boxed_commit(mut self, id: TaskId) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(async move { self.commit(id).await })
    }

    fn boxed_refusal(mut self, fault: Fault) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(async move { self.refused(fault).await })
    }

    fn boxed_record(mut self, committed: Box<Committed>, now: u64) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(async move { self.record_commit(committed, now).await })
    }

    pub(super) fn boxed_wait(
        self,
        workers: &'d mut Workers,
        until: Option<u64>,
        end: Option<Instant>,
    ) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(self.wait(workers, until, end))
    }

    pub(super) fn boxed_abort(self, workers: &'d mut Workers, reason: Stop) -> BoxFuture<'d, Result<(), RunError>> {
        Box::pin(self.abort(workers, reason))
    }

    /// Completes tasks that ended: commits what is ready, and keeps what the rest left in one transaction.
    async fn settle(mut self, ended: EndedTasks) -> Result<(), RunError> {
        if !self.replay_order.is_over() {
            return Box::pin(self.settle_in_recorded_order(ended)).await;
        }
        let mut left = Unrecorded::default();
        for (id, outcome) in ended {
            let is_complete = self.take_up(id, outcome, &mut left);
            // Most tasks of a wide step lead to nothing yet.
            if is_complete || !left.finished.is_empty() {
                self.tell_and_commit(id, is_complete, &mut left).await?;
            }
        }
        self.keep(left).await
    }

    /// The same in the order of a recorded run: a task that ended early waits for its turn.
    async fn settle_in_recorded_order(mut self, ended: EndedTasks) -> Result<(), RunError> {
        let mut left = Unrecorded::default();
        // Taken from the back, oldest first.
        let mut queue = ended;
        queue.reverse();
        while let Some((id, outcome)) = queue.pop() {
            let Some(outcome) = self.take_turn(id, outcome) else { continue };
            self.settle_next(id, outcome, &mut left).await?;
            if let Some(next) = self.replay_order.next() {
                queue.insert(0, next);
            }
        }
        self.keep(left).await
    }

    /// Completes a task, and tells and commits what that leads to.
    async fn settle_next(&mut self, id: TaskId, outcome: TaskOutcome, left: &mut Unrecorded) -> Result<(), RunError> {
        let is_complete = self.take_up(id, outcome, left);
        self.tell_and_commit(id, is_complete, left).await
    }

    /// Sends the events of tasks that have ended with a result, and commits if the task was the last.
    async fn tell_and_commit(&mut self, id: TaskId, is_complete: bool, left: &mut Unrecorded) -> Result<(), RunError> {
        if !left.finished.is_empty() {
            Box::pin(async {
                for event in left.finished.drain(..) {
                    self.recorder.session.tell(event).await;
                }
            })
            .await;
        }
        if is_complete { self.commit(id).await } else { Ok(()) }
    }

    /// Completes a task that ran alone.
    async fn settle_one(mut self, id: TaskId, outcome: TaskOutcome) -> Result<(), RunError> {
        if !self.replay_order.is_over() {
            return Box::pin(self.settle_in_recorded_order(EndedTasks::from_iter([(id, outcome)]))).await;
        }
        let mut left = Unrecorded::default();
        self.settle_next(id, outcome, &mut left).await?;
        self.keep(left).await
    }

    /// Waits until tasks have ended, until a time in milliseconds, until the end of the super-step's time or until the run is
    /// asked to stop.
    async fn wait(self, workers: &mut Workers, until: Option<u64>, end: Option<Instant>) -> Result<(), RunError> {
        if workers.is_empty() && until.is_none() {
            // Nothing will come in between: the recorded task cannot, or not yet.
            let held = self.replay_order.skip();
            if !held.is_empty() {
                return self.settle(held).await;
            }
        }
        let pause = |until: u64| Duration::from_millis(until.saturating_sub(self.recorder.session.elapsed()));
        let wake = until.map(|until| Instant::now() + pause(until)).into_iter().chain(end).min();
        let session = Arc::clone(&self.recorder.session);
        let draining = session.control.reason().is_some();
        let stop =
            async { if draining { session.control.cancelled().await } else { session.control.stopping().await } };
        let ended = tokio::select! {
            biased;
            ended = workers.next(), if !workers.is_empty() => ended,
            () = stop => return Ok(()),
            () = pause_until(wake), if wake.is_some() => return Ok(()),
            else => return Err(RunError::Internal("nothing to wait for".to_owned())),
        };
        self.settle(ended).await
    }

    /// Stops what is in flight; what had finished is kept.
    async fn abort(self, workers: &mut Workers, reason: Stop) -> Result<(), RunError> {
        let mut ended = self.replay_order.give_up();
        if workers.is_empty() && ended.is_empty() {
            return Ok(());
        }
        ended.extend(workers.abort().await);
        let finished: BTreeSet<_> = ended.iter().map(|(id, _)| *id).collect();
        let stopped = self.machine.core().in_flight().filter(|id| !finished.contains(id));
        ended.extend(stopped.map(|id| (id, TaskOutcome::Abandoned(reason))));
        self.settle(ended).await
    }

    /// Completes one task. Returns whether a commit is due; adds to `left` what is to be kept otherwise.
    fn take_up(&mut self, id: TaskId, outcome: TaskOutcome, left: &mut Unrecorded) -> bool {
        let durable = self.recorder.session.attached.is_some();
        match self.complete_task(id, outcome, left) {
            Completion::Commit => {
                if self.machine.core().in_barrier() {
                    // The step is complete: its commit takes them all along.
                    left.waiting.clear();
                }
                return true;
            }
            Completion::Hold if durable && self.machine.core().in_wide_step() => left.waiting.push(id),
            Completion::Suspended if durable => left.waiting.push(id),
            Completion::Retry { .. } | Completion::Handle => left.attempts.extend(self.attempt_record(id)),
            Completion::Hold | Completion::Suspended | Completion::Failed | Completion::Ready => {}
        }
        false
    }

    /// Stores what ended tasks left that no commit takes along, and sends its events.
    async fn keep(&mut self, left: Unrecorded) -> Result<(), RunError> {
        if left.is_empty() { Ok(()) } else { Box::pin(self.keep_unrecorded(left)).await }
    }

    async fn keep_unrecorded(&mut self, left: Unrecorded) -> Result<(), RunError> {
        if self.recorder.session.attached.is_some() {
            let mut commit = self.recorder.commit_of_nothing();
            commit.tasks = left.attempts;
            for id in left.waiting {
                commit.tasks.extend(self.write_record(id));
            }
            let mut events = left.events.into_iter().map(OutgoingEvent::from).collect();
            self.recorder.write(self.machine.core(), commit, &mut events).await
        } else {
            for event in left.events {
                self.recorder.session.tell(event).await;
            }
            Ok(())
        }
    }

    fn complete_task(&mut self, id: TaskId, outcome: TaskOutcome, left: &mut Unrecorded) -> Completion {
        if let TaskOutcome::Step(_) = outcome {
            let completion = self.machine.complete(id, outcome, 0);
            if let (true, Completion::Commit | Completion::Hold) =
                (self.recorder.session.tells(EventMode::Tasks), &completion)
            {
                let (path, attempt) = (self.machine.core().task_path(id), self.machine.core().attempt(id));
                let kind = EventKind::TaskFinished { node: node_of(&path) };
                left.finished.push(self.recorder.session.event(
                    &self.recorder.ns,
                    self.machine.core().step(),
                    Some((&path, attempt)),
                    kind,
                ));
            }
            return completion;
        }
        let now = self.recorder.session.elapsed();
        let path = self.machine.core().task_path(id);
        let (error, swallowed) = match &outcome {
            TaskOutcome::Error(error) => (Some(error.to_string()), false),
            TaskOutcome::Suspended { swallowed, .. } => (None, *swallowed),
            _ => (None, false),
        };
        let attempt = self.machine.core().attempt(id);
        let completion = self.machine.complete(id, outcome, now);
        if self.recorder.session.is_silent() {
            return completion;
        }
        let node = node_of(&path);
        let mut tell = |kind| {
            left.events.push(self.recorder.session.event(
                &self.recorder.ns,
                self.machine.core().step(),
                Some((&path, attempt)),
                kind,
            ));
        };
        match &completion {
            Completion::Retry { at } => {
                tell(EventKind::TaskRetry { node, error: error.unwrap_or_default(), delay: at.saturating_sub(now) });
            }
            Completion::Handle => tell(EventKind::TaskHandled { node, error: error.unwrap_or_default() }),
            Completion::Failed => tell(EventKind::TaskFailed { node, error: error.unwrap_or_default() }),
            Completion::Suspended => {
                if swallowed {
                    let message = format!(
                        "node `{node}` asked a question and did not pass the suspension on with `?`; its result is discarded"
                    );
                    tell(EventKind::Warning { message });
                }
                for Question { id, key, payload, .. } in self.machine.core().questions_of(id).iter().cloned() {
                    tell(EventKind::Question { id, key, payload });
                }
            }
            _ => {}
        }
        completion
    }

    /// Keeps a finished task for its recorded turn.
    fn take_turn(&mut self, id: TaskId, outcome: TaskOutcome) -> Option<TaskOutcome> {
        if self.replay_order.is_over() || !matches!(outcome, TaskOutcome::Step(_)) {
            return Some(outcome);
        }
        self.replay_order.take(&self.machine.core().task_path(id), id, outcome)
    }

    fn attempt_record(&mut self, id: TaskId) -> Option<TaskRecord> {
        self.recorder.session.attached.as_ref()?;
        let payload = codec::encode_row("attempt", &self.machine.core().attempts(id)).ok()?.into();
        Some(self.recorder.record(self.machine.core().task_path(id), TaskRecordKind::Attempt, payload))
    }

    fn write_record(&mut self, id: TaskId) -> Option<TaskRecord> {
        self.recorder.session.attached.as_ref()?;
        let row = self.machine.core().write_row(id)?;
        let payload = codec::encode_row("write", &row).ok()?.into();
        Some(self.recorder.record(self.machine.core().task_path(id), TaskRecordKind::Write, payload))
    }

    /// Commits a finished task, or its step. When nobody reads or stores what was committed, that is all.
    async fn commit(&mut self, id: TaskId) -> Result<(), RunError> {
        // Results of durable steps are forgotten with their tasks, in a run without a store too.
        let is_kept = self.durable_steps().is_some() || self.recorder.session.calls.is_used();
        self.machine.core_mut().observed |= is_kept;
        let now = self.now();
        match self.machine.commit(id, now) {
            Ok(None) => Ok(()),
            // On the heap: they are large, and a run that nobody stores or reads does without.
            Ok(Some(committed)) => Box::pin(self.record_commit(committed, now)).await,
            Err(fault) => Box::pin(self.refused(*fault)).await,
        }
    }

    /// A commit that the machine refused: its task has failed. The tasks of its step run again when the run is
    /// continued.
    async fn refused(&mut self, fault: Fault) -> Result<(), RunError> {
        let mut commit = self.recorder.commit_of_nothing();
        let mut events = Events::new();
        if let Some((id, node, attempt, error)) = self.machine.core().failure() {
            let path = self.machine.core().task_path(id);
            let kind = EventKind::TaskFailed { node: node.to_owned(), error: error.to_string() };
            events.push(
                self.recorder
                    .session
                    .event(&self.recorder.ns, self.machine.core().step(), Some((&path, attempt)), kind)
                    .into(),
            );
            commit.settled.push(path);
        }
        if let Fault::Run(error) = fault {
            // What the tasks wrote does not fit together.
            commit.settled =
                if self.machine.core().in_barrier() { self.machine.core().step_paths() } else { Vec::new() };
            self.machine.core_mut().halt(Stop::Failed);
            self.fault.get_or_insert(error);
        }
        self.recorder.write(self.machine.core(), commit, &mut events).await
    }

    /// Has a commit recorded.
    async fn record_commit(&mut self, committed: Box<Committed>, now: u64) -> Result<(), RunError> {
        let values = self.recorder.session.tells_steps().then(|| self.machine.values());
        let durable = self.namespace.map(|namespace| &namespace.durable_steps).filter(|steps| steps.is_used());
        self.recorder.publish(self.machine.core(), durable, committed, values, now).await
    }

    /// The results of durable steps, if there are any.
    fn durable_steps(&self) -> Option<&DurableSteps> {
        self.namespace.map(|namespace| &namespace.durable_steps).filter(|steps| steps.is_used())
    }

    /// Returns the time of a commit, 0 when nobody stores or reads it.
    fn now(&self) -> u64 {
        time_of_commit(self.machine.core(), self.recorder)
    }
}

/// Waits until a time, if there is one. The timer is made with the first poll: a runtime without timers runs all graphs
/// that need none.
async fn pause_until(time: Option<Instant>) {
    if let Some(time) = time {
        Box::pin(tokio::time::sleep_until(time)).await;
    }
}

fn time_of_commit(machine: &MachineCore, recorder: &Recorder) -> u64 {
    if machine.observed { recorder.session.clock.now() } else { 0 }
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// The part that takes up how tasks ended, and the workers.
    pub(super) fn parts(&mut self) -> (Settling<'_>, &mut Workers) {
        let settling = Settling {
            machine: &mut self.machine,
            recorder: &mut self.recorder,
            replay_order: &mut self.replay_order,
            fault: &mut self.fault,
            namespace: self.namespace.get().map(|namespace| &**namespace),
        };
        (settling, &mut self.workers)
    }

    fn settling(&mut self) -> Settling<'_> {
        self.parts().0
    }

    /// Completes tasks that ended: commits what is ready, and keeps what the rest left in one transaction.
    pub(crate) fn settle(&mut self, ended: EndedTasks) -> BoxFuture<'_, Result<(), RunError>> {
        self.settling().boxed(ended)
    }

    /// Completes a task that ran alone.
    pub(crate) fn settle_one(&mut self, id: TaskId, outcome: TaskOutcome) -> BoxFuture<'_, Result<(), RunError>> {
        self.settling().boxed_one(id, outcome)
    }

    /// Commits a finished task, or its step. When nobody reads or stores what was committed, that is all.
    pub(crate) fn commit(&mut self, id: TaskId) -> BoxFuture<'_, Result<(), RunError>> {
        self.settling().boxed_commit(id)
    }

    /// A commit that the machine refused: its task has failed. The tasks of its step run again when the run is
    /// continued.
    pub(crate) fn refused(&mut self, fault: Fault) -> BoxFuture<'_, Result<(), RunError>> {
        self.settling().boxed_refusal(fault)
    }

    /// Has a commit recorded.
    pub(crate) fn record_commit(&mut self, committed: Box<Committed>, now: u64) -> BoxFuture<'_, Result<(), RunError>> {
        self.settling().boxed_record(committed, now)
    }

    /// Returns the time of a commit, 0 when nobody stores or reads it.
    pub(crate) fn now(&self) -> u64 {
        time_of_commit(&self.machine, &self.recorder)
    }
}
