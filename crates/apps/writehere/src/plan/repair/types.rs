//! Goals and types: there and allowed.

use super::super::RepairKind;
use super::Work;
use crate::TaskType;
use crate::length::parse_words;

/// Gives a goal to tasks without one, from their own plan or from the outer goal.
pub(super) fn repair_goals(work: &mut Work<'_>) {
    for index in 0..work.tasks.len() {
        if !work.tasks[index].goal.is_empty() {
            continue;
        }
        let task = &work.tasks[index];
        let inner: Vec<&str> = task.sub_tasks.iter().flatten().filter_map(|sub| sub.goal.as_deref()).collect();
        let (goal, done) = if inner.is_empty() {
            let goal = format!("{} (part {} of {})", work.outer.goal, index + 1, work.tasks.len());
            (goal, "taken from the outer task")
        } else {
            (inner.join("; "), "taken from its own sub-tasks")
        };
        let (id, place) = (task.id.clone(), format!("{}.goal", task.place));
        work.tasks[index].goal = super::RawTask::clean_goal(&goal);
        work.note(RepairKind::GoalMissing, &id, &place, "it has no goal".into(), done);
    }
}

/// Reads the types; what is unknown or not allowed becomes the nearest type that is.
pub(super) fn repair_types(work: &mut Work<'_>) {
    let inner = work.outer.task_type.inner();
    let mut allowed: Vec<TaskType> = inner.iter().copied().filter(|t| work.rules.allowed.contains(t)).collect();
    if allowed.is_empty() {
        allowed.push(work.outer.task_type);
    }
    for index in 0..work.tasks.len() {
        let task = &work.tasks[index];
        let (id, place, word) = (task.id.clone(), format!("{}.task_type", task.place), task.word.clone());
        let read = work.rules.task_type(&word);
        let wanted = read.unwrap_or(match work.outer.task_type {
            TaskType::Write if task.length.as_deref().and_then(parse_words).is_none() => TaskType::Think,
            outer => outer,
        });
        let settled = if allowed.contains(&wanted) { wanted } else { nearest(wanted, &allowed) };
        if read.is_none() {
            let found =
                if word.is_empty() { "it has no type".into() } else { format!("the type `{word}` does not exist") };
            work.note(RepairKind::TypeUnknown, &id, &place, found, format!("taken as `{settled}`"));
        } else if settled != wanted {
            let found = format!("a `{wanted}` task cannot stand inside this `{}` task", work.outer.task_type);
            work.note(RepairKind::TypeNotAllowed, &id, &place, found, format!("taken as `{settled}`"));
        }
        work.tasks[index].task_type = settled;
    }
}

/// Thinking comes nearest to anything, the outer type's own kind otherwise.
fn nearest(wanted: TaskType, allowed: &[TaskType]) -> TaskType {
    let order = match wanted {
        TaskType::Write | TaskType::Search => [TaskType::Think, TaskType::Search, TaskType::Write],
        TaskType::Think => [TaskType::Search, TaskType::Write, TaskType::Think],
    };
    order.into_iter().find(|t| allowed.contains(t)).unwrap_or(wanted)
}
