//! The state of a graph inside, at the task that it is the node of.
//!
//! Its checkpoints are in the store; what they hold is told in the event log, in the form of its own fields.

use futures::FutureExt;
use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::CheckpointRow;
use serde_json::{Map, Value, json};

use crate::graph::{Position, namespace};
use crate::http::Problem;
use crate::langgraph::wire::task_log::TaskLog;
use crate::langgraph::wire::tasks::{Places, Task, interrupt};
use crate::langgraph::wire::thread_state::{ThreadStates, source};
use crate::langgraph::wire::{Lineage, checkpoint};
use crate::records::timestamp;

/// A graph inside of a task.
pub(super) struct Inside<'t> {
    /// Its namespace in the runtime.
    pub(super) ns: String,
    row: CheckpointRow,
    told: &'t TaskLog,
}

impl<'t> Inside<'t> {
    /// The graph inside of a task, if it has come to a checkpoint: in a namespace of the call, or in one that is kept per
    /// thread and named by the nodes that lead to it.
    pub(super) async fn of_task(
        states: &ThreadStates<'_>,
        told: &'t TaskLog,
        task: &str,
        node: &str,
    ) -> Result<Option<Self>, Problem> {
        let around = task.rsplit_once('/').map_or("", |(around, _)| around);
        let kept = if around.is_empty() { node.to_owned() } else { format!("{around}/{node}") };
        for ns in [task.to_owned(), kept] {
            if let Some(row) = states.checkpoints().checkpoint(&states.id, &ns, None).await? {
                return Ok(Some(Self { ns, row, told }));
            }
        }
        Ok(None)
    }

    /// The state of the graph; none where no log tells it any more. `around` names the checkpoints of the graphs around it,
    /// by namespace; `root` is the checkpoint of the root graph.
    pub(super) fn state<'a>(
        &'a self,
        states: &'a ThreadStates<'_>,
        root: u64,
        around: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<Option<Value>, Problem>> {
        self.stated(states, root, around).boxed()
    }

    async fn stated(
        &self,
        states: &ThreadStates<'_>,
        root: u64,
        around: &Map<String, Value>,
    ) -> Result<Option<Value>, Problem> {
        let (row, thread) = (&self.row, &states.id);
        let Some(commit) = self.told.commit(&self.ns, row.number) else { return Ok(None) };
        let lineage = Lineage::read(states.checkpoints(), thread, &self.ns).await?;
        let (at, ns) = (Position::of(row.number), namespace(thread, &self.ns));
        let id = at.id(thread, &self.ns);
        let mut map = around.clone();
        map.insert(ns.clone(), id.to_string().into());
        let mut tasks = Vec::new();
        let mut places = Places::default();
        for (path, told) in self.told.unfinished(&self.ns) {
            let mut task = Task::new(thread, path, &told.node, places.next(told.is_sent)).told(Some(told));
            task.interrupts = self.told.interrupts(path).into_iter().map(interrupt).collect();
            if let Some(inner) = Inside::of_task(states, self.told, path, &told.node).await? {
                task.state = inner.state(states, root, &map).await?;
            }
            tasks.push(task);
        }
        let next: Vec<String> = if tasks.is_empty() {
            commit.next.iter().map(ToString::to_string).collect()
        } else {
            tasks.iter().map(|task| task.name.clone()).collect()
        };
        let interrupts: Vec<Value> = tasks.iter().flat_map(|task| task.interrupts.iter().cloned()).collect();
        let parent = lineage.parent(row, at).map(|parent| parent.id(thread, &self.ns));
        let step = lineage.step(row, at);
        Ok(Some(json!({
            "values": commit.values,
            "next": next,
            "tasks": tasks.into_iter().map(Task::wire).collect::<Vec<_>>(),
            "metadata": states.metadata_of(source(row.source, at), step, around, root),
            "created_at": timestamp(row.time),
            "checkpoint": checkpoint(states.thread, &ns, id, Some(around)),
            "parent_checkpoint": parent.map(|parent| checkpoint(states.thread, &ns, parent, Some(around))),
            "interrupts": interrupts,
            "checkpoint_id": id,
            "parent_checkpoint_id": parent,
        })))
    }
}
