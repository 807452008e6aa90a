//! What becomes of tasks that ended: records, events, commits.

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::event::{Event, EventKind, EventMode};
use crate::executor::run_loop::{Driver, EndedTasks};
use crate::machine::Committed;
use crate::machine::Fault;
use crate::machine::{Completion, TaskOutcome};
use crate::recorder::events::Events;
use crate::recorder::events::OutgoingEvent;
use crate::state::{State, codec};
use crate::tasks::Stop;
use crate::tasks::{Question, TaskId};

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

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Completes tasks that ended: commits what is ready, and keeps what the rest left in one transaction.
    pub(crate) async fn settle(&mut self, ended: EndedTasks<S>) -> Result<(), RunError> {
        let mut left = Unrecorded::default();
        if self.replay_order.is_over() {
            for (id, outcome) in ended {
                let is_complete = self.take_up(id, outcome, &mut left);
                self.tell_finished(&mut left).await;
                if is_complete {
                    self.commit(id).await?;
                }
            }
            return self.keep(left).await;
        }
        // Taken from the back, oldest first.
        let mut queue = ended;
        queue.reverse();
        while let Some((id, outcome)) = queue.pop() {
            let Some(outcome) = self.take_turn(id, outcome) else { continue };
            let is_complete = self.take_up(id, outcome, &mut left);
            self.tell_finished(&mut left).await;
            if is_complete {
                self.commit(id).await?;
            }
            if let Some(next) = self.replay_order.next() {
                queue.insert(0, next);
            }
        }
        self.keep(left).await
    }

    /// Completes a task that ran alone.
    pub(crate) async fn settle_one(&mut self, id: TaskId, outcome: TaskOutcome<S>) -> Result<(), RunError> {
        if !self.replay_order.is_over() {
            return self.settle(EndedTasks::from_iter([(id, outcome)])).await;
        }
        let mut left = Unrecorded::default();
        let is_complete = self.take_up(id, outcome, &mut left);
        self.tell_finished(&mut left).await;
        if is_complete {
            self.commit(id).await?;
        }
        if left.is_empty() { Ok(()) } else { self.keep(left).await }
    }

    /// Completes one task. Returns whether a commit is due; adds to `left` what is to be kept otherwise.
    pub(crate) fn take_up(&mut self, id: TaskId, outcome: TaskOutcome<S>, left: &mut Unrecorded) -> bool {
        let durable = self.recorder.session.attached.is_some();
        match self.complete(id, outcome, left) {
            Completion::Commit => {
                if self.machine.in_barrier() {
                    // The step is complete: its commit takes them all along.
                    left.waiting.clear();
                }
                return true;
            }
            Completion::Hold if durable && self.machine.in_wide_step() => left.waiting.push(id),
            Completion::Suspended if durable => left.waiting.push(id),
            Completion::Retry { .. } | Completion::Handle => left.attempts.extend(self.attempt_record(id)),
            Completion::Hold | Completion::Suspended | Completion::Failed | Completion::Ready => {}
        }
        false
    }

    /// Sends the events of tasks that have ended with a result since the last call.
    pub(crate) async fn tell_finished(&self, left: &mut Unrecorded) {
        for event in left.finished.drain(..) {
            self.recorder.session.tell(event).await;
        }
    }

    pub(crate) async fn keep(&mut self, left: Unrecorded) -> Result<(), RunError> {
        if self.recorder.session.attached.is_some() && !left.is_empty() {
            let mut commit = self.recorder.commit_of_nothing();
            commit.tasks = left.attempts;
            for id in left.waiting {
                commit.tasks.extend(self.write_record(id));
            }
            let mut events = left.events.into_iter().map(OutgoingEvent::from).collect();
            Box::pin(self.recorder.write(&self.machine, commit, &mut events)).await
        } else {
            for event in left.events {
                self.recorder.session.tell(event).await;
            }
            Ok(())
        }
    }

    fn complete(&mut self, id: TaskId, outcome: TaskOutcome<S>, left: &mut Unrecorded) -> Completion {
        if let TaskOutcome::Step(_) = outcome {
            let completion = self.machine.complete(id, outcome, 0);
            if let (true, Completion::Commit | Completion::Hold) =
                (self.recorder.session.tells(EventMode::Tasks), &completion)
            {
                let (path, attempt) = (self.machine.task_path(id), self.machine.attempt(id));
                let kind = EventKind::TaskFinished { node: node_of(&path) };
                left.finished.push(self.recorder.session.event(
                    &self.recorder.ns,
                    self.machine.step(),
                    Some((&path, attempt)),
                    kind,
                ));
            }
            return completion;
        }
        let now = self.recorder.session.elapsed();
        let path = self.machine.task_path(id);
        let (error, swallowed) = match &outcome {
            TaskOutcome::Error(error) => (Some(error.to_string()), false),
            TaskOutcome::Suspended { swallowed, .. } => (None, *swallowed),
            _ => (None, false),
        };
        let attempt = self.machine.attempt(id);
        let completion = self.machine.complete(id, outcome, now);
        if self.recorder.session.is_silent() {
            return completion;
        }
        let node = node_of(&path);
        let mut tell = |kind| {
            left.events.push(self.recorder.session.event(
                &self.recorder.ns,
                self.machine.step(),
                Some((&path, attempt)),
                kind,
            ))
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
                for Question { id, key, payload, .. } in self.machine.questions_of(id).iter().cloned() {
                    tell(EventKind::Question { id, key, payload });
                }
            }
            _ => {}
        }
        completion
    }

    /// Keeps a finished task for its recorded turn.
    fn take_turn(&mut self, id: TaskId, outcome: TaskOutcome<S>) -> Option<TaskOutcome<S>> {
        if self.replay_order.is_over() || !matches!(outcome, TaskOutcome::Step(_)) {
            return Some(outcome);
        }
        self.replay_order.take(&self.machine.task_path(id), id, outcome)
    }

    fn attempt_record(&mut self, id: TaskId) -> Option<TaskRecord> {
        self.recorder.session.attached.as_ref()?;
        let payload = codec::encode("attempt", &self.machine.attempts(id)).ok()?.into();
        Some(self.recorder.record(self.machine.task_path(id), TaskRecordKind::Attempt, payload))
    }

    fn write_record(&mut self, id: TaskId) -> Option<TaskRecord> {
        self.recorder.session.attached.as_ref()?;
        let row = self.machine.write_row(id)?;
        let payload = codec::encode("write", &row).ok()?.into();
        Some(self.recorder.record(self.machine.task_path(id), TaskRecordKind::Write, payload))
    }

    /// Commits a finished task, or its step. When nobody reads or stores what was committed, that is all.
    pub(crate) async fn commit(&mut self, id: TaskId) -> Result<(), RunError> {
        // Results of durable steps are forgotten with their tasks, in a run without a store too.
        self.machine.observed |= self.durable_steps().is_some() || self.recorder.session.calls.is_used();
        let now = self.now();
        match self.machine.commit(id, now) {
            Ok(None) => Ok(()),
            // On the heap: they are large, and a run that nobody stores or reads does without.
            Ok(Some(committed)) => Box::pin(self.publish(committed, now)).await,
            Err(fault) => Box::pin(self.refused(*fault)).await,
        }
    }

    /// A commit that the machine refused: its task has failed. The tasks of its step run again when the run is
    /// continued.
    pub(crate) async fn refused(&mut self, fault: Fault) -> Result<(), RunError> {
        let mut commit = self.recorder.commit_of_nothing();
        let mut events = Events::new();
        if let Some((id, node, attempt, error)) = self.machine.failure() {
            let path = self.machine.task_path(id);
            let kind = EventKind::TaskFailed { node: node.to_owned(), error: error.to_string() };
            events.push(
                self.recorder
                    .session
                    .event(&self.recorder.ns, self.machine.step(), Some((&path, attempt)), kind)
                    .into(),
            );
            commit.settled.push(path);
        }
        if let Fault::Run(error) = fault {
            // What the tasks wrote does not fit together.
            commit.settled = if self.machine.in_barrier() { self.machine.step_paths() } else { Vec::new() };
            self.machine.halt(Stop::Failed);
            self.fault.get_or_insert(error);
        }
        self.recorder.write(&self.machine, commit, &mut events).await
    }

    /// Has a commit recorded.
    pub(crate) async fn publish(&mut self, committed: Box<Committed<S>>, now: u64) -> Result<(), RunError> {
        let durable = self.namespace.get().map(|namespace| &namespace.durable_steps).filter(|steps| steps.is_used());
        self.recorder.publish(&self.machine, durable, committed, now).await
    }

    /// Returns the time of a commit, 0 when nobody stores or reads it.
    pub(crate) fn now(&self) -> u64 {
        if self.machine.observed { self.recorder.session.clock.now() } else { 0 }
    }
}
