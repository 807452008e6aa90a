//! What runs told of tasks and of graphs inside, read from the event log of their thread.

use std::collections::{BTreeMap, HashMap};
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
    /// Of graphs inside.
    commits: HashMap<(Arc<str>, u64), CommitOf>,
    /// By namespace, the tasks that began in it, in that order.
    begun: BTreeMap<Arc<str>, Vec<Arc<str>>>,
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
    /// Reads what some runs of a thread told so far. What is no longer kept, or damaged, is missing.
    pub(super) async fn read(host: &Host, thread: Uuid, runs: &[&RunRecord]) -> Result<Self, Refusal> {
        let mut told = Self::default();
        let Some(first) = runs.iter().map(|run| run.before).min() else { return Ok(told) };
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
            if runs.iter().any(|run| run.run_id == entry.run) {
                if matches!(entry.event, LogEvent::RunEnded { .. }) {
                    open.retain(|run| *run != entry.run);
                }
                told.take(&entry);
            }
        }
        Ok(told)
    }

    fn take(&mut self, entry: &Entry) {
        match &entry.event {
            LogEvent::TaskStarted { task, node, packet, .. } => {
                if !self.tasks.contains_key(task) {
                    self.begun.entry(Arc::clone(&entry.ns)).or_default().push(Arc::clone(task));
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
                let interrupts = &mut self.task_of(task, node).interrupts;
                // It is told again by each run that leaves it open.
                interrupts.retain(|known| known.id != interrupt.id);
                interrupts.push(interrupt.clone());
            }
            LogEvent::Commit(commit) if !entry.ns.is_empty() => {
                self.commits.insert((Arc::clone(&entry.ns), commit.number), commit.clone());
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
        let mut paths: Vec<&Arc<str>> = self.tasks.keys().filter(|task| is_within(task, path)).collect();
        paths.sort_unstable();
        paths.into_iter().flat_map(|task| &self.tasks[task].interrupts).collect()
    }

    pub(super) fn commit(&self, ns: &str, number: u64) -> Option<&CommitOf> {
        self.commits.get(&(Arc::from(ns), number))
    }

    /// The tasks that began in a namespace and are not committed, in the order in which they began.
    pub(super) fn unfinished(&self, ns: &str) -> impl Iterator<Item = (&Arc<str>, &LoggedTask)> {
        let begun = self.begun.get(ns).into_iter().flatten();
        begun.map(|task| (task, &self.tasks[task])).filter(|(_, told)| told.result.is_none())
    }
}

/// Whether a task is another one, or inside of it.
pub(super) fn is_within(task: &str, outer: &str) -> bool {
    task.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
