//! What the tree keeps about each task.

use std::borrow::Cow;
use std::collections::BTreeMap;

use graphloom_state_machine::{Payload, Symbol as _, TaskAction, TaskNode, TaskTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::TaskType;
use crate::length::parse_words;
use crate::plan::{PlanStats, RawTask, Repair};

/// The tree of a run.
pub type Tree = TaskTree<Task>;
/// A node of the tree of a run.
pub type Node = TaskNode<Task>;

/// A task's payload: what it is, what was planned for it, and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Task {
    /// What it is.
    pub info: TaskInfo,
    /// The plan its planner was given as a reference: the deeper layer of the outer plan. `None` when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_plan: Option<Vec<RawTask>>,
    /// What was thought when its complexity was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_think: Option<String>,
    /// Its goals before they were updated, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_goals: Vec<String>,
    /// The plan made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planning: Option<Planning>,
    /// The outcome of each action.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub results: BTreeMap<TaskAction, ActionResult>,
}

/// The fields of a task as prompts show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskInfo {
    /// Its id in its plan; empty for the root.
    pub id: String,
    /// What shall be done.
    pub goal: String,
    /// Its type.
    pub task_type: TaskType,
    /// The length of its text as stated, for write tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<String>,
    /// The ids of its plan it depends on, as planned.
    #[serde(default)]
    pub dependency: Vec<String>,
}

/// A plan that was made for a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Planning {
    /// The tasks as they were written.
    pub raw: Vec<RawTask>,
    /// What had to be repaired.
    pub repairs: Vec<Repair>,
    /// Figures about the plan as it was written.
    pub stats: PlanStats,
}

/// The outcome of an action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ActionResult {
    /// The text: written, thought or found.
    pub text: String,
    /// The ids of the evidence the text rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The agent that made it.
    pub agent: String,
    /// When, as `YYYY-MM-DD HH:MM:SS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// How long a written text is, where lengths are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<WrittenLength>,
    /// What a reader of the result should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How long a text is, beside what its task had of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WrittenLength {
    /// The words that the task had.
    pub share: u32,
    /// The words of the text, without its citations.
    pub words: u32,
    /// The words of the text that a shorter one took the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
}

impl WrittenLength {
    /// A text of a task that had `share` words.
    pub fn new(share: u32, words: u32) -> Self {
        Self { share, words, before: None }
    }
}

/// A change to a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskChange {
    /// The goal was updated with the results of earlier tasks.
    Goal {
        /// The new goal.
        goal: String,
    },
    /// The complexity was judged.
    Judged {
        /// What was thought.
        think: String,
    },
    /// A plan was made.
    Planned {
        /// The plan.
        planning: Planning,
    },
    /// The length was changed.
    Length {
        /// The new length.
        length: String,
    },
    /// An action gave a result.
    Result {
        /// The action.
        action: TaskAction,
        /// The outcome.
        result: ActionResult,
    },
}

impl Task {
    /// A task nothing has been done about.
    pub fn new(info: TaskInfo) -> Self {
        Self {
            info,
            candidate_plan: None,
            candidate_think: None,
            earlier_goals: Vec::new(),
            planning: None,
            results: BTreeMap::new(),
        }
    }

    /// The root of a run: a write task without an id.
    pub fn root(goal: impl Into<String>, length: Option<String>) -> Self {
        let dependency = Vec::new();
        Self::new(TaskInfo { id: String::new(), goal: goal.into(), task_type: TaskType::Write, length, dependency })
    }

    /// The stated length in words.
    pub fn words(&self) -> Option<u32> {
        self.info.length.as_deref().and_then(parse_words)
    }

    /// The words of the text that was written, where they were counted.
    pub fn written(&self) -> Option<u32> {
        Some(self.results.get(&TaskAction::Execute)?.length?.words)
    }

    /// The final text: of the aggregation for a planned task, of the execution for an executed one.
    pub fn final_text(&self) -> Option<&str> {
        let result = self.results.get(&TaskAction::FinalAggregate).or_else(|| self.results.get(&TaskAction::Execute));
        result.map(|result| result.text.as_str())
    }
}

impl ActionResult {
    /// A result of an agent.
    pub fn new(agent: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), agent: agent.into(), ..Self::default() }
    }
}

impl Planning {
    /// A record of a plan.
    pub fn new(raw: Vec<RawTask>, repairs: Vec<Repair>, stats: PlanStats) -> Self {
        Self { raw, repairs, stats }
    }
}

impl Payload for Task {
    type Change = TaskChange;

    fn change(&mut self, change: TaskChange) {
        match change {
            TaskChange::Goal { goal } if goal != self.info.goal => {
                self.earlier_goals.push(std::mem::replace(&mut self.info.goal, goal));
            }
            TaskChange::Goal { .. } => {}
            TaskChange::Judged { think } => self.candidate_think = Some(think),
            TaskChange::Planned { planning } => self.planning = Some(planning),
            TaskChange::Length { length } => self.info.length = Some(length),
            TaskChange::Result { action, result } => {
                self.results.insert(action, result);
            }
        }
    }

    fn forget(&mut self) {
        (self.planning, self.candidate_think) = (None, None);
        self.results.clear();
        // The goal as it was planned is brought up to date anew.
        if !self.earlier_goals.is_empty() {
            self.info.goal = self.earlier_goals.swap_remove(0);
            self.earlier_goals.clear();
        }
    }

    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.info.goal)
    }

    fn kind_label(&self) -> Cow<'_, str> {
        match (&self.info.length, self.info.task_type) {
            (Some(length), TaskType::Write) => Cow::Owned(format!("write.{length}")),
            (_, task_type) => Cow::Borrowed(task_type.word()),
        }
    }

    fn listed_as_dependency(&self) -> bool {
        self.info.task_type != TaskType::Write
    }

    fn task_info(&self) -> Value {
        let mut info = serde_json::to_value(&self.info).unwrap_or_default();
        info["candidate_plan"] = match &self.candidate_plan {
            Some(plan) => json!(plan),
            None => json!("Missing"),
        };
        if let Some(think) = &self.candidate_think {
            info["candidate_think"] = json!(think);
        }
        if !self.earlier_goals.is_empty() {
            info["earlier_goals"] = json!(self.earlier_goals);
        }
        if let Some(planning) = &self.planning {
            info["planning"] = json!(planning);
        }
        info
    }

    /// The plan that was made, and what came of each action.
    fn results(&self) -> Value {
        let mut results = serde_json::Map::new();
        if let Some(planning) = &self.planning {
            results.insert("plan".to_owned(), json!(planning));
        }
        for (action, result) in &self.results {
            results.insert(action.name().to_owned(), json!(result));
        }
        Value::Object(results)
    }
}
