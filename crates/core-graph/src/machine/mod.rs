//! The step machine: all super-step semantics, synchronous, deterministic, without I/O.
//!
//! A driver asks for a [`plan`](MachineCore::plan), runs the tasks, says what became of each
//! ([`complete`](Machine::complete)), and [`commit`](Machine::commit)s what the machine says is ready. The machine
//! never waits, never reads a clock and never draws a random number: time comes in as `now`, in milliseconds.
//!
//! The rules of a super-step, and the function that is each:
//!
//! | rule | where |
//! | --- | --- |
//! | a barrier step is all that is ready, whole or not at all, within the limits of the run | `open_step` in `plan.rs` |
//! | ready tasks are dispatched in the order of their ids, as many as concurrency, classes and budget allow | `dispatch_ready` in `plan.rs` |
//! | deferred tasks run when nothing else is left | `release_deferred` in `plan.rs` |
//! | a run stops before and after nodes with breakpoints | `stop_before`, `stop_after` in `breakpoints.rs` |
//! | an ended task is committed, held, repeated, handled, suspended or failed | `complete` in `complete.rs` |
//! | whether and when a failed attempt is repeated | `retry_delay` in `retry.rs` |
//! | two tasks of a step that replace one field, or write one without a reducer, conflict | `check_conflicts` in `batch.rs` |
//! | a router sees the head with the update of its own task | `own_states` in `batch.rs` |
//! | a single task is committed: its update is folded, what follows is found, a refused step leaves the state as it was | `commit_single` in `single_task.rs` |
//! | several tasks are committed together, nodes by name, then sends by key | `commit_batch` in `commit.rs` |
//! | an update that comes with answers is a commit in the middle of a step | `amend` in `amend.rs` |
//! | an update that says what runs next is a commit with tasks of these nodes alone | `go_to` in `goto.rs` |
//! | ephemeral fields last for one step | `reset_ephemeral` in `commit.rs` |
//! | a finished task triggers what its edges, its routers or its own choice say | `follow` in `triggers.rs` |
//! | what is triggered becomes tasks, each node once | `trigger` in `triggers.rs` |
//! | a second send of a key does nothing | `coalesce` in `fan_out.rs` |
//! | a fan-out closes when its last task has committed | `count_groups` in `fan_out.rs` |
//! | a join fires once for each time that all its predecessors have arrived | `arrive` in `joins.rs` |
//! | a join of what is reached fires when nothing that is left leads to it | `trigger_reached` in `joins.rs` |
//! | after a crash, tasks are as the records of their checkpoint say | `restore_records` in `restore.rs` |

mod amend;
mod batch;
mod breakpoints;
mod child_positions;
mod commit;
mod complete;
mod fan_out;
mod frontier;
mod goto;
mod inline_call;
mod inspect;
mod joins;
#[cfg(test)]
mod model_tests;
mod persist;
mod plan;
mod restore;
pub(crate) mod retry;
mod single_task;
mod task;
pub(crate) mod triggers;

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use smallvec::{SmallVec, smallvec};

use crate::checkpoint::StepNames;
use crate::event::Payload;
use crate::state::{FieldSet, State};
use crate::tasks::{Stop, TaskId};
use crate::topology::{Outline, Topology};

pub(crate) use breakpoints::Breakpoints;
pub(crate) use commit::{Committed, Fault, Renamed};
pub(crate) use complete::{Completion, TaskOutcome};
pub(crate) use fan_out::Sent;
pub(crate) use frontier::Frontier;
pub(crate) use inline_call::{CallState, Following};
pub(crate) use persist::Persist;
pub(crate) use plan::{Dispatch, Due, Plan};
pub(crate) use restore::{AnswerMap, ReadGraph, Restored, WriteRow};
pub(crate) use single_task::SingleTask;
pub(crate) use task::AttemptRow;
use task::Phase;
pub(crate) use triggers::{RouteFault, Triggered};

/// Nodes of a graph.
pub(crate) type Nodes = SmallVec<[u32; 4]>;

/// The head of a namespace in memory, and what is running on it.
pub(crate) struct Machine<S: State> {
    pub(crate) core: MachineCore,
    pub(crate) topology: Arc<Topology<S>>,
    pub(crate) state: Arc<S>,
}

