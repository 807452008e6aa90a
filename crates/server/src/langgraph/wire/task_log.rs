//! What runs told of tasks and of graphs inside, read from the event log of their thread.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::Source;
use graphloom_core_graph::store::StoreError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::graph::Fields;
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
    /// States of graphs inside that were read, by the entries that tell them.
    values: HashMap<EntryPlace, Fields>,
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
    /// Where its log tells it.
    told: EntryPlace,
    pub(super) number: u64,
    pub(super) parent: Option<u64>,
    pub(super) source: Source,
    /// The fields that changed.
    pub(super) changed: Vec<Arc<str>>,
    /// The nodes that have tasks now.
    pub(super) next: Vec<Arc<str>>,
}

/// An entry of a log: the thread's, and its number.
type EntryPlace = (Uuid, u64);

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
    /// Reads what some runs of a thread told so far, up to the entry of a number where one is given; with `tasks_of`, at least
    /// all that they told of the tasks that these checkpoints made. What is no longer kept, or damaged, is missing.
    pub(super) async fn read(
        &mut self,
        host: &Host,
        thread: Uuid,
        runs: &[&RunRecord],
        until: Option<u64>,
        tasks_of: Option<&RangeInclusive<u64>>,
    ) -> Result<(), Refusal> {
        let Some(mut first) = runs.iter().map(|run| run.before).min() else { return Ok(()) };
        let mut open: Vec<Uuid> = runs.iter().map(|run| run.run_id).collect();
        let log = host.manager.logs().open(thread).await?;
        if let Some(numbers) = tasks_of {
            let before = log.before_commit(*numbers.start()).await?;
            first = first.max(until.map_or(before, |until| before.min(until)));
        }
        // Of the states those are read by themselves that are shown.
        let mut tail = log.after(first).without_states();
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
            if open.contains(&entry.run) {
                // Of a task nothing is told behind the commit that takes up what it wrote.
                let is_past = || tasks_of.zip(entry.root_commit()).is_some_and(|(of, number)| number > *of.end());
                if matches!(entry.event, LogEvent::RunEnded { .. }) || is_past() {
                    open.retain(|run| *run != entry.run);
                }
                self.take(thread, &entry);
            }
        }
        Ok(())
    }

    /// Reads the states of some commits of graphs inside, each by namespace and number. What is no longer kept is missing.
    pub(super) async fn read_values(&mut self, host: &Host, wanted: &[(Arc<str>, u64)]) -> Result<(), Refusal> {
        let mut by_thread: BTreeMap<Uuid, BTreeSet<u64>> = BTreeMap::new();
        for (ns, number) in wanted {
            if let Some((thread, seq)) = self.commit(ns, *number).map(|logged| logged.told) {
                by_thread.entry(thread).or_default().insert(seq);
            }
        }
        for (thread, numbers) in by_thread {
            let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else { continue };
            let log = host.manager.logs().open(thread).await?;
            let mut tail = log.after(first - 1).with_states_of(numbers.clone());
            loop {
                let entry = match tail.ready().await {
                    Ok(Some(entry)) => entry,
                    Ok(None) | Err(TailError::Gone { .. }) => break,
                    Err(error) => return Err(Refusal::Failed(error.to_string())),
                };
                if let (true, LogEvent::Commit(commit)) = (numbers.contains(&entry.seq), &entry.event) {
                    self.values.insert((thread, entry.seq), commit.values.clone());
                }
                if entry.seq >= last {
                    break;
                }
            }
        }
        Ok(())
    }

    /// A commit of a graph inside.
    pub(super) fn commit(&self, ns: &str, number: u64) -> Option<&LoggedCommit> {
        self.inside.get(ns)?.commits.get(&number)
    }

    /// The state of a commit that was read.
    pub(super) fn values(&self, logged: &LoggedCommit) -> Option<&Fields> {
        self.values.get(&logged.told)
    }

    fn take(&mut self, thread: Uuid, entry: &Entry) {
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
            LogEvent::Interrupted { task, node, interrupt } | LogEvent::AskedAgain { task, node, interrupt } => {
                self.asked.insert(Arc::clone(task));
                let interrupts = &mut self.task_of(task, node).interrupts;
                // It is told again by each run that leaves it open.
                interrupts.retain(|known| known.id != interrupt.id);
                interrupts.push(interrupt.clone());
            }
            LogEvent::SubgraphStarted { .. } => {
                self.inside.entry(Arc::clone(&entry.ns)).or_default();
            }
            LogEvent::Commit(commit) if !entry.ns.is_empty() => {
                let Entry { time, run, step: steps, seq, .. } = *entry;
                let CommitOf { number, parent, source, changed, next, values: _ } = commit;
                let (number, changed, next) = (*number, changed.clone(), next.clone());
                let graph = self.inside.entry(Arc::clone(&entry.ns)).or_default();
                let told = (thread, seq);
                let (parent, source) = (*parent, *source);
                let logged = LoggedCommit { time, run, steps, told, number, parent, source, changed, next };
                graph.commits.insert(number, logged);
                graph.newest = Some(number);
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

    /// The newest commits of the graphs inside of a namespace, whose own is among them.
    pub(super) fn newest_within<'l>(&'l self, ns: &'l str) -> impl Iterator<Item = (Arc<str>, u64)> + 'l {
        let graphs = self.inside.iter().filter(move |(known, _)| ns.is_empty() || is_within(known, ns));
        graphs.filter_map(|(known, graph)| Some((Arc::clone(known), graph.newest?)))
    }

    /// The namespaces of graphs inside that were called, also before their first checkpoint.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = &Arc<str>> {
        self.inside.keys().filter(|ns| !ns.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_inside_is_known_as_soon_as_it_is_called() {
        let (thread, mut told) = (Uuid::from_u128(1), TaskLog::default());
        let entry = |ns: &str, event| Entry { seq: 1, time: 1, run: thread, ns: ns.into(), step: 0, event };
        let task =
            LogEvent::TaskStarted { task: "child:3.0".into(), node: "child".to_owned(), attempt: 1, packet: None };
        told.take(thread, &entry("", task));
        told.take(thread, &entry("child:3.0", LogEvent::SubgraphStarted { graph: "child".to_owned() }));
        assert_eq!(told.namespaces().map(|ns| &**ns).collect::<Vec<_>>(), ["child:3.0"]);
        assert!(told.inside("child:3.0").is_none(), "it has no checkpoint");
    }
}
