//! What a plan looks like, as it was written.

use std::collections::BTreeMap;

use graphloom_state_machine::{DependencyGraph, GraphError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RawPlan, RawTask};
use crate::TaskType;

/// Figures about a plan before it was repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PlanStats {
    /// Tasks of the layer.
    pub tasks: usize,
    /// Tasks of the layer by the word for their type, unknown words as they were written, `""` for none.
    pub task_types: BTreeMap<String, usize>,
    /// Tasks of the layer by their number of dependencies.
    pub dependency_counts: BTreeMap<usize, usize>,
    /// Whether the written dependencies hold a circle.
    pub has_cycles: bool,
    /// Tasks of all deeper layers.
    pub nested: usize,
    /// Layers, counting this one; 0 for a plan of no tasks.
    pub layers: usize,
}

impl PlanStats {
    /// Describes a plan.
    pub fn of(plan: &RawPlan) -> Self {
        let mut stats = Self { tasks: plan.tasks.len(), layers: layers(&plan.tasks), ..Self::default() };
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for task in &plan.tasks {
            let word = task.task_type.as_deref().unwrap_or_default();
            let word = TaskType::read(word).map_or_else(|| word.to_string(), |known| known.word().to_string());
            *stats.task_types.entry(word).or_default() += 1;
            let dependency = task.dependency.clone().unwrap_or_default();
            *stats.dependency_counts.entry(dependency.len()).or_default() += 1;
            stats.nested += nested(task);
            rows.push((task.id.clone().unwrap_or_default(), dependency));
        }
        stats.has_cycles = DependencyGraph::faults(&rows).iter().any(|fault| matches!(fault, GraphError::Cycle { .. }));
        stats
    }
}

fn nested(task: &RawTask) -> usize {
    task.sub_tasks.iter().flatten().map(|sub| 1 + nested(sub)).sum()
}

fn layers(tasks: &[RawTask]) -> usize {
    tasks.iter().map(|task| 1 + layers(task.sub_tasks.as_deref().unwrap_or_default())).max().unwrap_or(0)
}
