//! The task plan: subtasks, each with what shows that it is done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Criterion, Finding};

/// How important a request is taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Complexity of at least 4.
    High,
    /// Between.
    #[default]
    Medium,
    /// Complexity of at most 2.
    Low,
}

/// Who made a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanSource {
    /// The model.
    #[default]
    Model,
    /// The rules, because the model's plan could not be used.
    Rules,
}

/// What a subtask does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubtaskKind {
    /// Finds notes.
    #[default]
    Search,
    /// Reads what was found.
    Read,
    /// Puts what was found in order.
    Organize,
    /// Makes a note.
    Create,
    /// Changes notes that are there.
    Update,
    /// Connects notes.
    Link,
    /// Checks what was done.
    Verify,
    /// Answers in words.
    Answer,
}

/// One of up to eight parts of the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Subtask {
    /// Its number in the plan, from `1`.
    pub id: String,
    /// What it is to achieve.
    pub goal: String,
    /// What it does.
    pub kind: SubtaskKind,
    /// The subtasks that come before it.
    pub depends_on: Vec<String>,
    /// What shows that it is done. All must hold.
    pub criteria: Vec<Criterion>,
}

/// The decomposition of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskPlan {
    /// What was asked for.
    pub original_request: String,
    /// The subtasks, in an order in which each comes after those it depends on.
    pub decomposed_tasks: Vec<Subtask>,
    /// How important it is.
    pub priority: Priority,
    /// From 1; at most 2 is simple.
    pub estimated_complexity: u32,
    /// The tools that it needs.
    pub required_tools: Vec<String>,
    /// What is to be searched for.
    pub keywords: Vec<String>,
    /// The title of the note that is to be made, when there is one.
    pub title: Option<String>,
    /// Who made it.
    pub source: PlanSource,
}

impl TaskPlan {
    /// Whether the plan has a subtask of a kind.
    pub fn has(&self, kind: SubtaskKind) -> bool {
        self.decomposed_tasks.iter().any(|task| task.kind == kind)
    }

    /// Every criterion, in order.
    pub fn success_criteria(&self) -> impl Iterator<Item = &Criterion> {
        self.decomposed_tasks.iter().flat_map(|task| &task.criteria)
    }
}

/// Where the run is in its plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Objectives {
    /// The goal that is worked on.
    pub current: String,
    /// The ids of all subtasks.
    pub sub: Vec<String>,
    /// The ids of those that a probe has confirmed.
    pub completed: Vec<String>,
    /// What the newest probes say, one of each criterion.
    pub evidence: Vec<Finding>,
    /// How many iterations in a row left everything as it was.
    pub unchanged: u32,
}

impl Objectives {
    /// Whether every subtask is confirmed; false without any.
    pub fn all_complete(&self) -> bool {
        !self.sub.is_empty() && self.sub.iter().all(|id| self.completed.contains(id))
    }

    /// Whether a criterion that must hold does not.
    pub fn is_outstanding(&self) -> bool {
        self.evidence.iter().any(|finding| !finding.holds && finding.criterion.is_hard())
    }

    /// Whether something is owed that a probe refutes or nobody has judged: whatever is not about searching and reading.
    pub fn owes(&self) -> bool {
        let looks =
            |criterion: &Criterion| matches!(criterion, Criterion::Searched { .. } | Criterion::FoundRead { .. });
        self.evidence.iter().any(|finding| !finding.holds && !looks(&finding.criterion))
    }

    /// The same with newer evidence.
    #[must_use]
    pub fn with_evidence(&self, plan: Option<&TaskPlan>, evidence: Vec<Finding>) -> Self {
        let tasks = plan.map_or(&[][..], |plan| plan.decomposed_tasks.as_slice());
        let holds = |id: &str| {
            let mut own = evidence.iter().filter(|finding| finding.subtask == id).peekable();
            own.peek().is_some() && own.all(|finding| finding.holds)
        };
        let completed: Vec<String> = tasks.iter().map(|task| task.id.clone()).filter(|id| holds(id)).collect();
        let current = tasks.iter().find(|task| !completed.contains(&task.id)).map(|task| task.goal.clone());
        Self {
            current: current.unwrap_or_default(),
            sub: tasks.iter().map(|task| task.id.clone()).collect(),
            completed,
            unchanged: self.unchanged,
            evidence,
        }
    }

    /// The share of confirmed criteria, 0 without any.
    pub fn share(&self) -> f64 {
        if self.evidence.is_empty() {
            return 0.0;
        }
        self.evidence.iter().filter(|finding| finding.holds).count() as f64 / self.evidence.len() as f64
    }
}
