//! The list of runs.

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, ThreadFilter, ThreadRow, ThreadStatus};
use serde::Serialize;

use crate::config::nearest;
use crate::{CliError, Failure, RunStore, table, time_text};

/// One run in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// Its id.
    pub thread: String,
    /// Its graph.
    pub graph: String,
    /// `new`, `running`, `done`, `waiting`, `failed`, `cancelled`, `drained`, `budget_spent`, or `stopped` when the process
    /// of a running one has died.
    pub status: String,
    /// More about the status: an error, open questions, what was next.
    pub detail: String,
    /// Milliseconds since 1970 of its first commit.
    pub created: u64,
    /// Milliseconds since 1970 of its last change.
    pub updated: u64,
    /// Super-steps of the root graph.
    pub steps: u64,
    /// Tasks executed, those of subgraphs included.
    pub tasks: u64,
}

impl RunSummary {
    /// Whether `resume` goes on with it.
    pub fn can_go_on(&self) -> bool {
        matches!(self.status.as_str(), "waiting" | "failed" | "cancelled" | "drained" | "budget_spent" | "stopped")
    }
}

/// The runs of a store, the most recently written first.
///
/// # Errors
/// The store's.
pub async fn list(store: &dyn Checkpointer, filter: &ThreadFilter) -> Result<Vec<RunSummary>, CheckpointError> {
    let mut runs = Vec::new();
    for row in store.threads(filter).await? {
        runs.push(summarise(store, row).await?);
    }
    Ok(runs)
}

/// One run of a store.
///
/// # Errors
/// [`CliError::UnknownRun`], and the store's.
pub async fn summary(store: &RunStore, thread: &str) -> Result<RunSummary, Failure> {
    let place = store.place().to_owned();
    let store = &*store.checkpointer();
    match store.thread(thread).await? {
        Some(row) => Ok(summarise(store, row).await?),
        None => {
            let known = store.threads(&ThreadFilter::default()).await?;
            let nearest = nearest(thread, known.iter().map(|row| &*row.thread)).map(str::to_owned);
            Err(CliError::UnknownRun { thread: thread.to_owned(), place, nearest }.into())
        }
    }
}

async fn summarise(store: &dyn Checkpointer, row: ThreadRow) -> Result<RunSummary, CheckpointError> {
    let head = store.checkpoint(&row.thread, "", None).await?;
    let status = match row.status {
        // A run whose process lives is refused to others, and nothing is written by asking.
        ThreadStatus::Running => match store.acquire(&row.thread).await {
            Ok(lease) => {
                store.release(&lease);
                "stopped".to_owned()
            }
            Err(CheckpointError::ThreadBusy { .. }) => "running".to_owned(),
            Err(error) => return Err(error),
        },
        status => {
            serde_json::to_value(status).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
        }
    };
    Ok(RunSummary {
        thread: row.thread.to_string(),
        graph: row.graph,
        status,
        detail: row.detail,
        created: row.created,
        updated: row.updated,
        steps: head.as_ref().map_or(0, |head| head.step),
        tasks: head.as_ref().map_or(0, |head| head.executed),
    })
}

/// The list as a table for people.
pub fn list_text(runs: &[RunSummary]) -> String {
    let mut rows = vec![["RUN", "GRAPH", "STATUS", "STEPS", "TASKS", "CHANGED (UTC)", ""].map(str::to_owned)];
    for run in runs {
        let detail = run.detail.lines().next().unwrap_or_default();
        rows.push([
            run.thread.clone(),
            run.graph.clone(),
            run.status.clone(),
            run.steps.to_string(),
            run.tasks.to_string(),
            time_text(run.updated),
            detail.chars().take(60).collect(),
        ]);
    }
    table(&rows)
}
