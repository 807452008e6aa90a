//! Tasks: one execution of a node each.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smallvec::SmallVec;

use crate::checkpoint::RecordBytes;
use crate::error::NodeError;
use crate::failure::Failure;
use crate::graph::{AnswerCheck, Timeout};
use crate::machine::child_positions::ChildHeads;
use crate::state::{FieldChange, State};
use crate::step::{Next, Step};

/// A task within its namespace: the commit that made it, and its place among the tasks of that commit. Ids grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct TaskId {
    pub(crate) number: u64,
    pub(crate) place: u32,
}

/// A fan-out: the sends of one task, and the sends of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct GroupId {
    pub(crate) number: u64,
    pub(crate) place: u32,
}

/// Mostly one: several when a send of another fan-out found the task pending.
pub(crate) type Groups = SmallVec<[GroupId; 1]>;

pub(crate) struct Pending<S: State> {
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
    pub(crate) state: Option<Arc<S>>,
    /// Barrier mode: whether the task belongs to the super-step under way.
    pub(crate) in_step: bool,
    /// Whether a breakpoint has stopped at the task.
    pub(crate) passed: bool,
    /// Whether the task has been counted against the budget.
    pub(crate) counted: bool,
    pub(crate) phase: Phase<S>,
}

pub(crate) enum Phase<S: State> {
    /// Waits until nothing else is left.
    Deferred,
    Ready,
    InFlight,
    /// Waits for its next attempt.
    Backoff(u64),
    Finished(Box<Done<S>>),
    Suspended(Vec<Question>),
    Failed(NodeError),
}

/// What a finished task leaves to be committed.
pub(crate) struct Done<S: State> {
    pub(crate) update: Option<S::Update>,
    pub(crate) next: Next,
    /// Tasks executed inside, for a subgraph.
    pub(crate) cost: u64,
    /// Where children that are kept per thread stand after it, for a subgraph.
    pub(crate) heads: ChildHeads,
    /// The update in encoded form, when there is a store.
    pub(crate) encoded: Vec<FieldChange>,
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

/// A question that a task asked and nobody has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Unique in the thread.
    pub id: String,
    /// The key under which it was asked; several tasks may ask under the same key.
    pub key: String,
    /// The nodes that lead to the asking one, from the outside in.
    pub path: Vec<String>,
    /// The id of the asking task.
    pub task: String,
    /// What is asked.
    pub payload: Value,
    /// Reads an answer as the declared type. Not stored: found again by `path`.
    #[serde(skip)]
    pub(crate) check: Check,
}

#[derive(Clone, Default)]
pub(crate) struct Check(pub(crate) Option<AnswerCheck>);

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "declared" } else { "undeclared" })
    }
}

impl PartialEq for Check {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Check {}

impl<S: State> Done<S> {
    /// What a step leaves, on the heap: updates of wide states are large, and are handed on from the attempt to the commit.
    pub(crate) fn of(step: Step<S>, cost: u64) -> Box<Self> {
        Box::new(Self { update: step.update, next: step.next, cost, heads: ChildHeads::new(), encoded: Vec::new() })
    }
}

impl TaskId {
    pub(crate) fn path(self, ns: &str, node: &str) -> Arc<str> {
        let mut text = SmallVec::<[u8; 96]>::new();
        if !ns.is_empty() {
            text.extend_from_slice(ns.as_bytes());
            text.push(b'/');
        }
        text.extend_from_slice(node.as_bytes());
        text.push(b':');
        text.extend_from_slice(itoa::Buffer::new().format(self.number).as_bytes());
        text.push(b'.');
        text.extend_from_slice(itoa::Buffer::new().format(self.place).as_bytes());
        // It is made of texts.
        std::str::from_utf8(&text).unwrap_or_default().into()
    }
}

impl<S: State> Pending<S> {
    pub(crate) fn new(node: u32, phase: Phase<S>) -> Self {
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

/// The check of a question.
pub(crate) fn question_check(check: AnswerCheck) -> Check {
    Check(Some(check))
}
