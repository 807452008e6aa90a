//! A plan as it was written, before anything is judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Repair;

/// The form a plan was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanForm {
    /// JSON with nested `sub_tasks`.
    Json,
    /// `<plan><task>…</task></plan>`.
    Xml,
}

/// A plan as it was read: one layer of tasks, each with the deeper layers it was written with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RawPlan {
    /// The form it was written in.
    pub form: PlanForm,
    /// The tasks in the order they were written.
    pub tasks: Vec<RawTask>,
    /// Whether the reply was a single task without a list around it, which may be the outer task itself.
    pub alone: bool,
    /// What had to be tolerated while reading.
    pub repairs: Vec<Repair>,
}

/// One task as it was written; what is absent was not written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct RawTask {
    /// The id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What shall be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The word for its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_type: Option<String>,
    /// The ids it depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependency: Option<Vec<String>>,
    /// The length of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<String>,
    /// Whether it shall be carried out without further planning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub atom: bool,
    /// A plan for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_tasks: Option<Vec<RawTask>>,
}

impl RawPlan {
    /// A plan made of tasks that were read before, such as the deeper layer of an earlier plan.
    pub fn of_tasks(tasks: Vec<RawTask>) -> Self {
        Self { form: PlanForm::Json, tasks, alone: false, repairs: Vec::new() }
    }
}

impl RawTask {
    /// Replaces line breaks in the goal, as plans are shown on one line.
    pub(crate) fn clean_goal(goal: &str) -> String {
        goal.trim().replace("\r\n", "\n").replace('\n', ";")
    }
}
