//! The first and the last commit of a run, and changes that no task made.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::checkpoint::{Commit, TaskRecord, TaskRecordKind, ThreadStatus};
use crate::error::RunError;
use crate::event::{EventKind, Payload};
use crate::machine::{AttemptRow, Committed, MachineCore, Restored};
use crate::recorder::Recorder;
use crate::recorder::durable_steps::DurableSteps;
use crate::recorder::events::Events;
use crate::state::codec;

/// What becomes of the lease after a change that no task made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    GiveBack,
    /// The run that goes on from the change keeps it.
    GoOn,
}

impl Recorder {
    /// Takes over the records of tasks that were read back, and gives them the answers of this run. Returns the results of
    /// durable steps.
    ///
    /// # Errors
    /// Those of encoding, which are faults.
    pub(crate) fn take_over(&mut self, restored: &mut Restored) -> Result<DurableSteps, RunError> {
        let durable_steps = DurableSteps::default();
        for record in &restored.records {
            if record.kind == TaskRecordKind::Once {
                let (task, key) = (Arc::clone(&record.task), Arc::clone(&record.key));
                durable_steps.insert(task, key, Arc::clone(&record.payload));
            } else {
                self.recorded.insert(Arc::clone(&record.task));
            }
            if record.kind == TaskRecordKind::Replay {
                self.session.replays.note(record)?;
            }
        }
        if restored.forget_attempts {
            let attempts = restored.records.iter().filter(|record| record.kind == TaskRecordKind::Attempt);
            for record in attempts {
                let payload = codec::encode_row("attempt", &AttemptRow::default())?.into();
                self.forgotten.push(TaskRecord { payload, ..record.clone() });
            }
        }
        let answers = self.session.answer_records();
        self.recorded.extend(answers.iter().map(|record| Arc::clone(&record.task)));
        restored.records.extend(answers);
        Ok(durable_steps)
    }

    /// Prepares what the first commit of a root takes along about the thread and the run.
    pub(crate) fn begin_run<'r>(&'r mut self, machine: &'r MachineCore, how: &'r str) -> BoxFuture<'r, ()> {
        Box::pin(async move {
            if self.is_root {
                self.begin_root(machine, how).await;
            }
        })
    }

    async fn begin_root(&mut self, machine: &MachineCore, how: &str) {
        for (ns, head) in &machine.heads().children {
            self.session.calls.note(&self.ns, ns, *head);
        }
        let kind = EventKind::RunStarted { graph: machine.outline.name.clone(), how: how.to_owned() };
        match self.session.ending(ThreadStatus::Running, "") {
            Some(row) => self.opening = Some(Box::new((row, kind))),
            None if self.session.is_watched() => self.tell(machine, None, kind).await,
            None => {}
        }
    }

    /// Adds to a commit that the run has ended, and that the lease is given back.
    pub(super) fn end(
        &mut self,
        machine: &MachineCore,
        commit: &mut Commit,
        events: &mut Events,
        status: ThreadStatus,
        detail: &str,
    ) {
        self.ended = true;
        for (target, missing) in machine.starved_joins() {
            let message = format!("the join into `{target}` never filled: {missing} did not finish in this run");
            events.push(self.session.event(&self.ns, machine.step(), None, EventKind::Warning { message }).into());
        }
        let kind = EventKind::RunEnded { status, detail: detail.to_owned() };
        events.push(self.session.event(&self.ns, machine.step(), None, kind).into());
        commit.thread = self.session.ending(status, detail);
        commit.release = true;
    }

    /// Whether nothing of the run has been written.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.opening.is_some()
    }

    /// Writes the commit that ends the run of a root, unless the last checkpoint did.
    pub(crate) fn close<'r>(
        &'r mut self,
        machine: &'r MachineCore,
        status: ThreadStatus,
        detail: &'r str,
    ) -> BoxFuture<'r, Result<(), RunError>> {
        Box::pin(async move {
            if !self.ended && (self.session.attached.is_some() || self.session.is_watched()) {
                let mut commit = self.commit_of_nothing();
                let mut events = Events::new();
                self.end(machine, &mut commit, &mut events, status, detail);
                self.write(machine, commit, &mut events).await?;
            }
            Ok(self.session.flush().await?)
        })
    }

    /// Gives the lease back although tasks that were stopped may still hold the session.
    pub(crate) fn release(&self) {
        if let Some(attached) = &self.session.attached {
            attached.store.release(&attached.lease);
        }
    }

    /// Writes the commit of a change that no task made, with the records of tasks that it came with, as one of the run.
    pub(crate) async fn write_change(
        &mut self,
        machine: &MachineCore,
        durable: &DurableSteps,
        changed: (Committed, Vec<TaskRecord>),
        values: Option<Payload>,
        now: u64,
    ) -> Result<(), RunError> {
        let (commit, mut events) = self.commit_of_change(machine, durable, changed, values, now)?;
        self.write(machine, commit, &mut events).await
    }

    /// The commit of a change that no task made. What its records say counts from now on.
    fn commit_of_change(
        &mut self,
        machine: &MachineCore,
        durable: &DurableSteps,
        (committed, tasks): (Committed, Vec<TaskRecord>),
        values: Option<Payload>,
        now: u64,
    ) -> Result<(Box<Commit>, Events), RunError> {
        let events = self.events_of(machine, &committed, values, now);
        let mut commit = committed.stored.unwrap_or_else(|| self.commit_of_nothing());
        for record in &tasks {
            match record.kind {
                TaskRecordKind::Once => {
                    let (task, key) = (Arc::clone(&record.task), Arc::clone(&record.key));
                    durable.insert(task, key, Arc::clone(&record.payload));
                }
                TaskRecordKind::Replay => {
                    self.session.replays.note(record)?;
                    self.recorded.insert(Arc::clone(&record.task));
                }
                _ => {}
            }
        }
        commit.tasks = tasks;
        Ok((commit, events))
    }

    /// Commits a change that no task made, with the records that it takes over. The subscriber of a run that goes on from it
    /// is not sent its events.
    pub(crate) fn edit<'r>(
        &'r mut self,
        machine: &'r MachineCore,
        durable: &'r DurableSteps,
        then: Then,
        changed: (Committed, Vec<TaskRecord>),
        values: Option<Payload>,
        now: u64,
    ) -> BoxFuture<'r, Result<(), RunError>> {
        Box::pin(self.edited(machine, durable, then, changed, values, now))
    }

    async fn edited(
        &mut self,
        machine: &MachineCore,
        durable: &DurableSteps,
        then: Then,
        changed: (Committed, Vec<TaskRecord>),
        values: Option<Payload>,
        now: u64,
    ) -> Result<(), RunError> {
        let (mut commit, mut events) = self.commit_of_change(machine, durable, changed, values, now)?;
        // The tasks have other ids now.
        self.forgotten.clear();
        commit.settled.append(&mut self.abandoned);
        self.ended = machine.is_idle();
        commit.release = self.ended || then == Then::GiveBack;
        let (status, detail) = if self.ended { (ThreadStatus::Done, "") } else { (ThreadStatus::Drained, "edited") };
        commit.thread = self.session.ending(status, detail);
        if let Some(attached) = &self.session.attached {
            attached.write_commit(commit, machine.heads(), &mut events, self.session.policy.durability, None).await?;
        }
        Ok(self.session.flush().await?)
    }
}
