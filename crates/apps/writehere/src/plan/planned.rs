//! A plan that can be carried out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ChainRules, RawTask, Repair, chain};
use crate::TaskType;

/// One layer of tasks whose dependencies have an order, and the repairs that made it so. Made by
/// [`repair_plan`](super::repair_plan) and [`check_plan`](super::check_plan) only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    pub(super) tasks: Vec<PlannedTask>,
    pub(super) repairs: Vec<Repair>,
}

/// One task of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedTask {
    /// The id, unique in its plan, whose last part is a number.
    pub id: String,
    /// What shall be done, on one line.
    pub goal: String,
    /// Its type.
    pub task_type: TaskType,
    /// The ids of this plan it depends on, as the planner wanted it; the chains come on top.
    pub dependency: Vec<String>,
    /// The length of its text, for write tasks.
    pub length: Option<String>,
    /// Whether it is carried out without further planning.
    pub atom: bool,
    /// The plan it was written with.
    pub sub_tasks: Option<Vec<RawTask>>,
    /// Where it stood in the reply.
    pub(super) place: String,
}

impl Plan {
    /// The plan of a task that is carried out as it is: no tasks inside.
    pub fn atomic() -> Self {
        Self { tasks: Vec::new(), repairs: Vec::new() }
    }

    /// Whether the task is carried out as it is.
    pub fn is_atomic(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The tasks, in the order they were written.
    pub fn tasks(&self) -> &[PlannedTask] {
        &self.tasks
    }

    /// The ids that each task waits for, by position: those of the plan, then those that the chains add. Those of think
    /// tasks are sorted by number.
    pub fn dependencies(&self, chains: ChainRules) -> Vec<Vec<String>> {
        chain::parents(&self.tasks, chains)
    }

    /// What was wrong and what was done.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }
}

impl PlannedTask {
    /// The last part of the id.
    pub fn number(&self) -> u64 {
        number(&self.id).unwrap_or(u64::MAX)
    }
}

/// The last part of an id as a number, if it is one.
pub(super) fn number(id: &str) -> Option<u64> {
    let last = id.rsplit('.').next()?;
    if last.is_empty() || !last.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    last.parse().ok()
}
