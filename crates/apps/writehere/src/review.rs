//! The review of a plan: a person sees it before it is carried out, and changes what should be otherwise.

use async_trait::async_trait;
use graphloom_state_machine::NodeKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::TaskType;
use crate::plan::RawTask;

/// The question of a task whose plan is reviewed. Its answer is a [`PlanVerdict`].
pub(crate) const PLAN_REVIEW: &str = "plan";

/// Which plans of a run are reviewed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// None.
    #[default]
    None,
    /// That of the whole text.
    Whole,
    /// Every one.
    All,
}

impl Review {
    /// Whether nothing is reviewed.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// Whether the plan of this task is reviewed.
    pub fn covers(self, task: &NodeKey) -> bool {
        match self {
            Self::None => false,
            Self::Whole => *task == NodeKey::root(),
            Self::All => true,
        }
    }
}

/// What the question shows: a plan as it would be carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PlanReview {
    /// Always `plan`: by it clients know the question.
    pub review: String,
    /// The key of the task that the plan is for.
    pub node: String,
    /// Its goal.
    pub goal: String,
    /// The length of its text, as stated.
    pub length: Option<String>,
    /// Counts from 1; a changed plan in which something had to be put right is shown once more.
    pub round: u32,
    /// The tasks, in order.
    pub tasks: Vec<RawTask>,
    /// What was put right in the plan as it was written, in words.
    pub put_right: Vec<String>,
    /// The types that tasks of it may have.
    pub types: Vec<TaskType>,
    /// The most tasks that it may have.
    pub most_tasks: usize,
}

/// What a person says to a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanVerdict {
    /// Whether it is carried out.
    pub decision: PlanDecision,
    /// The tasks of a changed plan; where the list is empty, the task is carried out as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<RawTask>>,
}

/// What becomes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanDecision {
    /// It is carried out as it is shown.
    Accept,
    /// Other tasks are carried out in its place.
    Change,
}

impl PlanVerdict {
    /// A plan is carried out as it is shown.
    pub fn accept() -> Self {
        Self { decision: PlanDecision::Accept, tasks: None }
    }
}

/// Whoever reviews plans.
#[async_trait]
pub trait PlanReviewer: Send + Sync {
    /// Asks what becomes of a plan; `None` where the run has to stop for the answer.
    async fn review(&self, plan: &PlanReview) -> Option<PlanVerdict>;
}

impl PlanReview {
    /// Reads a question of a run: `None` for one that is about no plan.
    ///
    /// ```
    /// use graphloom_writehere::PlanReview;
    /// use serde_json::json;
    ///
    /// assert!(PlanReview::read("break/root/plan/before", &json!({})).is_none());
    /// ```
    pub fn read(key: &str, payload: &Value) -> Option<Self> {
        let (kind, _) = key.split_once('/')?;
        (kind == PLAN_REVIEW).then(|| serde_json::from_value(payload.clone()).ok()).flatten()
    }
}
