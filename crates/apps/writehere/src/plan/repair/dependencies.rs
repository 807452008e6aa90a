//! Dependencies: on other tasks of the same plan, each once.

use super::super::RepairKind;
use super::Work;

/// Drops dependencies of a task on itself and on ids that are not in the plan.
pub(super) fn repair(work: &mut Work<'_>) {
    let ids: Vec<String> = work.tasks.iter().map(|task| task.id.clone()).collect();
    for index in 0..work.tasks.len() {
        let id = ids[index].clone();
        let place = format!("{}.dependency", work.tasks[index].place);
        let mut dependencies: Vec<String> = Vec::new();
        for dependency in std::mem::take(&mut work.tasks[index].dependency) {
            if dependency == id {
                work.note(RepairKind::DependencyOnItself, &id, &place, "it depends on itself".into(), "dropped");
            } else if !ids.contains(&dependency) {
                let found = format!("it depends on `{dependency}`, which is not in this plan");
                work.note(RepairKind::DependencyUnknown, &id, &place, found, "dropped");
            } else if !dependencies.contains(&dependency) {
                dependencies.push(dependency);
            }
        }
        work.tasks[index].dependency = dependencies;
    }
}
