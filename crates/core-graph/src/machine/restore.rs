//! A machine from what a store has.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Chain, CheckpointRow, RecordBytes, TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::machine::frontier::Group;
use crate::machine::persist::Persist;
use crate::machine::task::{AttemptRow, Done, Pending, Phase};
use crate::machine::{Limits, Machine, MachineCore};
use crate::record::FrontierDelta;
use crate::state::{AnyState, Field, FieldChange, Op, State, StateError, codec};
use crate::step::Step;
use crate::step_row::NextRow;
use crate::tasks::{ChildHeads, Question, TaskId};
use crate::topology::{Join, Mode, Outline, ReadStates, Topology};

/// A namespace as it was read.
#[derive(Clone)]
pub(crate) struct Restored {
    pub(crate) row: CheckpointRow,
    /// The newest checkpoint's number, which differs from the row's when an older one was read.
    pub(crate) newest: u64,
    /// The store's head.
    pub(crate) head: u64,
    /// A state of the namespace's graph.
    pub(crate) state: AnyState,
    pub(crate) chains: Vec<Chain>,
    pub(crate) frontier: FrontierDelta,
    pub(crate) frontier_chain: Chain,
    /// The records of tasks; of results of durable steps, those of unfinished tasks.
    pub(crate) records: Vec<TaskRecord>,
    /// States of older checkpoints that in-flight tasks were dispatched on.
    pub(crate) older: BTreeMap<u64, AnyState>,
    /// Whether the state is of an older version than the graph's and was migrated.
    pub(crate) migrated: bool,
    /// Whether attempts that failed are forgotten, as `continue_` after a failure does.
    pub(crate) forget_attempts: bool,
}

/// What a task of an unfinished super-step left, as a record.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum WriteRow {
    Finished {
        changes: Vec<ChangeRow>,
        next: NextRow,
        cost: u64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        heads: ChildHeads,
    },
    Suspended {
        questions: Vec<Question>,
    },
}

/// A [`FieldChange`] that knows its field by name: the fields may stand in another order when it is read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChangeRow {
    field: Arc<str>,
    op: Op,
    bytes: RecordBytes,
}

/// Answers to questions, by task and key.
pub(crate) type AnswerMap = BTreeMap<(Arc<str>, Arc<str>), Arc<[u8]>>;

impl Restored {
    /// The answers among the records.
    pub(crate) fn answers(&self) -> AnswerMap {
        let answers = self.records.iter().filter(|record| record.kind == TaskRecordKind::Answer);
        let entry =
            |record: &TaskRecord| ((Arc::clone(&record.task), Arc::clone(&record.key)), Arc::clone(&record.payload));
        answers.map(entry).collect()
    }
}

/// A graph as its states and the results of its tasks are read, whatever the type of its state.
pub(crate) trait ReadGraph: ReadStates {
    /// Makes what a finished task left of the changes that it wrote.
    fn done_of(&self, changes: &[FieldChange]) -> Result<Box<Done>, StateError>;
}

impl<S: State> ReadGraph for Topology<S> {
    fn done_of(&self, changes: &[FieldChange]) -> Result<Box<Done>, StateError> {
        let update = S::decode_update(&self.layout, changes)?;
        Ok(Done::of(Step::<S>::update(update), 0))
    }
}

impl<S: State> Machine<S> {
    /// A machine on what was read of a namespace.
    ///
    /// # Errors
    /// The state is one of another graph, which is a fault.
    pub(crate) fn of(topology: Arc<Topology<S>>, core: MachineCore, state: AnyState) -> Result<Self, RunError> {
        let state = state.downcast();
        let state = state.map_err(|_| RunError::Internal("a state of another graph was read".to_owned()))?;
        Ok(Self { core, topology, state })
    }
}

impl MachineCore {
    /// A machine on a checkpoint, and its state. One that is not `durable` stores nothing from there on.
    ///
    /// # Errors
    /// When a task's node is no longer in the graph, or a record cannot be read.
    pub(crate) fn restore(
        outline: Arc<Outline>,
        ns: Arc<str>,
        limits: Limits,
        restored: Restored,
        thread: &str,
        durable: bool,
        graph: &dyn ReadGraph,
    ) -> Result<(Self, AnyState), RunError> {
        let mut core = Self::fresh(outline, ns, limits, durable);
        let state = Arc::clone(&restored.state);
        core.take_restored(restored, thread, durable, graph)?;
        Ok((core, state))
    }

