//! The state at a place of a thread or of a graph inside, as it is told to clients.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::graph::{Fields, Position, namespace};
use crate::langgraph::wire::checkpoint;
use crate::langgraph::wire::tasks::Task;
use crate::records::timestamp;

/// The state at a place.
pub(super) struct StateAt<'s> {
    pub(super) thread: Uuid,
    /// The namespace of the runtime; empty for the root graph.
    pub(super) ns: &'s str,
    pub(super) at: Position,
    pub(super) parent: Option<Position>,
    /// The checkpoints of the graphs around it, by namespace; none for the root graph.
    pub(super) around: Option<&'s Map<String, Value>>,
    pub(super) values: &'s Fields,
    /// The nodes whose tasks are not finished.
    pub(super) next: Vec<String>,
    pub(super) tasks: Vec<Task>,
    pub(super) metadata: Fields,
    /// When the checkpoint was made, in milliseconds since 1970.
    pub(super) time: u64,
}

impl StateAt<'_> {
    pub(super) fn wire(self) -> Value {
        let thread = self.thread.to_string();
        let ns = namespace(&thread, self.ns);
        let id = self.at.id(&thread, self.ns);
        let parent = self.parent.map(|parent| parent.id(&thread, self.ns));
        let interrupts: Vec<Value> = self.tasks.iter().flat_map(|task| task.interrupts.iter().cloned()).collect();
        json!({
            "values": self.values,
            "next": self.next,
            "tasks": self.tasks.into_iter().map(Task::wire).collect::<Vec<_>>(),
            "metadata": self.metadata,
            "created_at": timestamp(self.time),
            "checkpoint": checkpoint(self.thread, &ns, id, self.around),
            "parent_checkpoint": parent.map(|parent| checkpoint(self.thread, &ns, parent, self.around)),
            "interrupts": interrupts,
            "checkpoint_id": id,
            "parent_checkpoint_id": parent,
        })
    }
}
