//! What the tasks of an older checkpoint asked.
//!
//! The runtime keeps a question for as long as it is open. Of one that was answered, or dropped, the journal still tells which
//! task asked it, under which key and in which words.

use std::collections::BTreeSet;

use graphloom_core_graph::EventKind;
use graphloom_core_graph::checkpoint::Checkpointer;
use serde_json::Value;

use crate::graph::View;
use crate::records::RunFailure;
use crate::runs::follow::node_of;

/// Rows of the journal that are read at a time.
const PAGE: usize = 1024;

/// A question that a task of a checkpoint asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    /// The id of the question in the runtime.
    pub(super) id: String,
    /// The place of the task of the root graph among the tasks of the checkpoint.
    pub(super) place: usize,
    /// The nodes that lead to the asking one, from the outside in.
    pub(super) path: Vec<String>,
    pub(super) key: String,
    pub(super) payload: Value,
}

/// The questions of the tasks of a checkpoint, in the order of the tasks: those that are open there; of a task without one, those
/// that it asked.
///
/// # Errors
/// The journal cannot be read.
pub(super) async fn asked_at(
    checkpoints: &dyn Checkpointer,
    thread: &str,
    view: &View,
) -> Result<Vec<Asked>, RunFailure> {
    let place_of = |root: &str| view.tasks.iter().position(|task| task.id == root);
    let mut asked = Vec::new();
    for question in &view.questions {
        let Some(place) = place_of(root_of(&question.task)) else { continue };
        let (id, path, key) = (question.id.clone(), question.path.clone(), question.key.clone());
        asked.push(Asked { id, place, path, key, payload: question.payload.clone() });
    }
    let open: BTreeSet<usize> = asked.iter().map(|question| question.place).collect();
    if open.len() < view.tasks.len() {
        let told = told(checkpoints, thread, |root| place_of(root).filter(|place| !open.contains(place))).await?;
        asked.extend(told);
        asked.sort_by_key(|question| question.place);
    }
    Ok(asked)
}

/// What the journal tells that tasks of these places asked.
async fn told(
    checkpoints: &dyn Checkpointer,
    thread: &str,
    place_of: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<Asked>, RunFailure> {
    let failed = |message: String| RunFailure { error: "StoreError".to_owned(), message };
    let (mut last, mut asked) = (0, Vec::<Asked>::new());
    loop {
        let rows = checkpoints.journal(thread, last, PAGE).await.map_err(|error| failed(error.to_string()))?;
        let Some(newest) = rows.last() else { return Ok(asked) };
        last = newest.seq;
        for event in rows.into_iter().filter_map(|row| row.event.read().ok()) {
            match event.kind {
                // A number that was given again has other tasks now.
                EventKind::Committed { checkpoint, .. } if event.ns.is_empty() => {
                    asked.retain(|question| number_of(root_of(&question.id)) != Some(checkpoint));
                }
                EventKind::Question { id, key, payload } => {
                    let Some(task) = id.strip_suffix(&format!("?{key}")) else { continue };
                    let Some(place) = place_of(root_of(task)) else { continue };
                    let path = task.split('/').map(|part| node_of(part).to_owned()).collect();
                    asked.retain(|question| question.id != id);
                    asked.push(Asked { id, place, path, key, payload });
                }
                _ => {}
            }
        }
    }
}

/// The task of the root graph in whose course another runs: the first part of `outer:3.0/inner:1.0`.
pub(super) fn root_of(task: &str) -> &str {
    task.split_once('/').map_or(task, |(root, _)| root)
}

/// The number of the checkpoint that made a task of the root graph, and its place there: `7.0` of `node:7.0`.
pub(super) fn numbers_of(root: &str) -> Option<(u64, usize)> {
    let (number, place) = root.rsplit_once(':')?.1.split_once('.')?;
    Some((number.parse().ok()?, place.parse().ok()?))
}

/// The number of the checkpoint that made the task of a question's id, `node:7.0?key` or `node:7.0`.
fn number_of(root: &str) -> Option<u64> {
    let (number, _) = root.split('?').next()?.rsplit_once(':')?.1.split_once('.')?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_task_of_the_root_graph_that_it_is_asked_in() {
        assert_eq!(root_of("outer:3.0/inner:1.0?go"), "outer:3.0");
        assert_eq!(root_of("ask:7.2?go"), "ask:7.2?go");
        assert_eq!((number_of("ask:7.2?go:1.0"), numbers_of("ask:7.2")), (Some(7), Some((7, 2))));
        assert_eq!((number_of("odd"), numbers_of("odd:x.y")), (None, None));
    }
}
