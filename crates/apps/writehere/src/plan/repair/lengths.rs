//! Lengths of write tasks: there, and adding up to the outer length.

use super::super::RepairKind;
use super::Work;
use crate::TaskType;
use crate::length::{parse_words, share, words_text};

/// Fills in lengths and scales them to the outer length, as far as that is known in words. The only write task of a
/// plan inherits the outer length as it is stated.
pub(super) fn repair(work: &mut Work<'_>) {
    for task in work.tasks.iter_mut().filter(|task| task.task_type != TaskType::Write) {
        task.length = None;
    }
    if work.outer.task_type != TaskType::Write {
        return;
    }
    let writes: Vec<usize> =
        work.order().into_iter().filter(|at| work.tasks[*at].task_type == TaskType::Write).collect();
    if let [only] = writes[..]
        && work.tasks[only].length.is_none()
    {
        work.tasks[only].length = work.outer.length.map(str::to_string);
    }
    let Some(total) = work.outer.length.and_then(parse_words) else { return };
    if writes.is_empty() {
        return;
    }
    fill_in(work, &writes, total);
    scale(work, &writes, total);
}

fn words(work: &Work<'_>, at: usize) -> Option<u32> {
    work.tasks[at].length.as_deref().and_then(parse_words)
}

/// Shares what the stated lengths leave of the total among the tasks that state none.
fn fill_in(work: &mut Work<'_>, writes: &[usize], total: u32) {
    let lacking: Vec<usize> = writes.iter().copied().filter(|at| words(work, *at).is_none()).collect();
    if lacking.is_empty() {
        return;
    }
    let stated: Vec<u32> = writes.iter().filter_map(|at| words(work, *at)).collect();
    let given: u32 = stated.iter().fold(0, |sum, words| sum.saturating_add(*words));
    let left = total.saturating_sub(given);
    // When the stated ones use everything up, the others count like an average one and all are scaled afterwards.
    let to_share = if left >= 10 * lacking.len() as u32 || stated.is_empty() {
        left
    } else {
        (given / stated.len().max(1) as u32).saturating_mul(lacking.len() as u32)
    };
    let weights: Vec<u32> = lacking
        .iter()
        .map(|at| {
            let inner = work.tasks[*at].sub_tasks.iter().flatten();
            let read = |sub: &&super::RawTask| sub.task_type.as_deref().and_then(|word| work.rules.task_type(word));
            let writes = inner.filter(|sub| read(sub) == Some(TaskType::Write));
            writes.count().max(1) as u32
        })
        .collect();
    for (at, part) in lacking.iter().zip(share(to_share, &weights)) {
        let (id, place) = (work.tasks[*at].id.clone(), format!("{}.length", work.tasks[*at].place));
        let length = words_text(part);
        let found = "several write tasks of the plan state no length".into();
        work.note(RepairKind::LengthMissing, &id, &place, found, format!("given `{length}`"));
        work.tasks[*at].length = Some(length);
    }
}

/// Scales lengths whose sum is too far from the total.
fn scale(work: &mut Work<'_>, writes: &[usize], total: u32) {
    let lengths: Vec<u32> = writes.iter().map(|at| words(work, *at).unwrap_or(0)).collect();
    let sum: u64 = lengths.iter().map(|words| u64::from(*words)).sum();
    let off = (sum as f64 - f64::from(total)).abs();
    if off <= f64::from(total) * work.rules.length_tolerance.max(0.0) {
        return;
    }
    for (at, part) in writes.iter().zip(share(total, &lengths)) {
        work.tasks[*at].length = Some(words_text(part));
    }
    let found = format!("the lengths add up to {sum} words, the task has {total}");
    work.note(RepairKind::LengthSum, "", "", found, "all were scaled");
}
