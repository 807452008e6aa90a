//! The shape of a layer: not too many tasks, and a write task at the end of a write task's plan.

use super::super::RepairKind;
use super::{Draft, Work};
use crate::TaskType;
use crate::length::{parse_words, words_text};

/// Settles the end and the size of the plan.
pub(super) fn repair(work: &mut Work<'_>) {
    if work.tasks.is_empty() {
        return;
    }
    if work.outer.task_type == TaskType::Write && work.rules.allowed.contains(&TaskType::Write) {
        end_with_write(work);
        note_late_thinking(work);
    }
    too_many(work);
}

/// A plan without a write task gets one that uses everything; tasks after the last write task move before it.
fn end_with_write(work: &mut Work<'_>) {
    let order = work.order();
    let Some(last) = order.iter().rposition(|position| work.tasks[*position].task_type == TaskType::Write) else {
        let id = work.next_id();
        let task = Draft {
            id: id.clone(),
            goal: super::RawTask::clean_goal(work.outer.goal),
            word: TaskType::Write.word().into(),
            task_type: TaskType::Write,
            dependency: order.iter().map(|position| work.tasks[*position].id.clone()).collect(),
            length: work.outer.length.map(str::to_string),
            atom: false,
            sub_tasks: None,
            place: String::new(),
        };
        work.tasks.push(task);
        let found = "the plan of a write task has no write task, so nothing would be written".into();
        work.note(
            RepairKind::NoWrite,
            "",
            "",
            found,
            format!("task `{id}` was added, which writes the whole from the others"),
        );
        return;
    };
    let trailing: Vec<usize> = order[last + 1..].to_vec();
    if trailing.is_empty() {
        return;
    }
    let (old, new) = (work.tasks[order[last]].id.clone(), work.next_id());
    let late: Vec<String> = trailing.iter().map(|position| work.tasks[*position].id.clone()).collect();
    for position in &trailing {
        work.tasks[*position].dependency.retain(|id| *id != old);
    }
    for task in &mut work.tasks {
        for id in task.dependency.iter_mut().filter(|id| **id == old) {
            id.clone_from(&new);
        }
    }
    let mut write = work.tasks.remove(order[last]);
    write.id.clone_from(&new);
    for id in &late {
        if !write.dependency.contains(id) {
            write.dependency.push(id.clone());
        }
    }
    let place = write.place.clone();
    work.tasks.push(write);
    let found = format!("tasks {} stand after the last write task, where nothing uses them", quoted(&late));
    work.note(
        RepairKind::LastNotWrite,
        &old,
        &place,
        found,
        format!("the write task moved to the end as `{new}` and uses them"),
    );
}

/// A think task between write tasks does not wait for the writes before it.
fn note_late_thinking(work: &mut Work<'_>) {
    let mut writes: Vec<String> = Vec::new();
    for position in work.order() {
        let task = &work.tasks[position];
        match task.task_type {
            TaskType::Write => writes.push(task.id.clone()),
            TaskType::Think if !writes.is_empty() && !task.dependency.iter().any(|id| writes.contains(id)) => {
                let (id, place) = (task.id.clone(), task.place.clone());
                let found = "it stands after a write task and does not depend on it".into();
                work.note(
                    RepairKind::ThinkAfterWrite,
                    &id,
                    &place,
                    found,
                    "left so; it may run before that text is written",
                );
            }
            _ => {}
        }
    }
}

/// Merges neighbours of the same type until the layer is small enough.
fn too_many(work: &mut Work<'_>) {
    let (found, most) = (work.tasks.len(), work.rules.max_tasks.max(1));
    let mut merged = Vec::new();
    while work.tasks.len() > most {
        let order = work.order();
        let types: Vec<TaskType> = order.iter().map(|position| work.tasks[*position].task_type).collect();
        let pairs = (0..types.len()).flat_map(|a| (a + 1..types.len()).map(move |b| (a, b)));
        let weight = |(a, b): (usize, usize)| {
            let length = |at: usize| work.tasks[order[at]].goal.len();
            (b - a, length(a) + length(b))
        };
        let Some((a, b)) = pairs.filter(|(a, b)| types[*a] == types[*b]).min_by_key(|pair| weight(*pair)) else {
            break;
        };
        let (a, b) = (order[a], order[b]);
        // Text waits for its inputs, so writes merge into the later one; findings are needed early.
        let (keep, gone) = if work.tasks[a].task_type == TaskType::Write { (b, a) } else { (a, b) };
        merged.push(merge(work, a, b, keep, gone));
    }
    if !merged.is_empty() {
        let found = format!("the plan has {found} tasks, more than the {most} of one layer");
        work.note(RepairKind::TooManyTasks, "", "", found, format!("merged {}", merged.join(", ")));
    }
}

fn merge(work: &mut Work<'_>, first: usize, second: usize, keep: usize, gone: usize) -> String {
    let raw = |task: &Draft| super::RawTask {
        id: Some(task.id.clone()),
        goal: Some(task.goal.clone()),
        task_type: Some(task.task_type.word().into()),
        dependency: Some(Vec::new()),
        length: task.length.clone(),
        atom: task.atom,
        sub_tasks: task.sub_tasks.clone(),
    };
    let (one, two) = (&work.tasks[first], &work.tasks[second]);
    let goal = format!("{}; {}", one.goal, two.goal);
    let sub_tasks = Some(vec![raw(one), raw(two)]);
    let words = |task: &Draft| task.length.as_deref().and_then(parse_words);
    let length = match (words(one), words(two)) {
        (Some(a), Some(b)) => Some(words_text(a.saturating_add(b))),
        _ => one.length.clone().or_else(|| two.length.clone()),
    };
    let mut dependency = one.dependency.clone();
    dependency.extend(two.dependency.iter().cloned());
    let (kept_id, gone_id) = (work.tasks[keep].id.clone(), work.tasks[gone].id.clone());
    let task = &mut work.tasks[keep];
    (task.goal, task.sub_tasks, task.length, task.dependency, task.atom) = (goal, sub_tasks, length, dependency, false);
    work.tasks.remove(gone);
    for task in &mut work.tasks {
        let mut ids: Vec<String> = Vec::new();
        for id in std::mem::take(&mut task.dependency) {
            let id = if id == gone_id { kept_id.clone() } else { id };
            if id != task.id && !ids.contains(&id) {
                ids.push(id);
            }
        }
        task.dependency = ids;
    }
    format!("`{gone_id}` into `{kept_id}`")
}

fn quoted(ids: &[String]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
