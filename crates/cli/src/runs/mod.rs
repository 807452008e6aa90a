//! Stored runs of any application, read without its types: a list, one run's history, the path it took, and what
//! changed between two checkpoints.

mod diff;
mod measure;
mod path;
mod report;
mod summary;

pub use diff::{Content, FieldDiff, RunDiff};
pub use measure::{parse_age, parse_size};
pub use path::{PathEdge, PathNode, RunPath};
pub use report::{Checkpoint, RunReport};
pub use summary::{RunSummary, list, list_text, summary};

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer};
use graphloom_core_graph::{Event, EventKind};

/// Journal rows read at a time.
const PAGE: usize = 1024;

/// Every stored event of a run, oldest first.
///
/// # Errors
/// The store's; a stored event that cannot be read.
pub async fn events(store: &dyn Checkpointer, thread: &str) -> Result<Vec<Event>, CheckpointError> {
    let mut events: Vec<Event> = Vec::new();
    let mut last = 0;
    loop {
        let rows = store.journal(thread, last, PAGE).await?;
        let Some(newest) = rows.last() else { return Ok(events) };
        last = newest.seq;
        for row in rows {
            let event = row.event.read().map_err(|error| CheckpointError::Corrupt {
                place: format!("thread `{thread}`, event {}", row.seq),
                message: error.to_string(),
            })?;
            events.push(event);
        }
    }
}

/// The retries, failures and warnings among the events.
pub fn problem_events(events: &[Event]) -> Vec<&Event> {
    let is_trouble = |event: &&Event| {
        matches!(event.kind, EventKind::TaskRetry { .. } | EventKind::TaskFailed { .. } | EventKind::Warning { .. })
    };
    events.iter().filter(is_trouble).collect()
}

/// The seconds between the first event and the last one.
pub fn seconds(events: &[Event]) -> f64 {
    let span = events.first().zip(events.last()).map_or(0, |(first, last)| last.time.saturating_sub(first.time));
    span as f64 / 1000.0
}