/// What of a machine does not depend on the type of the state. All rules that need no more are written for it, so that they
/// are compiled once and not again for each state.
pub(crate) struct MachineCore {
    pub(crate) outline: Arc<Outline>,
    /// The namespace, `""` for the root.
    ns: Arc<str>,
    /// Counts commits of the namespace.
    pub(crate) number: u64,
    /// The number of the newest checkpoint of the namespace, which is `number` unless an older one is the head.
    newest: u64,
    /// What `newest` was when the run began.
    first: u64,
    /// Super-steps committed.
    step: u64,
    /// Per field, the number of the commit that changed it last.
    versions: SmallVec<[u64; 4]>,
    /// Eager mode: per field, the node that wrote it last in this run.
    writers: SmallVec<[Option<u32>; 4]>,
    /// Ephemeral fields that hold something.
    ephemeral: FieldSet,
    frontier: Frontier,
    /// Tasks executed by this run, children included.
    pub(crate) executed: u64,
    limits: Limits,
    /// Tells threads apart in what varies from thread to thread.
    pub(crate) thread_seed: u64,
    /// What is kept for the store, if there is one.
    persist: Option<Box<Persist>>,
    /// Whether anybody reads events.
    pub(crate) observed: bool,
    /// Whether somebody reads the run's events.
    pub(crate) watched: bool,
    /// Barrier mode: whether a super-step is under way.
    step_open: bool,
    /// Why nothing more is dispatched.
    halt: Option<Stop>,
    steps_this_run: u64,
    /// Whether a task may wait for its next attempt.
    backs_off: bool,
    in_flight: usize,
    /// Barrier mode: how many tasks of the super-step under way have not finished.
    unfinished: usize,
    /// Whether the tasks of that step are not counted against the budget yet.
    unreserved: bool,
    in_class: Vec<usize>,
    /// Where the run stops.
    breakpoints: Breakpoints,
    /// Empty between commits; kept for its room.
    triggered: Triggered,
    /// The commit whose tasks are in the order in which they commit.
    in_order: Option<u64>,
    /// What the steps of the namespace have in common; made for the first of them that is stored or told.
    step_names: OnceLock<Arc<StepNames>>,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many tasks may be dispatched for the first time; set anew before each plan.
    pub(crate) room: Option<u64>,
    pub(crate) max_steps: Option<u64>,
    pub(crate) concurrency: usize,
}

impl<S: State> Machine<S> {
    /// A namespace without a checkpoint.
    pub(crate) fn fresh(topology: Arc<Topology<S>>, ns: Arc<str>, limits: Limits, durable: bool) -> Self {
        let core = MachineCore::fresh(Arc::clone(&topology.outline), ns, limits, durable);
        Self::initial(topology, core)
    }

    /// Begins with the initial state.
    pub(crate) fn initial(topology: Arc<Topology<S>>, core: MachineCore) -> Self {
        Self { core, state: Arc::new(S::initial(&topology.layout)), topology }
    }
}

/// A machine over a state of any type.
pub(crate) trait AnyMachine: Send + Sync {
    fn core(&self) -> &MachineCore;

    fn core_mut(&mut self) -> &mut MachineCore;

    /// [`Machine::complete`].
    fn complete(&mut self, id: TaskId, outcome: TaskOutcome, now: u64) -> Completion;

    /// [`Machine::commit`].
    fn commit(&mut self, id: TaskId, now: u64) -> Result<Option<Box<Committed>>, Box<Fault>>;

    /// The state, for a reader.
    fn values(&self) -> Payload;
}

impl<S: State> AnyMachine for Machine<S> {
    fn core(&self) -> &MachineCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut MachineCore {
        &mut self.core
    }

    fn complete(&mut self, id: TaskId, outcome: TaskOutcome, now: u64) -> Completion {
        Self::complete(self, id, outcome, now)
    }

    fn commit(&mut self, id: TaskId, now: u64) -> Result<Option<Box<Committed>>, Box<Fault>> {
        Self::commit(self, id, now)
    }

    fn values(&self) -> Payload {
        Payload::shared(Arc::clone(&self.state))
    }
}

impl<S: State> Deref for Machine<S> {
    type Target = MachineCore;

    #[inline]
    fn deref(&self) -> &MachineCore {
        &self.core
    }
}

impl<S: State> DerefMut for Machine<S> {
    #[inline]
    fn deref_mut(&mut self) -> &mut MachineCore {
        &mut self.core
    }
}

impl MachineCore {
    /// A namespace without a checkpoint.
    pub(crate) fn fresh(outline: Arc<Outline>, ns: Arc<str>, limits: Limits, durable: bool) -> Self {
        let fields = outline.fields.len();
        Self {
            ns,
            number: 0,
            newest: 0,
            first: 0,
            step: 0,
            versions: smallvec![0; fields],
            writers: smallvec![None; fields],
            ephemeral: FieldSet::default(),
            frontier: Frontier::new(&outline),
            executed: 0,
            limits,
            thread_seed: 0,
            persist: durable.then(|| Box::new(Persist::new(fields))),
            observed: durable,
            watched: false,
            step_open: false,
            halt: None,
            steps_this_run: 0,
            backs_off: false,
            in_flight: 0,
            unfinished: 0,
            unreserved: false,
            in_class: vec![0; outline.limits.len()],
            breakpoints: Breakpoints::default(),
            triggered: Triggered::default(),
            in_order: None,
            step_names: OnceLock::new(),
            outline,
        }
    }

