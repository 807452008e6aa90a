//! One run: its checkpoints and its journal.

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, HistoryFilter, Source};
use graphloom_core_graph::{Event, EventKind};
use serde::Serialize;

use super::{RunSummary, events};
use crate::{table, time_text};

/// Everything that is stored about a run, apart from the values of its state.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The run in a few words.
    pub summary: RunSummary,
    /// The checkpoints of the root graph and of its subgraphs, each oldest first.
    pub checkpoints: Vec<Checkpoint>,
    /// The journal, oldest first.
    pub events: Vec<Event>,
}

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The namespace: empty for the root graph, the parent's task for a subgraph.
    pub ns: String,
    /// Its number there.
    pub number: u64,
    /// The number of the checkpoint before.
    pub parent: Option<u64>,
    /// Super-steps so far.
    pub step: u64,
    /// What made it.
    pub source: Source,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The fields that it changed.
    pub changed: Vec<String>,
}

impl RunReport {
    /// Reads a run.
    ///
    /// # Errors
    /// The store's; a stored event that cannot be read.
    pub async fn read(store: &dyn Checkpointer, summary: RunSummary) -> Result<Self, CheckpointError> {
        let thread = summary.thread.clone();
        let mut checkpoints = Vec::new();
        for ns in store.namespaces(&thread).await? {
            let rows = store.checkpoints(&thread, &ns, &HistoryFilter::default()).await?;
            checkpoints.extend(rows.iter().rev().map(|row| checkpoint(&ns, row)));
        }
        let events = events(store, &thread).await?;
        Ok(Self { summary, checkpoints, events })
    }

    /// Milliseconds from the first to the last event.
    pub fn elapsed(&self) -> u64 {
        match (self.events.first(), self.events.last()) {
            (Some(first), Some(last)) => last.time.saturating_sub(first.time),
            _ => 0,
        }
    }
}

fn checkpoint(ns: &str, row: &CheckpointRow) -> Checkpoint {
    let number = row.number;
    // Names that begin with `#` belong to the runtime.
    let changed = row.fields.iter().filter(|(field, version)| *version == number && !field.starts_with('#'));
    Checkpoint {
        ns: ns.to_owned(),
        number,
        parent: row.parent,
        step: row.step,
        source: row.source,
        time: row.time,
        changed: changed.map(|(field, _)| field.to_string()).collect(),
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunSummary { thread, graph, status, detail, created, updated, steps, tasks } = &self.summary;
        writeln!(f, "run      {thread}")?;
        writeln!(f, "graph    {graph}")?;
        writeln!(f, "status   {status}{}{detail}", if detail.is_empty() { "" } else { ": " })?;
        writeln!(f, "time     {} to {} UTC", time_text(*created), time_text(*updated))?;
        let (count, seconds) = (self.checkpoints.len(), self.elapsed() as f64 / 1000.0);
        writeln!(f, "work     {steps} steps, {tasks} tasks, {count} checkpoints, {seconds:.1} s of events")?;
        let start = self.events.first().map_or(0, |event| event.time);
        let mut rows = vec![["", "SECONDS", "STEP", "EVENT"].map(str::to_owned)];
        for event in &self.events {
            let seconds = event.time.saturating_sub(start) as f64 / 1000.0;
            let place = if event.ns.is_empty() { String::new() } else { format!("[{}] ", event.ns) };
            rows.push([
                event.seq.map_or_else(String::new, |seq| seq.to_string()),
                format!("{seconds:.3}"),
                event.step.to_string(),
                format!("{place}{}", event_line(&event.kind)),
            ]);
        }
        write!(f, "\n{}", table(&rows))
    }
}

/// An event in one line.
fn event_line(kind: &EventKind) -> String {
    match kind {
        EventKind::RunStarted { graph, how } => format!("run of `{graph}` by {how}"),
        EventKind::TaskRetry { node, error, delay } => format!("`{node}` is tried again in {delay} ms: {error}"),
        EventKind::TaskFailed { node, error } => format!("`{node}` failed: {error}"),
        EventKind::Committed { checkpoint, tasks, changed, next } => {
            let listed =
                |names: &[Arc<str>], none: &str| if names.is_empty() { none.to_owned() } else { names.join(", ") };
            let (by, changed, next) = (listed(tasks, "input"), listed(changed, "nothing"), listed(next, "nothing"));
            format!("checkpoint {checkpoint} by {by}: changed {changed}, next {next}")
        }
        EventKind::Question { id, key, .. } => format!("question `{key}` ({id})"),
        EventKind::Warning { message } => format!("warning: {message}"),
        EventKind::RunEnded { status, detail } => {
            let status = serde_json::to_value(status).ok().and_then(|word| word.as_str().map(str::to_owned));
            let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
            format!("run ended {}{detail}", status.unwrap_or_default())
        }
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}