    /// Takes over what was read of a namespace.
    fn take_restored(
        &mut self,
        restored: Restored,
        thread: &str,
        durable: bool,
        graph: &dyn ReadGraph,
    ) -> Result<(), RunError> {
        let Restored { row, newest, head, chains, frontier_chain, migrated, .. } = restored;
        self.number = row.number;
        (self.newest, self.first) = (newest, newest);
        self.step = row.step;
        self.executed = row.executed;
        self.versions = chains.iter().map(|chain| chain.version).collect();
        let is_set = |(at, field): &(usize, &Field)| field.ephemeral && self.versions[*at] == row.number;
        self.ephemeral = self.outline.fields.iter().enumerate().filter(is_set).map(|(at, _)| at).collect();
        self.persist = durable.then(|| Box::new(Persist::at(&row, head, chains, frontier_chain, migrated)));
        let Restored { state, frontier, older, records, forget_attempts, .. } = restored;
        self.restore_frontier(frontier, &state, &older, forget_attempts, thread)?;
        self.restore_records(&records, forget_attempts, migrated, graph)
    }

    fn restore_frontier(
        &mut self,
        frontier: FrontierDelta,
        state: &AnyState,
        older: &BTreeMap<u64, AnyState>,
        forget_attempts: bool,
        thread: &str,
    ) -> Result<(), RunError> {
        let outline = Arc::clone(&self.outline);
        let mismatch = |message: String| RunError::GraphMismatch {
            thread: thread.to_owned(),
            graph: outline.name.clone(),
            message,
        };
        self.frontier.restore_heads(frontier.heads.unwrap_or_default());
        for row in frontier.tasks {
            let node = outline.find(&row.node).ok_or_else(|| {
                mismatch(format!(
                    "a task waits at node `{}`, which the graph no longer has; add the node back, or drop all unfinished tasks with `abandon().run(…)`",
                    row.node
                ))
            })?;
            let info = outline.node(node);
            let phase =
                if info.deferred && row.key.is_none() && row.seen.is_none() { Phase::Deferred } else { Phase::Ready };
            // After a failure the task runs on the head: what it saw may be why it failed.
            let dispatched = row.seen.filter(|_| !forget_attempts);
            let state = dispatched.and_then(|seen| match seen {
                head if head == self.number => Some(Arc::clone(state)),
                older_one => older.get(&older_one).map(Arc::clone),
            });
            let task = Pending {
                key: row.key.map(|key| CompactString::new(&key)),
                input: row.input.map(RecordBytes::from),
                groups: row.groups.into(),
                timeout: row.timeout.map(Box::new),
                failed: if forget_attempts { 0 } else { row.failed },
                seen: dispatched.filter(|_| state.is_some()),
                state: state.filter(|_| row.failed == 0),
                passed: true,
                counted: row.seen.is_some(),
                ..Pending::new(node, phase)
            };
            self.frontier.push(row.id, task, false);
        }
        for (target, arrived) in frontier.joins.into_iter().flatten() {
            let named = |at: u32| outline.nodes.get(at as usize).map_or("", |node| node.name.as_str());
            let into = |join: &&Join| outline.node(join.target).name.as_str() == target;
            let same =
                |join: &Join| join.predecessors.iter().map(|at| named(*at)).eq(arrived.iter().map(|(name, _)| name));
            // Several joins may lead to one node; one whose predecessors have changed is known by its target.
            let joins = || outline.joins.iter().enumerate().filter(|(_, join)| into(join));
            let Some((at, _)) = joins().find(|(_, join)| same(join)).or_else(|| joins().next()) else { continue };
            for (place, predecessor) in outline.joins[at].predecessors.iter().enumerate() {
                let name = named(*predecessor);
                let count = arrived.iter().find(|(other, _)| other == name).map_or(0, |(_, count)| *count);
                self.frontier.joins.restore(at, place, count);
            }
        }
        for (id, open, targets) in frontier.groups {
            let targets = targets.iter().filter_map(|name| outline.find(name)).collect();
            if open > 0 {
                self.frontier.groups.insert(id, Group { open, targets });
            }
        }
        Ok(())
    }

