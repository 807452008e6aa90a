//! Tasks: one execution of a node each.

use std::any::Any;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::checkpoint::RecordBytes;
use crate::error::NodeError;
use crate::failure::Failure;
use crate::state::{AnyState, FieldChange, State};
use crate::step::{Next, Step};
use crate::tasks::{ChildHeads, GroupId, Question};
use crate::timeout::Timeout;

/// Mostly one: several when a send of another fan-out found the task pending.
pub(crate) type Groups = SmallVec<[GroupId; 1]>;

pub(crate) struct Pending {
    pub(crate) node: u32,
    pub(crate) key: Option<CompactString>,
    pub(crate) input: Option<RecordBytes>,
    /// The fan-outs that wait for the task; none for tasks that no send made.
    pub(crate) groups: Groups,
    /// The time limit of its send, in the place of the node's.
    pub(crate) timeout: Option<Box<Timeout>>,
    /// When its first attempt began, in milliseconds since 1970; 0 while nobody wants to know.
    pub(crate) began: u64,
    /// Attempts that failed.
    pub(crate) failed: u32,
    /// The failure that the node's error handler is to handle.
    pub(crate) failure: Option<Arc<Failure>>,
    /// The commit whose state the task saw when it was dispatched.
    pub(crate) seen: Option<u64>,
    /// The state to dispatch on, when it is not the head's.
    pub(crate) state: Option<AnyState>,
    /// Barrier mode: whether the task belongs to the super-step under way.
    pub(crate) in_step: bool,
    /// Whether a breakpoint has stopped at the task.
    pub(crate) passed: bool,
    /// Whether the task has been counted against the budget.
    pub(crate) counted: bool,
    pub(crate) phase: Phase,
}

pub(crate) enum Phase {
    /// Waits until nothing else is left.
    Deferred,
    Ready,
    InFlight,
    /// Waits for its next attempt.
    Backoff(u64),
    Finished(Box<Done>),
    Suspended(Vec<Question>),
    Failed(NodeError),
}

/// What a finished task leaves to be committed. Only [`Done::of`] knows the type of its update, and who asks for it.
pub(crate) struct Done<U: ?Sized = dyn Any + Send + Sync> {
    pub(crate) next: Next,
    /// Tasks executed inside, for a subgraph.
    pub(crate) cost: u64,
    /// Where children that are kept per thread stand after it, for a subgraph.
    pub(crate) heads: ChildHeads,
    /// The update in encoded form, when there is a store.
    pub(crate) encoded: Vec<FieldChange>,
    /// An update of the state, if there is one, as an `Option`.
    update: U,
}

/// What failed attempts of a task leave, as a record.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct AttemptRow {
    pub(crate) failed: u32,
    pub(crate) failure: Option<Failure>,
    /// When the first attempt began.
    #[serde(default)]
    pub(crate) began: u64,
}

impl Done {
    /// What a step leaves, on the heap: updates of wide states are large, and are handed on from the attempt to the commit.
    pub(crate) fn of<S: State>(step: Step<S>, cost: u64) -> Box<Self> {
        let Step { update, next } = step;
        let heads = ChildHeads::new();
        let done: Box<Done<Option<S::Update>>> = Box::new(Done { next, cost, heads, encoded: Vec::new(), update });
        done
    }

    /// The update, which is one of the state that the task ran on.
    pub(crate) fn update<S: State>(&self) -> Option<&S::Update> {
        self.update.downcast_ref::<Option<S::Update>>()?.as_ref()
    }

    /// Takes the update out.
    pub(crate) fn take_update<S: State>(&mut self) -> Option<S::Update> {
        self.update.downcast_mut::<Option<S::Update>>()?.take()
    }
}

impl Pending {
    pub(crate) fn new(node: u32, phase: Phase) -> Self {
        Self {
            node,
            key: None,
            input: None,
            groups: Groups::new(),
            timeout: None,
            began: 0,
            failed: 0,
            failure: None,
            seen: None,
            state: None,
            in_step: false,
            passed: false,
            counted: false,
            phase,
        }
    }

    /// Whether the task is a node's own, on its first attempt, and nothing waits for it.
    pub(crate) fn is_plain(&self) -> bool {
        self.key.is_none()
            && self.failed == 0
            && self.failure.is_none()
            && self.sees_head()
            && self.groups.is_empty()
            && matches!(self.phase, Phase::Ready)
    }

    /// Whether the stored form of the task says no more than its id and its node.
    pub(crate) fn is_new_and_plain(&self) -> bool {
        self.key.is_none()
            && self.input.is_none()
            && self.groups.is_empty()
            && self.timeout.is_none()
            && self.failed == 0
            && self.seen.is_none()
    }

    /// Dispatches the task on the head of commit `number`, by itself.
    pub(crate) fn start_alone(&mut self, number: u64, in_step: bool) {
        (self.seen, self.counted, self.in_step) = (Some(number), true, in_step);
        self.phase = Phase::InFlight;
    }

    /// Whether the next dispatch sees the head: a first dispatch, or a retry.
    pub(crate) fn sees_head(&self) -> bool {
        self.seen.is_none() || (self.failed > 0 && self.state.is_none())
    }

    pub(crate) fn questions(&self) -> &[Question] {
        match &self.phase {
            Phase::Suspended(questions) => questions,
            _ => &[],
        }
    }
}
