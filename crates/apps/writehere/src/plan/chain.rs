//! The implicit dependencies: think tasks wait for earlier think tasks, write tasks for earlier write tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlannedTask;
use crate::TaskType;

/// Which implicit dependencies a plan gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChainRules {
    /// Every think task depends on all think tasks of lower number.
    pub think: bool,
    /// Every write task depends on all write tasks of lower number, so that text is written in order.
    pub write: bool,
}

impl Default for ChainRules {
    fn default() -> Self {
        Self { think: true, write: true }
    }
}

/// The positions of the tasks in the order of their numbers; equal numbers keep the order of the plan.
pub(super) fn numeric_order(tasks: &[PlannedTask]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|position| tasks[*position].number());
    order
}

/// The ids of the earlier tasks that each task waits for by the chains, by position in the plan.
pub(super) fn chained(tasks: &[PlannedTask], rules: ChainRules) -> Vec<Vec<String>> {
    let mut chains = vec![Vec::new(); tasks.len()];
    for (task_type, applies) in [(TaskType::Think, rules.think), (TaskType::Write, rules.write)] {
        let mut earlier: Vec<String> = Vec::new();
        for position in numeric_order(tasks) {
            let Some(task) = tasks.get(position).filter(|task| applies && task.task_type == task_type) else {
                continue;
            };
            chains[position].clone_from(&earlier);
            earlier.push(task.id.clone());
        }
    }
    chains
}

/// All dependencies of each task, explicit ones first, by position in the plan. Those of think tasks are sorted by
/// number.
pub(super) fn parents(tasks: &[PlannedTask], rules: ChainRules) -> Vec<Vec<String>> {
    let chains = chained(tasks, rules);
    tasks
        .iter()
        .zip(chains)
        .map(|(task, chain)| {
            let mut all = task.dependency.clone();
            for id in chain {
                if !all.contains(&id) {
                    all.push(id);
                }
            }
            if task.task_type == TaskType::Think {
                all.sort_by_key(|id| super::planned::number(id));
            }
            all
        })
        .collect()
}
