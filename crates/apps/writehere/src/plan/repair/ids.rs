//! Ids: there, unique, numbered.

use std::collections::BTreeSet;

use super::super::RepairKind;
use super::super::planned::number;
use super::Work;

/// An id inside the task `outer`.
pub(super) fn numbered(outer: &str, number: u64) -> String {
    if outer.is_empty() { number.to_string() } else { format!("{outer}.{number}") }
}

/// Whether an id is that of a task right inside `outer`, and if not, what is wrong with it.
fn misplaced(id: &str, outer: &str) -> Option<(RepairKind, String)> {
    let before = id.rsplit_once('.').map_or("", |(before, _)| before);
    if before == outer {
        return None;
    }
    let inside = if outer.is_empty() { "the whole".to_string() } else { format!("task `{outer}`") };
    // The whole has no id of its own, so some planners give it one.
    if before.is_empty() || (outer.is_empty() && ["0", "root"].contains(&before)) {
        return Some((RepairKind::IdWithoutOuter, format!("the id `{id}` does not begin with that of {inside}")));
    }
    Some((
        RepairKind::IdForeign,
        format!("the id `{id}` is that of a task inside `{before}`, not right inside {inside}"),
    ))
}

/// Numbers the whole layer anew when an id is missing, repeated, carries no number or belongs elsewhere.
pub(super) fn repair(work: &mut Work<'_>) {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for task in &work.tasks {
        let repeated = !seen.insert(task.id.clone());
        if task.id.is_empty() {
            faults.push((RepairKind::IdMissing, String::new(), task.place.clone(), "a task has no id".to_string()));
        } else if repeated {
            let found = "the id is used more than once".to_string();
            faults.push((RepairKind::IdRepeated, task.id.clone(), task.place.clone(), found));
        } else if number(&task.id).is_none() {
            let found = "the last part of the id is not a number".to_string();
            faults.push((RepairKind::IdNotNumbered, task.id.clone(), task.place.clone(), found));
        } else if let Some((kind, found)) = misplaced(&task.id, work.outer.id) {
            faults.push((kind, task.id.clone(), task.place.clone(), found));
        }
    }
    if faults.is_empty() {
        return;
    }
    let by_number = work.tasks.iter().all(|task| number(&task.id).is_some());
    let order = if by_number { work.order() } else { (0..work.tasks.len()).collect() };
    let mut renamed: Vec<(String, String)> = vec![Default::default(); work.tasks.len()];
    for (new, position) in (1..).zip(&order) {
        renamed[*position] = (work.tasks[*position].id.clone(), numbered(work.outer.id, new));
    }
    for (position, task) in work.tasks.iter_mut().enumerate() {
        task.dependency = task.dependency.iter().map(|id| resolve(id, position, &renamed)).collect();
        task.id.clone_from(&renamed[position].1);
    }
    let last = numbered(work.outer.id, work.tasks.len() as u64);
    let first = numbered(work.outer.id, 1);
    for (kind, id, place, found) in faults {
        work.note(kind, &id, &format!("{place}.id"), found, format!("the tasks are numbered `{first}` to `{last}`"));
    }
}

/// The new name of an old id: of the last task before `position` that had it, else of the first one after.
fn resolve(id: &str, position: usize, renamed: &[(String, String)]) -> String {
    let before = renamed[..position].iter().rfind(|(old, _)| old == id);
    let found = before.or_else(|| renamed[position..].iter().find(|(old, _)| old == id));
    found.map_or_else(|| id.to_string(), |(_, new)| new.clone())
}
