//! Checkpoints inside of subgraphs, as places to go back to.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, Checkpointer, HistoryFilter, load_frontier};
use crate::error::RunError;
use crate::executor::Run;
use crate::record::ReplayPoint;
use crate::recorder::open_calls::kept_namespace;
use crate::state::State;
use crate::tasks::TaskId;
use crate::thread::{At, Thread};

/// A checkpoint of a subgraph of a thread.
pub struct AtSubgraph<S: State, Cx = ()> {
    at: At<S, Cx>,
    ns: Arc<str>,
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// The checkpoint of this number in the namespace of a subgraph: the id of the call, as events and
    /// [`TaskInfo`](crate::TaskInfo) tell it, or for a subgraph that is [kept per thread](crate::Persistence::PerThread) the
    /// names of the nodes that lead to it. [`namespaces`](Checkpointer::namespaces) of the store lists those of a thread,
    /// and [`checkpoints`](Checkpointer::checkpoints) the history of each.
    pub fn at_subgraph(&self, ns: impl Into<Arc<str>>, checkpoint: u64) -> AtSubgraph<S, Cx> {
        AtSubgraph { at: self.at(checkpoint), ns: ns.into() }
    }
}

impl<S: State, Cx: Send + Sync + 'static> AtSubgraph<S, Cx> {
    /// The same checkpoint, whose fork takes over the results of durable steps instead of running them again.
    #[must_use]
    pub fn reuse_once(mut self) -> Self {
        self.at = self.at.reuse_once();
        self
    }

    /// Makes a branch of the thread on which the subgraph stands at this checkpoint. Each graph around it goes back to
    /// the checkpoint on which it called, and the call goes on from here instead of from its beginning: with the state of this
    /// checkpoint, and its pending tasks as new ones. All else that was pending where the graphs around it called runs again
    /// from its beginning. Go on with [`Thread::continue_`].
    ///
    /// On the branch the call has another id, and with it a namespace of its own; a subgraph that is kept per thread branches
    /// in its namespace.
    ///
    /// # Errors
    /// The store's; [`CheckpointError::UnknownCheckpoint`] where the namespace has no such checkpoint, and where a graph around
    /// it no longer has the one on which it called. A [stateless](crate::Persistence::Stateless) subgraph has none, nor has a
    /// call that has ended under [`Durability::Exit`](crate::Durability::Exit).
    pub async fn fork(&self) -> Result<(), RunError> {
        self.at.fork_inside(Some(Arc::clone(&self.ns))).await
    }

    /// Forks and goes on: the subgraph runs again from this checkpoint, and then the graphs around it. Nobody else writes the
    /// thread in between.
    ///
    /// # Errors
    /// As [`fork`](Self::fork), and the run's own.
    pub fn replay(&self) -> Run<S> {
        self.at.replay_inside(Some(Arc::clone(&self.ns)))
    }
}

/// Where a thread goes back to.
pub(super) struct BranchPoint {
    /// The checkpoint of the root graph.
    pub(super) number: u64,
    /// The task of that checkpoint which is a call that goes on from a checkpoint, if there is one.
    pub(super) call: Option<(Arc<str>, Box<ReplayPoint>)>,
}

/// The place of a checkpoint of a namespace.
pub(super) async fn place_of(
    store: &dyn Checkpointer,
    thread: &str,
    mut ns: Arc<str>,
    mut number: u64,
    reuse_once: bool,
) -> Result<BranchPoint, CheckpointError> {
    let mut call = None;
    while !ns.is_empty() {
        let unknown = || CheckpointError::UnknownCheckpoint { thread: thread.to_owned(), ns: ns.to_string(), number };
        let row = store.checkpoint(thread, &ns, Some(number)).await?.ok_or_else(unknown)?;
        let (frontier, _) = load_frontier(store, thread, &ns, &row).await?;
        let id = Arc::clone(frontier.base(&ns));
        let (around, task) = id.rsplit_once('/').unwrap_or(("", &id));
        call = Some((task.into(), Box::new(ReplayPoint { ns, number, reuse_once, inner: call })));
        (ns, number) = called_on(store, thread, around, task).await?;
    }
    Ok(BranchPoint { number, call })
}

/// The namespace of the graph that ran for the call `around`, and its checkpoint on which it dispatched a task.
async fn called_on(
    store: &dyn Checkpointer,
    thread: &str,
    around: &str,
    task: &str,
) -> Result<(Arc<str>, u64), CheckpointError> {
    let Some(id) = id_of(task) else {
        return Err(CheckpointError::Corrupt {
            place: format!("thread `{thread}`"),
            message: format!("`{task}` is no id of a task"),
        });
    };
    let own: Arc<str> = around.into();
    let kept = (!own.is_empty()).then(|| kept_namespace(&own));
    for ns in std::iter::once(Arc::clone(&own)).chain(kept) {
        let mut rows = store.checkpoints(thread, &ns, &HistoryFilter::default()).await?;
        rows.reverse();
        let mut found = None;
        for row in rows.iter().skip_while(|row| row.number < id.number) {
            let (frontier, _) = load_frontier(store, thread, &ns, row).await?;
            let task = frontier.tasks.iter().find(|task| task.id == id && **frontier.base(&ns) == *own);
            match task {
                // Unless it says on which, it was not dispatched before this checkpoint.
                Some(task) => found = Some(task.seen.unwrap_or(row.number)),
                // The checkpoints that have a task follow each other: a fork gives it another id.
                None if found.is_some() => break,
                None => {}
            }
        }
        if let Some(number) = found {
            return Ok((ns, number));
        }
    }
    Err(CheckpointError::UnknownCheckpoint { thread: thread.to_owned(), ns: around.to_owned(), number: id.number })
}

/// Reads the last part of a task's id, `node:7.0`.
fn id_of(task: &str) -> Option<TaskId> {
    let (number, place) = task.rsplit_once(':')?.1.split_once('.')?;
    Some(TaskId { number: number.parse().ok()?, place: place.parse().ok()? })
}

impl<S: State, Cx> fmt::Debug for AtSubgraph<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtSubgraph").field("at", &self.at).field("ns", &self.ns).finish_non_exhaustive()
    }
}
