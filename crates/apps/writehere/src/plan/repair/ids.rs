//! Ids: there, unique, numbered.

use std::collections::BTreeSet;

use super::super::RepairKind;
use super::super::planned::number;
use super::Work;

/// An id inside the task `outer`.
pub(super) fn numbered(outer: &str, number: u64) -> String {
    if outer.is_empty() { number.to_string() } else { format!("{outer}.{number}") }
}

/// Numbers the whole layer anew when an id is missing, repeated or carries no number.
pub(super) fn settle(work: &mut Work<'_>) {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for task in &work.tasks {
        let repeated = !seen.insert(task.id.clone());
        if task.id.is_empty() {
            faults.push((RepairKind::IdMissing, String::new(), task.place.clone(), "a task has no id"));
        } else if repeated {
            faults.push((RepairKind::IdRepeated, task.id.clone(), task.place.clone(), "the id is used more than once"));
        } else if number(&task.id).is_none() {
            let found = "the last part of the id is not a number";
            faults.push((RepairKind::IdNotNumbered, task.id.clone(), task.place.clone(), found));
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
        work.note(
            kind,
            &id,
            &format!("{place}.id"),
            found.into(),
            format!("the tasks are numbered `{first}` to `{last}`"),
        );
    }
}

/// The new name of an old id: of the last task before `position` that had it, else of the first one after.
fn resolve(id: &str, position: usize, renamed: &[(String, String)]) -> String {
    let before = renamed[..position].iter().rfind(|(old, _)| old == id);
    let found = before.or_else(|| renamed[position..].iter().find(|(old, _)| old == id));
    found.map_or_else(|| id.to_string(), |(_, new)| new.clone())
}