    /// What a finished task wrote is of the state before a migration: such a task runs again.
    fn restore_records(
        &mut self,
        records: &[TaskRecord],
        forget_attempts: bool,
        migrated: bool,
        graph: &dyn ReadGraph,
    ) -> Result<(), RunError> {
        let mut by_path: BTreeMap<Arc<str>, TaskId> = BTreeMap::new();
        for (id, _) in self.frontier.iter() {
            by_path.insert(self.task_path(id), id);
        }
        let answered = |task: &str, key: &str| {
            records
                .iter()
                .any(|record| record.kind == TaskRecordKind::Answer && &*record.task == task && &*record.key == key)
        };
        let barrier = self.outline.mode == Mode::Barrier;
        // Deferred tasks are dispatched all together, when there are no others: what one has left tells that all were.
        let mut released = false;
        for record in records {
            let Some(id) = by_path.get(&record.task).copied() else { continue };
            released |= barrier && self.frontier.get(id).is_some_and(|task| matches!(task.phase, Phase::Deferred));
            match record.kind {
                TaskRecordKind::Attempt if !forget_attempts => {
                    let AttemptRow { failed, failure, began } = codec::decode("attempt", &record.payload)?;
                    if let Some(task) = self.frontier.get_mut(id) {
                        (task.failed, task.began) = (failed, began);
                        task.failure = failure.map(Arc::new);
                        // A retry runs on the head.
                        task.state = task.state.take().filter(|_| failed == 0);
                    }
                }
                TaskRecordKind::Write => match codec::decode("write", &record.payload)? {
                    WriteRow::Finished { .. } if migrated => {}
                    WriteRow::Finished { changes, next, cost, heads } => {
                        let changes = self.changes_of(changes);
                        let mut done = graph.done_of(&changes)?;
                        (done.next, done.cost, done.heads, done.encoded) = (next.into_next(), cost, heads, changes);
                        self.rest(id, Phase::Finished(done));
                    }
                    WriteRow::Suspended { questions } => {
                        let open = questions.iter().filter(|question| !answered(&question.task, &question.key)).count();
                        if open == questions.len() {
                            self.rest(id, Phase::Suspended(questions));
                        }
                    }
                },
                TaskRecordKind::Attempt | TaskRecordKind::Once | TaskRecordKind::Answer | TaskRecordKind::Replay => {}
            }
        }
        if released {
            let deferred = self.frontier.iter().filter(|(_, task)| matches!(task.phase, Phase::Deferred));
            let ids: Vec<_> = deferred.map(|(id, _)| id).collect();
            ids.into_iter().for_each(|id| self.frontier.make_ready(id));
        }
        if barrier && self.frontier.iter().any(|(_, task)| matches!(task.phase, Phase::Finished(_))) {
            self.step_open = true;
            for (_, task) in self.frontier.iter_mut() {
                task.in_step = !matches!(task.phase, Phase::Deferred);
                task.counted |= task.in_step;
                self.unfinished += usize::from(task.in_step && !matches!(task.phase, Phase::Finished(_)));
            }
        }
        Ok(())
    }

    /// Changes by the places that their fields have now.
    fn changes_of(&self, rows: Vec<ChangeRow>) -> Vec<FieldChange> {
        let names = &self.outline.field_names;
        let changes = rows.into_iter().filter_map(|ChangeRow { field, op, bytes }| {
            let at = names.iter().position(|name| *name == field).and_then(|at| u32::try_from(at).ok());
            if at.is_none() {
                tracing::warn!(%field, "a task wrote a field that is not in the state any more; that is left out");
            }
            Some(FieldChange { field: at?, op, bytes })
        });
        changes.collect()
    }

    fn rows_of(&self, changes: &[FieldChange]) -> Vec<ChangeRow> {
        let row = |change: &FieldChange| {
            let field = self.outline.field_names.get(change.field as usize)?;
            Some(ChangeRow { field: Arc::clone(field), op: change.op, bytes: change.bytes.clone() })
        };
        changes.iter().filter_map(row).collect()
    }

    /// Gives a task a phase in which it is not ready.
    fn rest(&mut self, id: TaskId, phase: Phase) {
        self.frontier.unready(id);
        if let Some(task) = self.frontier.get_mut(id) {
            task.phase = phase;
        }
    }

    /// A finished task that waits for its commit: eager mode after a crash between a record and its commit, or a
    /// barrier step whose tasks have all finished.
    pub(crate) fn uncommitted(&self) -> Option<TaskId> {
        let finished =
            self.frontier.iter().find(|(_, task)| matches!(task.phase, Phase::Finished(_))).map(|(id, _)| id)?;
        (self.outline.mode == Mode::Eager || self.step_is_complete()).then_some(finished)
    }

    /// What a finished or suspended task leaves until its step commits.
    pub(crate) fn write_row(&self, id: TaskId) -> Option<WriteRow> {
        match &self.frontier.get(id)?.phase {
            Phase::Finished(done) => Some(WriteRow::Finished {
                changes: self.rows_of(&done.encoded),
                next: NextRow::of(&done.next).ok()?,
                cost: done.cost,
                heads: done.heads.clone(),
            }),
            Phase::Suspended(questions) => Some(WriteRow::Suspended { questions: questions.clone() }),
            _ => None,
        }
    }
}
