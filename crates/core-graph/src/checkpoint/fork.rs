//! A new thread that stands where another one stood.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::retention::Held;
use super::{CheckpointError, Checkpointer, Cut, Pruning, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::checkpoint::load_frontier;

/// Copies a thread that nobody writes to a new id, and makes checkpoint `number` of the root graph its head. The copy
/// goes on from there with `continue_`, or is done where nothing was left to do. The original is not changed.
///
/// What tasks did after that checkpoint is not taken over, results of durable steps only with `reuse_once`; subgraph
/// calls begin anew, and subgraphs that are kept per thread stand where they stood. This needs no types of the graph; inside a program [`At::fork`](crate::At::fork) stays in the
/// thread.
///
/// # Errors
/// [`CheckpointError::UnknownCheckpoint`], [`CheckpointError::ThreadExists`], [`CheckpointError::Unsupported`] where
/// the store cannot copy and prune, and the store's own.
pub async fn fork_thread(
    store: &dyn Checkpointer,
    from: &str,
    number: u64,
    to: &str,
    reuse_once: bool,
) -> Result<(), CheckpointError> {
    let capabilities = store.capabilities();
    for (there, ability) in [(capabilities.copy_thread, "copy_thread"), (capabilities.prune, "prune")] {
        if !there {
            return Err(CheckpointError::Unsupported { ability });
        }
    }
    let unknown = || CheckpointError::UnknownThread { thread: from.to_owned() };
    let row = store.thread(from).await?.ok_or_else(unknown)?;
    let ns = String::new();
    let missing = || CheckpointError::UnknownCheckpoint { thread: from.to_owned(), ns, number };
    let checkpoint = store.checkpoint(from, "", Some(number)).await?.ok_or_else(missing)?;
    let (frontier, _) = load_frontier(store, from, "", &checkpoint).await?;
    let unfinished: BTreeSet<Arc<str>> = frontier.tasks.iter().map(|task| task.id.path("", &task.node)).collect();
    for (child, number) in frontier.children() {
        let missing = || CheckpointError::UnknownCheckpoint { thread: from.to_owned(), ns: child.to_string(), number };
        store.checkpoint(from, child, Some(number)).await?.ok_or_else(missing)?;
    }

    store.copy_thread(from, to).await?;
    let held = Held { store, lease: store.acquire(to).await? };
    let records = store.task_records(to, "").await?;
    let keeps = |task: &Arc<str>| {
        let all_once = || {
            let of_task = records.iter().filter(|record| record.task == *task);
            of_task.into_iter().all(|record| record.kind == TaskRecordKind::Once)
        };
        reuse_once && unfinished.contains(task) && all_once()
    };
    let tasks: BTreeSet<Arc<str>> = records.iter().map(|record| Arc::clone(&record.task)).collect();
    let root =
        Cut { head: Some(number), tasks: tasks.into_iter().filter(|task| !keeps(task)).collect(), ..Cut::default() };
    let mut cuts = vec![root];
    for ns in store.namespaces(to).await?.into_iter().filter(|ns| !ns.is_empty()) {
        let ns: Arc<str> = ns.into();
        let head = frontier.children().find(|(child, _)| **child == ns).map(|(_, number)| number);
        let tasks = match head {
            Some(_) => store.task_records(to, &ns).await?.into_iter().map(|record| record.task).collect(),
            None => BTreeSet::new(),
        };
        cuts.push(Cut { ns, head, whole: head.is_none(), tasks: tasks.into_iter().collect(), ..Cut::default() });
    }
    let (status, detail) = if unfinished.is_empty() {
        (ThreadStatus::Done, String::new())
    } else {
        (ThreadStatus::Drained, format!("forked from `{from}` at checkpoint {number}"))
    };
    let thread = Some(ThreadRow { status, detail, ..row });
    store.prune(&held.lease, Pruning { cuts, journal_before: 0, thread }).await
}
