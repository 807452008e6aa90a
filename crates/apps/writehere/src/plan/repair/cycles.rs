//! Circles: dependencies that, with the chains, have no order.

use super::super::chain::{chained, numeric_order};
use super::super::{ChainRules, PlannedTask, Repair, RepairKind};

/// Drops the dependencies that close a circle.
///
/// The chains always hold, since they follow the numbers. Dependencies on lower numbers cannot close a circle with them.
/// Those on higher numbers are added one by one in the order of numbers, and the one that would close a circle goes.
pub(super) fn repair(tasks: &mut [PlannedTask], chains: ChainRules, repairs: &mut Vec<Repair>) {
    let order = numeric_order(tasks);
    let mut rank = vec![0; tasks.len()];
    for (at, position) in order.iter().enumerate() {
        rank[*position] = at;
    }
    let position_of = |id: &str| tasks.iter().position(|task| task.id == id);
    let mut needs: Vec<Vec<usize>> =
        chained(tasks, chains).iter().map(|chain| chain.iter().filter_map(|id| position_of(id)).collect()).collect();
    let mut against = Vec::new();
    for &position in &order {
        for dependency in &tasks[position].dependency {
            match position_of(dependency) {
                Some(other) if rank[other] < rank[position] => needs[position].push(other),
                Some(other) => against.push((position, other)),
                None => {}
            }
        }
    }
    let mut dropped = Vec::new();
    for (position, other) in against {
        if reaches(&needs, other, position) {
            dropped.push((position, other));
        } else {
            needs[position].push(other);
        }
    }
    for (position, other) in dropped {
        let (id, dependency) = (tasks[position].id.clone(), tasks[other].id.clone());
        tasks[position].dependency.retain(|needed| *needed != dependency);
        repairs.push(Repair {
            kind: RepairKind::DependencyCircle,
            task: id.clone(),
            place: format!("{}.dependency", tasks[position].place),
            found: format!("`{id}` depends on `{dependency}`, which comes later and itself waits for `{id}`"),
            done: "this dependency was dropped".into(),
        });
    }
}

/// Whether `from` waits for `to`, directly or through others.
fn reaches(needs: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; needs.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(&needs[at]);
        }
    }
    false
}
