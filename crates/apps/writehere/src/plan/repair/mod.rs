//! Making a plan that can be carried out of whatever was written. Every change is listed.

mod cycles;
mod dependencies;
mod ids;
mod lengths;
mod shape;
mod types;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ChainRules, Plan, PlanError, PlannedTask, RawPlan, RawTask, Repair, RepairKind};
use crate::TaskType;

/// The task a plan is for.
#[derive(Clone, Copy, Debug)]
pub struct Outer<'a> {
    /// Its id, empty for the root.
    pub id: &'a str,
    /// Its goal.
    pub goal: &'a str,
    /// Its type.
    pub task_type: TaskType,
    /// The length of its text, as stated.
    pub length: Option<&'a str>,
}

/// What plans must keep to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PlanRules {
    /// The most tasks of one layer.
    pub max_tasks: usize,
    /// The implicit dependencies.
    pub chains: ChainRules,
    /// The types that can be carried out in this run.
    pub allowed: Vec<TaskType>,
    /// How far the sum of lengths may be from the outer length, as a part of it, before lengths are scaled.
    pub length_tolerance: f64,
    /// How many replies with faults are sent back to the planner before a plan is repaired instead.
    pub strict_tries: u32,
    /// Words for types, in small letters, beside those that are always known.
    pub words: BTreeMap<String, TaskType>,
}

impl Default for PlanRules {
    fn default() -> Self {
        Self {
            max_tasks: 8,
            chains: ChainRules::default(),
            allowed: TaskType::ALL.to_vec(),
            length_tolerance: 0.2,
            strict_tries: 1,
            words: BTreeMap::new(),
        }
    }
}

impl PlanRules {
    /// The type that a word of a plan means.
    pub fn task_type(&self, word: &str) -> Option<TaskType> {
        self.words.get(&word.trim().to_lowercase()).copied().or_else(|| TaskType::read(word))
    }
}

/// Repairs a plan: afterwards ids are unique and numbered, types and goals are there, dependencies stay inside the plan
/// and have an order together with the chains, and the plan of a write task ends with a write task. A plan of no tasks
/// is that of an atomic task. Never fails.
///
/// A dependency that closes a circle is dropped in favour of the chains and of the order of numbers.
pub fn repair_plan(raw: &RawPlan, outer: Outer<'_>, rules: &PlanRules) -> Plan {
    let mut work = Work { tasks: Vec::new(), outer, rules, repairs: raw.repairs.clone() };
    if work.repeats_outer(raw) {
        let found = "the plan is the task itself".into();
        work.note(RepairKind::RepeatsItself, "", "", found, "the task is carried out without further planning");
    } else {
        work.tasks = raw.tasks.iter().enumerate().map(|(index, task)| Draft::new(index, task)).collect();
        ids::repair(&mut work);
        types::repair_goals(&mut work);
        types::repair_types(&mut work);
        dependencies::repair(&mut work);
        shape::repair(&mut work);
        lengths::repair(&mut work);
    }
    let mut tasks: Vec<PlannedTask> = work.tasks.iter().map(Draft::planned).collect();
    cycles::repair(&mut tasks, rules.chains, &mut work.repairs);
    Plan { tasks, repairs: work.repairs }
}

/// As [`repair_plan`], but a plan with faults a planner should correct is refused with the list of them.
///
/// # Errors
/// [`PlanError::Faulty`].
pub fn check_plan(raw: &RawPlan, outer: Outer<'_>, rules: &PlanRules) -> Result<Plan, PlanError> {
    let plan = repair_plan(raw, outer, rules);
    let faults: Vec<Repair> = plan.repairs.iter().filter(|repair| repair.kind.is_fault()).cloned().collect();
    if faults.is_empty() { Ok(plan) } else { Err(PlanError::Faulty { faults }) }
}

/// A plan under repair.
struct Work<'a> {
    tasks: Vec<Draft>,
    outer: Outer<'a>,
    rules: &'a PlanRules,
    repairs: Vec<Repair>,
}

/// A task under repair.
struct Draft {
    id: String,
    goal: String,
    word: String,
    task_type: TaskType,
    dependency: Vec<String>,
    length: Option<String>,
    atom: bool,
    sub_tasks: Option<Vec<RawTask>>,
    place: String,
}

impl Draft {
    fn new(index: usize, raw: &RawTask) -> Self {
        Self {
            id: raw.id.clone().unwrap_or_default(),
            goal: raw.goal.as_deref().map(RawTask::clean_goal).unwrap_or_default(),
            word: raw.task_type.clone().unwrap_or_default(),
            task_type: TaskType::Think,
            dependency: raw.dependency.clone().unwrap_or_default(),
            length: raw.length.clone(),
            atom: raw.atom,
            sub_tasks: raw.sub_tasks.clone(),
            place: format!("sub_tasks[{index}]"),
        }
    }

    fn planned(&self) -> PlannedTask {
        PlannedTask {
            id: self.id.clone(),
            goal: self.goal.clone(),
            task_type: self.task_type,
            dependency: self.dependency.clone(),
            length: self.length.clone(),
            atom: self.atom,
            sub_tasks: self.sub_tasks.clone(),
            place: self.place.clone(),
        }
    }

    fn number(&self) -> u64 {
        super::planned::number(&self.id).unwrap_or(u64::MAX)
    }
}

impl Work<'_> {
    fn note(&mut self, kind: RepairKind, task: &str, place: &str, found: String, done: impl Into<String>) {
        let (task, place) = (task.to_string(), place.to_string());
        self.repairs.push(Repair { kind, task, place, found, done: done.into() });
    }

    /// The positions in the order of their numbers.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.tasks.len()).collect();
        order.sort_by_key(|position| self.tasks[*position].number());
        order
    }

    /// An id after all others.
    fn next_id(&self) -> String {
        let highest = self.tasks.iter().filter_map(|task| super::planned::number(&task.id)).max().unwrap_or(0);
        ids::numbered(self.outer.id, highest.saturating_add(1))
    }

    /// Whether the plan says nothing but the outer task.
    fn repeats_outer(&self, raw: &RawPlan) -> bool {
        let [only] = raw.tasks.as_slice() else { return false };
        let goal = only.goal.as_deref().map(RawTask::clean_goal).unwrap_or_default();
        let same_goal = goal.eq_ignore_ascii_case(&RawTask::clean_goal(self.outer.goal));
        let same_id = match only.id.as_deref() {
            None => true,
            Some(id) => id == self.outer.id || id == "root",
        };
        let same_type = only
            .task_type
            .as_deref()
            .and_then(|word| self.rules.task_type(word))
            .is_none_or(|t| t == self.outer.task_type);
        (raw.alone && same_id && same_type) || (same_goal && same_type)
    }
}
