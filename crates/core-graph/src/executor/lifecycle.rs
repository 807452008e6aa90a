//! A namespace from its beginning to its end, with the events of both.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::checkpoint::{TaskRecord, ThreadStatus};
use crate::error::RunError;
use crate::event::EventKind;
use crate::executor::run_loop::{Driver, Entry};
use crate::machine::{AnyMachine, Committed, Fault, Machine, MachineCore, Sent};
use crate::record::ReplayPoint;
use crate::recorder::Then;
use crate::recorder::replays::{replayed, taken_over};
use crate::state::State;
use crate::tasks::{Stop, TaskId};

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Runs until nothing is in flight and nothing more is dispatched.
    pub(crate) async fn run(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        match entry {
            Entry::Input(update) if self.recorder.session.is_silent() => {
                self.fold_input(update)?;
                match self.run_unobserved().await? {
                    Some(stop) => Ok(stop),
                    // On the heap: it is large, and most calls of subgraphs do without.
                    None => Box::pin(self.drive()).await,
                }
            }
            entry => Box::pin(self.run_told(entry)).await,
        }
    }

    /// Sends the events of a subgraph's beginning and end. Those of a root are part of its first and its last commit.
    async fn run_told(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        if self.recorder.is_root || !self.recorder.session.is_watched() {
            return self.proceed(entry).await;
        }
        let graph = self.runtime.topology.name.clone();
        let how = entry.how().to_owned();
        self.tell(None, EventKind::SubgraphStarted { graph: graph.clone(), how }).await;
        let stop = self.proceed(entry).await;
        let (status, detail) = match &stop {
            Ok(stop) => (status_of(*stop), self.machine.detail_of(*stop, self.step_clock.limit())),
            Err(error) => (ThreadStatus::Failed, error.to_string()),
        };
        self.tell(None, EventKind::SubgraphEnded { graph, status, detail }).await;
        stop
    }

    /// Closes the run of a root. An end that cannot be stored takes nothing away: the lease is given back, and an error
    /// that the run ended with stays its error, beside a warning to the subscriber.
    pub(crate) async fn close_with<T>(
        &mut self,
        status: ThreadStatus,
        detail: &str,
        outcome: Result<T, RunError>,
    ) -> Result<T, RunError> {
        let Err(unwritten) = self.recorder.close(&self.machine, status, detail).await else { return outcome };
        self.release();
        if outcome.is_ok() {
            return Err(unwritten);
        }
        let message =
            format!("how the run ended could not be stored, its thread goes on with `continue_()`: {unwritten}");
        Box::pin(self.tell(None, EventKind::Warning { message })).await;
        outcome
    }

    /// Stops what is in flight, and gives the lease back although tasks that were stopped may still hold the session.
    pub(crate) fn release(&mut self) {
        self.workers.release();
        self.recorder.release();
    }

    /// Commits a change that no task made. The subscriber of a run that goes on from it is not sent its events.
    pub(crate) async fn edit(
        &mut self,
        then: Then,
        change: impl FnOnce(&mut Machine<S>, u64) -> Result<(Committed, Vec<TaskRecord>), Fault>,
    ) -> Result<(), RunError> {
        let now = self.now();
        let namespace = Arc::clone(self.namespace());
        let changed = change(&mut self.machine, now).map_err(|fault| fault.of_change("an edit"))?;
        let values = self.recorder.session.tells_steps().then(|| self.machine.values());
        self.recorder.edit(&self.machine, &namespace.durable_steps, then, changed, values, now).await
    }

    /// Commits answers, an update and tasks of these nodes and sends as one. The run has stored them before it goes on.
    pub(crate) async fn take_answers(
        &mut self,
        update: S::Update,
        answers: Vec<TaskRecord>,
        nodes: &[u32],
        sends: Vec<Sent>,
    ) -> Result<(), RunError> {
        let now = self.now();
        let committed = self.machine.amend(update, nodes, sends, now).map_err(|fault| fault.of_change("an update"))?;
        let namespace = Arc::clone(self.namespace());
        let values = self.recorder.session.tells_steps().then(|| self.machine.values());
        let changed = (committed, answers);
        self.recorder.write_change(&self.machine, &namespace.durable_steps, changed, values, now).await?;
        Ok(self.recorder.session.flush().await?)
    }

    /// Makes a branch of the checkpoint that the namespace was read at, which a call goes on from.
    pub(crate) async fn branch(&mut self, point: &ReplayPoint, records: &[TaskRecord]) -> Result<(), RunError> {
        let now = self.now();
        let (committed, renamed) = self.machine.fork(now).map_err(|fault| fault.of_change("a replay"))?;
        let mut tasks = taken_over(records, &renamed);
        if let Some((task, inner)) = &point.inner {
            tasks.push(replayed((task, inner), &renamed)?);
        }
        let namespace = Arc::clone(self.namespace());
        let values = self.recorder.session.tells_steps().then(|| self.machine.values());
        self.recorder.write_change(&self.machine, &namespace.durable_steps, (committed, tasks), values, now).await
    }

    /// Sends an event of the namespace, or of one of its tasks in an attempt.
    pub(crate) fn tell(&self, task: Option<(TaskId, u32)>, kind: EventKind) -> impl Future<Output = ()> + Send + '_ {
        self.recorder.tell(&self.machine, task, kind)
    }
}

impl MachineCore {
    /// What a subgraph that stopped tells of its end.
    fn detail_of(&self, stop: Stop, limit: Option<Duration>) -> String {
        match stop {
            Stop::Done => String::new(),
            Stop::Failed => {
                self.failure().map_or_else(String::new, |(_, node, _, error)| format!("node `{node}`: {error}"))
            }
            Stop::Waiting => {
                let keys: Vec<_> = self.questions().iter().map(|question| format!("`{}`", question.key)).collect();
                keys.join(", ")
            }
            Stop::StepTimeout => self.step_timeout(limit).to_string(),
            Stop::Budget | Stop::StepLimit | Stop::Drained | Stop::Cancelled => self.next_nodes().join(", "),
        }
    }
}

fn status_of(stop: Stop) -> ThreadStatus {
    match stop {
        Stop::Done => ThreadStatus::Done,
        Stop::Waiting => ThreadStatus::Waiting,
        Stop::Failed | Stop::StepTimeout => ThreadStatus::Failed,
        Stop::Budget | Stop::StepLimit => ThreadStatus::BudgetSpent,
        Stop::Drained => ThreadStatus::Drained,
        Stop::Cancelled => ThreadStatus::Cancelled,
    }
}
