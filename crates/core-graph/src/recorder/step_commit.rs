//! The commit of a step: from the machine to the store and the subscriber.

use std::future::Future;
use std::sync::Arc;

use crate::checkpoint::{Commit, TaskRecord, TaskRecordKind, ThreadStatus};
use crate::error::RunError;
use crate::event::{EventKind, Payload};
use crate::limits::Durability;
use crate::machine::{Committed, MachineCore};
use crate::recorder::Recorder;
use crate::recorder::durable_steps::DurableSteps;
use crate::recorder::events::Events;
use crate::recorder::session::Session;
use crate::tasks::{Standing, TaskId};

impl Recorder {
    /// Returns a record of a task, which ends with the task.
    pub(crate) fn record(&mut self, task: Arc<str>, kind: TaskRecordKind, payload: Arc<[u8]>) -> TaskRecord {
        self.recorded.insert(Arc::clone(&task));
        TaskRecord { task, kind, key: "".into(), payload }
    }

    /// Takes a commit to the store and the subscriber, and ends what was kept for its tasks. `durable` are the results of
    /// durable steps of the namespace, if there are any; `values` is the state, for a reader of steps.
    pub(crate) async fn publish(
        &mut self,
        machine: &MachineCore,
        durable: Option<&DurableSteps>,
        committed: Box<Committed>,
        values: Option<Payload>,
        now: u64,
    ) -> Result<(), RunError> {
        let paths = self.paths_to_end(machine, durable, &committed);
        for path in &paths {
            if let Some(durable) = durable {
                durable.settle(path);
            }
            self.session.budget.settle(path);
            self.session.calls.finish(path, &Standing::default());
        }
        if self.session.is_silent() {
            return Ok(());
        }
        let mut events = self.events_of(machine, &committed, values, now);
        let mut commit = committed.stored.unwrap_or_else(|| self.commit_of_nothing());
        if commit.checkpoint.is_some() {
            commit.settled.append(&mut self.abandoned);
            self.settle_answers(&paths, &mut commit.settled);
            commit.settled.extend(paths.iter().filter_map(|path| self.recorded.take(path)));
        }
        if self.is_root && machine.is_idle() {
            self.end(machine, &mut commit, &mut events, ThreadStatus::Done, "");
        }
        self.write(machine, commit, &mut events).await?;
        // Not before the commit waits beside them: a sibling may have all that waits written at any time.
        if let Some(attached) = &self.session.attached {
            paths.iter().for_each(|path| attached.end_call(path, self.session.policy.durability));
        }
        Ok(())
    }

    /// The ids of committed tasks, when something may be kept under them.
    fn paths_to_end(
        &self,
        machine: &MachineCore,
        durable: Option<&DurableSteps>,
        committed: &Committed,
    ) -> Vec<Arc<str>> {
        let Session { policy, calls, answers, .. } = &*self.session;
        let in_run = durable.is_some() || calls.is_used() || policy.budget.is_some();
        let in_store = !(self.recorded.is_empty() && (answers.is_empty() || !self.is_root));
        if in_run || in_store || policy.durability == Durability::Exit {
            committed.tasks.iter().map(|task| machine.committed_path(task)).collect()
        } else {
            Vec::new()
        }
    }

    /// Answers to questions of a subgraph are kept beside the root's; they end with the root's task.
    fn settle_answers(&self, tasks: &[Arc<str>], settled: &mut Vec<Arc<str>>) {
        if !self.is_root || self.session.answers.is_empty() {
            return;
        }
        let inside = |task: &str, of: &str| task.strip_prefix(of).is_some_and(|rest| rest.starts_with('/'));
        let ending: Vec<_> = tasks.iter().chain(&*settled).map(Arc::clone).collect();
        let answered = self.session.answers.keys().map(|(task, _)| task);
        settled.extend(answered.filter(|task| ending.iter().any(|of| inside(task, of))).map(Arc::clone));
    }

    /// A commit of the namespace that brings nothing yet.
    pub(crate) fn commit_of_nothing(&self) -> Box<Commit> {
        Box::new(Commit { ns: Arc::clone(&self.ns), ..Commit::default() })
    }

    /// Writes a commit with its events. The first of a root takes along that the run has begun.
    pub(crate) async fn write(
        &mut self,
        machine: &MachineCore,
        mut commit: Box<Commit>,
        events: &mut Events,
    ) -> Result<(), RunError> {
        if let Some((row, kind)) = self.opening.take().map(|opening| *opening) {
            commit.thread.get_or_insert(row);
            events.insert(0, self.session.event(&self.ns, machine.step(), None, kind).into());
        }
        if !self.forgotten.is_empty() {
            commit.tasks.splice(0..0, self.forgotten.drain(..));
        }
        Ok(self.session.commit(commit, machine.heads(), events).await?)
    }

    /// Sends an event of the namespace, or of one of its tasks in an attempt.
    pub(crate) fn tell<'r>(
        &'r self,
        machine: &MachineCore,
        task: Option<(TaskId, u32)>,
        kind: EventKind,
    ) -> impl Future<Output = ()> + Send + use<'r> {
        let path = task.map(|(id, attempt)| (machine.task_path(id), attempt));
        let task = path.as_ref().map(|(path, attempt)| (path, *attempt));
        self.session.tell(self.session.event(&self.ns, machine.step(), task, kind))
    }
}
