//! What was wrong with a plan and what was done about it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that was wrong with a plan, and what was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Repair {
    /// What was wrong.
    pub kind: RepairKind,
    /// The id of the task, as written; empty when it is about the whole plan.
    pub task: String,
    /// Where in the reply, such as `sub_tasks[2].dependency`.
    pub place: String,
    /// What was wrong in this case.
    pub found: String,
    /// What was done.
    pub done: String,
}

/// What can be wrong with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepairKind {
    /// The plan was read only in part, or its writing had to be made whole first: tasks may be missing.
    Incomplete,
    /// The list of tasks has another name than one for such a list.
    ListMisnamed,
    /// An entry of the list is no task.
    NotATask,
    /// A task has no id.
    IdMissing,
    /// An id is a number instead of text.
    IdIsNumber,
    /// Two tasks have the same id.
    IdRepeated,
    /// The last part of an id is not a number.
    IdNotNumbered,
    /// An id is that of a task inside another task than the planned one.
    IdForeign,
    /// An id is a number alone, without the id of the planned task before it.
    IdWithoutOuter,
    /// A task has no goal.
    GoalMissing,
    /// A task has no type, or one that does not exist.
    TypeUnknown,
    /// A type that may not stand inside the outer task.
    TypeNotAllowed,
    /// A task does not say what it depends on.
    DependencyMissing,
    /// The dependencies are `null`.
    DependencyNull,
    /// The dependencies are text instead of a list.
    DependencyIsText,
    /// A dependency is a number instead of text.
    DependencyIsNumber,
    /// A dependency is neither text nor number.
    DependencyUnreadable,
    /// A task depends on itself.
    DependencyOnItself,
    /// A dependency names no task of this plan.
    DependencyUnknown,
    /// A dependency closes a circle.
    DependencyCircle,
    /// More tasks than a layer may have.
    TooManyTasks,
    /// The plan of a write task has no write task.
    NoWrite,
    /// The plan of a write task does not end with one.
    LastNotWrite,
    /// A think task stands after a write task and will not wait for it.
    ThinkAfterWrite,
    /// Several write tasks state no length.
    LengthMissing,
    /// The lengths do not add up to the length of the outer task.
    LengthSum,
    /// The plan is the outer task again.
    RepeatsItself,
}

impl RepairKind {
    /// Whether it is a fault of the plan that a planner should be asked to correct, rather than a looseness of writing
    /// that loses nothing.
    pub fn is_fault(self) -> bool {
        matches!(
            self,
            Self::Incomplete
                | Self::NotATask
                | Self::IdForeign
                | Self::IdRepeated
                | Self::IdNotNumbered
                | Self::GoalMissing
                | Self::TypeUnknown
                | Self::TypeNotAllowed
                | Self::DependencyOnItself
                | Self::DependencyCircle
                | Self::TooManyTasks
                | Self::NoWrite
                | Self::LastNotWrite
        )
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.task.is_empty() {
            write!(f, "task `{}`: ", self.task)?;
        }
        write!(f, "{}; {}", self.found, self.done)?;
        if !self.place.is_empty() {
            write!(f, " (at `{}`)", self.place)?;
        }
        Ok(())
    }
}

/// Why a reply is no usable plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There is no plan in the reply.
    #[error(
        "the reply holds no plan: {message}; write the plan as JSON with `sub_tasks`, or as `<plan><task>…</task></plan>`"
    )]
    NoPlan {
        /// What was found instead.
        message: String,
    },
    /// The plan has no tasks, although the task was judged to need some.
    #[error(
        "the task was judged `complex`, but the plan breaks it into no other tasks; list the tasks it consists of, at least two"
    )]
    Empty,
    /// The plan has faults and was not to be repaired.
    #[error("the plan has faults: {}", list(.faults))]
    Faulty {
        /// The faults.
        faults: Vec<Repair>,
    },
}

fn list(faults: &[Repair]) -> String {
    let each: Vec<String> = faults
        .iter()
        .map(|fault| {
            if fault.task.is_empty() { fault.found.clone() } else { format!("task `{}`: {}", fault.task, fault.found) }
        })
        .collect();
    each.join("; ")
}