    /// The attempt that a task is in, or was in last.
    pub(crate) fn attempt(&self, id: TaskId) -> u32 {
        self.frontier.get(id).map_or(1, |task| match task.phase {
            Phase::Failed(_) => task.failed.max(1),
            _ => task.failed + 1,
        })
    }

    /// Notes when a task that is dispatched began, unless it did before; tells when.
    pub(crate) fn begin(&mut self, id: TaskId, now: u64) -> u64 {
        let Some(task) = self.frontier.get_mut(id) else { return now };
        if task.began == 0 {
            task.began = now;
        }
        task.began
    }

    /// Whether a task has come into being in this run, so that no run before has begun it.
    #[inline]
    pub(crate) fn is_of_run(&self, id: TaskId) -> bool {
        id.number > self.first
    }

    /// Stops dispatching; what is in flight finishes and commits. The first reason stays.
    pub(crate) fn halt(&mut self, reason: Stop) {
        self.halt.get_or_insert(reason);
    }

    /// Whether finished tasks of a step commit together.
    #[inline]
    pub(crate) fn in_barrier(&self) -> bool {
        self.outline.mode == crate::topology::Mode::Barrier
    }

    /// Takes a dispatch back that the budget has no room for: it is as if it had not been planned. `counted` tells
    /// whether the task has been counted before.
    pub(crate) fn put_back(&mut self, id: TaskId, counted: bool) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(task) = self.frontier.get_mut(id) {
            if let Some(class) = self.outline.node(task.node).class {
                self.in_class[class] = self.in_class[class].saturating_sub(1);
            }
            if task.failed == 0 && task.state.is_none() {
                task.seen = None;
            }
            self.unfinished = self.unfinished.saturating_sub(task.in_step.into());
            (task.in_step, task.counted) = (false, counted);
            self.frontier.make_ready(id);
        }
        self.step_open &= self.in_flight > 0;
    }

    /// Whether the only task is counted against the budget, if there is one.
    #[inline]
    pub(crate) fn is_only_counted(&self) -> bool {
        self.frontier.only().is_some_and(|task| task.counted && !matches!(task.phase, Phase::InFlight))
    }

    /// Tells how many tasks may be dispatched for the first time.
    #[inline]
    pub(crate) fn set_room(&mut self, room: u64) {
        self.limits.room = Some(room);
    }

    /// The ids of tasks that count against the budget although they are not committed: dispatched before, or part of
    /// an open step.
    pub(crate) fn counted_paths(&self) -> Vec<Arc<str>> {
        self.frontier.iter().filter(|(_, task)| task.counted).map(|(id, _)| self.task_path(id)).collect()
    }

    /// The ids of all tasks that are not committed, and whether they have finished.
    pub(crate) fn paths(&self) -> Vec<(Arc<str>, bool)> {
        let tasks = self.frontier.iter();
        tasks.map(|(id, task)| (self.task_path(id), matches!(task.phase, task::Phase::Finished(_)))).collect()
    }

    /// Marks the tasks that `counted` knows as counted against the budget.
    pub(crate) fn mark_counted(&mut self, counted: impl Fn(&str) -> bool) {
        let known: Vec<_> = self.frontier.iter().map(|(id, _)| id).filter(|id| counted(&self.task_path(*id))).collect();
        for id in known {
            if let Some(task) = self.frontier.get_mut(id) {
                task.counted = true;
            }
        }
    }

    /// The tasks in flight, in task order.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = TaskId> {
        self.frontier.iter().filter(|(_, task)| matches!(task.phase, task::Phase::InFlight)).map(|(id, _)| id)
    }

    /// The ids of the tasks in the step under way.
    pub(crate) fn step_paths(&self) -> Vec<Arc<str>> {
        self.frontier.iter().filter(|(_, task)| task.in_step).map(|(id, _)| self.task_path(id)).collect()
    }

    /// The ids of the tasks in the step under way, when they are to be counted against the budget: once a step.
    pub(crate) fn take_unreserved(&mut self) -> Option<Vec<Arc<str>>> {
        std::mem::take(&mut self.unreserved).then(|| self.step_paths())
    }

    /// Whether a time is needed to plan.
    #[inline]
    pub(crate) fn wants_time(&self) -> bool {
        self.backs_off
    }

    /// Whether any task is left, in whatever phase.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.frontier.is_empty()
    }

    /// A super-step is committed.
    fn count_step(&mut self) {
        self.step += 1;
        self.steps_this_run += 1;
        (self.step_open, self.unfinished) = (false, 0);
    }

    /// The super-steps committed so far.
    #[inline]
    pub(crate) fn step(&self) -> u64 {
        self.step
    }
}
