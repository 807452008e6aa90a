//! The commit of a step: from the machine to the store and the subscriber.

use std::future::Future;
use std::sync::Arc;

use crate::checkpoint::{Commit, TaskRecord, TaskRecordKind, ThreadStatus};
use crate::error::RunError;
use crate::event::EventKind;
use crate::executor::policy::Durability;
use crate::executor::run_loop::Driver;
use crate::executor::session::Session;
use crate::machine::{Committed, Fault, Machine, Stop, TaskId};
use crate::recorder::events::Events;
use crate::state::State;
use crate::subgraph::thread_scoped::Standing;

/// What becomes of the lease after a change that no task made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    GiveBack,
    /// The run that goes on from the change keeps it.
    GoOn,
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Commits a finished task, or its step. When nobody reads or stores what was committed, that is all.
    pub(crate) async fn commit(&mut self, id: TaskId) -> Result<(), RunError> {
        // Results of durable steps are forgotten with their tasks, in a run without a store too.
        self.machine.observed |= self.durable_steps().is_some() || self.session.calls.is_used();
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
        let mut commit = self.commit_of_nothing();
        let mut events = Events::new();
        if let Some((id, node, attempt, error)) = self.machine.failure() {
            let path = self.machine.task_path(id);
            let kind = EventKind::TaskFailed { node: node.to_owned(), error: error.to_string() };
            events.push(self.session.event(&self.ns, self.machine.step(), Some((&path, attempt)), kind).into());
            commit.settled.push(path);
        }
        if let Fault::Run(error) = fault {
            // What the tasks wrote does not fit together.
            commit.settled = if self.machine.in_barrier() { self.machine.step_paths() } else { Vec::new() };
            self.machine.halt(Stop::Failed);
            self.fault.get_or_insert(error);
        }
        self.write(commit, &mut events).await
    }

    pub(crate) async fn publish(&mut self, committed: Box<Committed<S>>, now: u64) -> Result<(), RunError> {
        let paths = self.paths_to_end(&committed);
        for path in &paths {
            if let Some(durable_steps) = self.durable_steps() {
                durable_steps.settle(path);
            }
            self.session.budget.settle(path);
            self.session.calls.finish(path, &Standing::default());
        }
        if self.session.is_silent() {
            return Ok(());
        }
        let mut events = self.events_of(&committed, now);
        let mut commit = committed.stored.unwrap_or_else(|| self.commit_of_nothing());
        if commit.checkpoint.is_some() {
            commit.settled.append(&mut self.abandoned);
            self.settle_answers(&paths, &mut commit.settled);
            commit.settled.extend(paths.iter().filter_map(|path| self.recorded.take(path)));
        }
        if self.is_root && self.machine.is_idle() {
            self.end(&mut commit, &mut events, ThreadStatus::Done, "");
        }
        self.write(commit, &mut events).await?;
        // Not before the commit waits beside them: a sibling may have all that waits written at any time.
        if let Some(attached) = &self.session.attached {
            paths.iter().for_each(|path| attached.end_call(path, self.session.policy.durability));
        }
        Ok(())
    }

    /// The ids of committed tasks, when something may be kept under them.
    fn paths_to_end(&self, committed: &Committed<S>) -> Vec<Arc<str>> {
        let Session { policy, calls, answers, .. } = &*self.session;
        let in_run = self.durable_steps().is_some() || calls.is_used() || policy.budget.is_some();
        let in_store = !(self.recorded.is_empty() && (answers.is_empty() || !self.is_root));
        if in_run || in_store || policy.durability == Durability::Exit {
            committed.tasks.iter().map(|task| self.machine.committed_path(task)).collect()
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

    fn end(&mut self, commit: &mut Commit, events: &mut Events, status: ThreadStatus, detail: &str) {
        self.ended = true;
        for (target, missing) in self.machine.starved_joins() {
            let message = format!("the join into `{target}` never filled: {missing} did not finish in this run");
            events.push(self.session.event(&self.ns, self.machine.step(), None, EventKind::Warning { message }).into());
        }
        let kind = EventKind::RunEnded { status, detail: detail.to_owned() };
        events.push(self.session.event(&self.ns, self.machine.step(), None, kind).into());
        commit.thread = self.session.ending(status, detail);
        commit.release = true;
    }

    /// Whether nothing of the run has been written.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.opening.is_some()
    }

    /// Writes the commit that ends the run of a root, unless the last checkpoint did.
    async fn close(&mut self, status: ThreadStatus, detail: &str) -> Result<(), RunError> {
        if !self.ended && (self.session.attached.is_some() || self.session.is_watched()) {
            let mut commit = self.commit_of_nothing();
            let mut events = Events::new();
            self.end(&mut commit, &mut events, status, detail);
            Box::pin(self.write(commit, &mut events)).await?;
        }
        Ok(self.session.flush().await?)
    }

    /// Closes the run. An end that cannot be stored takes nothing away: the lease is given back, and an error that the
    /// run ended with stays its error, beside a warning to the reader.
    pub(crate) async fn close_with<T>(
        &mut self,
        status: ThreadStatus,
        detail: &str,
        outcome: Result<T, RunError>,
    ) -> Result<T, RunError> {
        let Err(unwritten) = self.close(status, detail).await else { return outcome };
        self.release();
        if outcome.is_ok() {
            return Err(unwritten);
        }
        let message =
            format!("how the run ended could not be stored, its thread goes on with `continue_()`: {unwritten}");
        Box::pin(self.tell(None, EventKind::Warning { message })).await;
        outcome
    }

    /// Gives the lease back although tasks that were stopped may still hold the session.
    pub(crate) fn release(&mut self) {
        self.workers.release();
        if let Some(attached) = &self.session.attached {
            attached.store.release(&attached.lease);
        }
    }

    /// Commits a change that no task made. The subscriber of a run that goes on from it is not sent its events.
    pub(crate) async fn edit(
        &mut self,
        then: Then,
        change: impl FnOnce(&mut Machine<S>, u64) -> Result<(Committed<S>, Vec<TaskRecord>), Fault>,
    ) -> Result<(), RunError> {
        let now = self.now();
        let (committed, tasks) = change(&mut self.machine, now).map_err(|fault| fault.of_change("an edit"))?;
        let mut events = self.events_of(&committed, now);
        let mut commit = committed.stored.unwrap_or_else(|| self.commit_of_nothing());
        for TaskRecord { task, key, payload, .. } in tasks.iter().filter(|record| record.kind == TaskRecordKind::Once) {
            self.namespace().durable_steps.insert(Arc::clone(task), Arc::clone(key), Arc::clone(payload));
        }
        // The tasks have other ids now.
        self.forgotten.clear();
        self.ended = self.machine.is_idle();
        (commit.tasks, commit.release) = (tasks, self.ended || then == Then::GiveBack);
        let (status, detail) = if self.ended { (ThreadStatus::Done, "") } else { (ThreadStatus::Drained, "edited") };
        commit.thread = self.session.ending(status, detail);
        if let Some(attached) = &self.session.attached {
            attached.commit(commit, self.machine.heads(), &mut events, self.session.policy.durability, None).await?;
        }
        Ok(self.session.flush().await?)
    }

    /// A commit of the namespace that brings nothing yet.
    pub(crate) fn commit_of_nothing(&self) -> Box<Commit> {
        Box::new(Commit { ns: Arc::clone(&self.ns), ..Commit::default() })
    }

    pub(crate) async fn write(&mut self, mut commit: Box<Commit>, events: &mut Events) -> Result<(), RunError> {
        if let Some((row, kind)) = self.opening.take().map(|opening| *opening) {
            commit.thread.get_or_insert(row);
            events.insert(0, self.session.event(&self.ns, self.machine.step(), None, kind).into());
        }
        if !self.forgotten.is_empty() {
            commit.tasks.splice(0..0, self.forgotten.drain(..));
        }
        Ok(self.session.commit(commit, self.machine.heads(), events).await?)
    }

    pub(crate) fn tell(&self, task: Option<(TaskId, u32)>, kind: EventKind) -> impl Future<Output = ()> + Send + '_ {
        let path = task.map(|(id, attempt)| (self.machine.task_path(id), attempt));
        let task = path.as_ref().map(|(path, attempt)| (path, *attempt));
        self.session.tell(self.session.event(&self.ns, self.machine.step(), task, kind))
    }

    pub(crate) fn now(&self) -> u64 {
        if self.machine.observed { self.session.clock.now() } else { 0 }
    }
}
