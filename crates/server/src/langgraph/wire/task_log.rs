//! What runs told of tasks and of graphs inside, read from the event log of their thread.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use graphloom_core_graph::store::StoreError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::host::Host;
use crate::log::{CommitOf, Entry, Interrupt, LogEvent, TailError};
use crate::records::RunRecord;
use crate::refusal::Refusal;

/// What runs told.
#[derive(Debug, Default)]
pub(super) struct TaskLog {
    tasks: HashMap<Arc<str>, LoggedTask>,
    /// The tasks that asked something, in the order of their paths.
    asked: BTreeSet<Arc<str>>,
    /// What was told of graphs inside, by namespace.
    inside: BTreeMap<Arc<str>, LoggedGraph>,
}

/// What was told of a graph inside.
#[derive(Debug, Default)]
pub(super) struct LoggedGraph {
    /// By number.
    pub(super) commits: BTreeMap<u64, LoggedCommit>,
    /// The number of the one that was told last.
    pub(super) newest: Option<u64>,
    /// The tasks that began in it, in that order.
    begun: Vec<Arc<str>>,
}

/// A commit of a graph inside.
#[derive(Debug)]
pub(super) struct LoggedCommit {
    /// Milliseconds since 1970.
    pub(super) time: u64,
    pub(super) run: Uuid,
    /// Super-steps committed before it.
    pub(super) steps: u64,
    pub(super) commit: CommitOf,
}

impl LoggedGraph {
    /// The tasks that a checkpoint made and that began, in the order in which they began.
    pub(super) fn tasks_of(&self, number: u64) -> impl Iterator<Item = &Arc<str>> {
        self.begun.iter().filter(move |task| planned_at(task) == Some(number))
    }
}

/// What was told of one task.
#[derive(Debug, Default)]
pub(super) struct LoggedTask {
    pub(super) node: String,
    /// Whether a send made it.
    pub(super) is_sent: bool,
    /// What it wrote; none until it is committed.
    pub(super) result: Option<Value>,
    pub(super) interrupts: Vec<Interrupt>,
    /// Why it failed for good.
    pub(super) error: Option<String>,
}

impl TaskLog {
    /// Reads what some runs of a thread told so far, up to the entry of a number where one is given. What is no longer kept, or
    /// damaged, is missing.
    pub(super) async fn read(
        &mut self,
        host: &Host,
        thread: Uuid,
        runs: &[&RunRecord],
        until: Option<u64>,
    ) -> Result<(), Refusal> {
        let Some(first) = runs.iter().map(|run| run.before).min() else { return Ok(()) };
        let mut open: Vec<Uuid> = runs.iter().map(|run| run.run_id).collect();
        let log = host.manager.logs().open(thread).await?;
        // The states of the root graph are those of its checkpoints.
        let mut tail = log.after(first).without_root_states();
        while !open.is_empty() {
            let entry = match tail.ready().await {
                Ok(Some(entry)) => entry,
                Ok(None) | Err(TailError::Gone { .. }) => break,
                Err(TailError::Store(error @ StoreError::Corrupt { .. })) => {
                    tracing::error!(%thread, %error, "what runs told is not shown in the state of their thread");
                    break;
                }
                Err(error) => return Err(Refusal::Failed(error.to_string())),
            };
            if until.is_some_and(|until| entry.seq > until) {
                break;
            }
            if runs.iter().any(|run| run.run_id == entry.run) {
                if matches!(entry.event, LogEvent::RunEnded { .. }) {
                    open.retain(|run| *run != entry.run);
                }
                self.take(&entry);
            }
        }
        Ok(())
    }

    fn take(&mut self, entry: &Entry) {
        match &entry.event {
            LogEvent::TaskStarted { task, node, packet, .. } => {
                if !self.tasks.contains_key(task) {
                    self.inside.entry(Arc::clone(&entry.ns)).or_default().begun.push(Arc::clone(task));
                }
                let told = self.task_of(task, node);
                told.is_sent = packet.is_some();
                told.error = None;
            }
            LogEvent::Update { task, node, values } => {
                // A node that wrote nothing has written an object of nothing.
                let result = if values.is_null() { json!({}) } else { values.clone() };
                let told = self.task_of(task, node);
                (told.result, told.error) = (Some(result), None);
            }
            LogEvent::TaskFailed { task, node, error } => self.task_of(task, node).error = Some(error.clone()),
            LogEvent::Interrupted { task, node, interrupt } => {
                self.asked.insert(Arc::clone(task));
                let interrupts = &mut self.task_of(task, node).interrupts;
                // It is told again by each run that leaves it open.
                interrupts.retain(|known| known.id != interrupt.id);
                interrupts.push(interrupt.clone());
            }
            LogEvent::Commit(commit) if !entry.ns.is_empty() => {
                let Entry { time, run, step: steps, .. } = *entry;
                let graph = self.inside.entry(Arc::clone(&entry.ns)).or_default();
                graph.commits.insert(commit.number, LoggedCommit { time, run, steps, commit: commit.clone() });
                graph.newest = Some(commit.number);
            }
            _ => {}
        }
    }

    fn task_of(&mut self, task: &Arc<str>, node: &str) -> &mut LoggedTask {
        let told = self.tasks.entry(Arc::clone(task)).or_default();
        node.clone_into(&mut told.node);
        told
    }

    pub(super) fn task(&self, path: &str) -> Option<&LoggedTask> {
        self.tasks.get(path)
    }

    /// The questions that a task asked, and those of the graph inside it.
    pub(super) fn interrupts(&self, path: &str) -> Vec<&Interrupt> {
        let asked = self.asked.iter().filter(|task| is_within(task, path));
        asked.flat_map(|task| &self.tasks[task].interrupts).collect()
    }

    /// What was told of the graph inside of a namespace, if it came to a checkpoint.
    pub(super) fn inside(&self, ns: &str) -> Option<&LoggedGraph> {
        self.inside.get(ns).filter(|graph| graph.newest.is_some())
    }

    /// The namespaces of graphs inside that came to a checkpoint.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = &Arc<str>> {
        self.inside.iter().filter(|(_, graph)| graph.newest.is_some()).map(|(ns, _)| ns)
    }
}

/// The number of the checkpoint that made a task, which its path ends with: `child:3.0/confirm:1.0` is of checkpoint 1. None
/// for the name of a node.
pub(super) fn planned_at(task: &str) -> Option<u64> {
    let (_, place) = task.rsplit('/').next()?.rsplit_once(':')?;
    place.split('.').next()?.parse().ok()
}

/// Whether a task is another one, or inside of it.
pub(super) fn is_within(task: &str, outer: &str) -> bool {
    task.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
