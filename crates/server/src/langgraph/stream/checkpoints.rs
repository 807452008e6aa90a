//! Checkpoints in the words of the wire.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::Source;
use serde_json::{Value, json};

use super::projection::{Facts, Spaces};
use crate::graph::{Fields, Position, namespace, task_id};
use crate::log::CommitOf;

/// One checkpoint of a commit: an input has two, see [`Position`].
pub(super) struct Checkpoint<'c> {
    pub(super) facts: &'c Facts,
    pub(super) spaces: &'c Spaces,
    /// The namespace of the runtime.
    pub(super) ns: &'c str,
    /// Its step on the wire.
    pub(super) step: i64,
    pub(super) commit: &'c CommitOf,
    pub(super) position: Position,
    /// The state at the checkpoint.
    pub(super) values: Fields,
}

impl Checkpoint<'_> {
    /// The checkpoint before it.
    fn parent(&self) -> Option<Position> {
        if self.position.is_folded && self.commit.source == Source::Input {
            return Some(Position::before_input(self.commit.number));
        }
        self.commit.parent.map(Position::of)
    }

    fn id(&self, position: Position) -> String {
        position.id(&self.facts.thread, self.ns).to_string()
    }

    fn config(&self, position: Position) -> Value {
        let id = self.id(position);
        let mut configurable = json!({
            "thread_id": self.facts.thread,
            "run_id": self.facts.run,
            "graph_id": self.facts.graph,
            "assistant_id": self.facts.assistant,
            "checkpoint_ns": namespace(&self.facts.thread, self.ns),
            "checkpoint_id": id,
        });
        if !self.ns.is_empty() {
            let mut map = self.spaces.heads_above(&self.facts.thread, self.ns);
            map.insert(namespace(&self.facts.thread, self.ns), id.into());
            configurable["checkpoint_map"] = map.into();
        }
        json!({"configurable": configurable})
    }

    fn source(&self) -> &'static str {
        match self.commit.source {
            Source::Input if !self.position.is_folded => "input",
            Source::Update => "update",
            Source::Fork => "fork",
            _ => "loop",
        }
    }

    /// The nodes that have tasks, with the ids of the tasks.
    fn tasks(&self) -> Vec<(Arc<str>, Value)> {
        let (thread, number) = (&self.facts.thread, self.commit.number);
        let path = |node: &str, place: usize| match self.ns {
            "" => format!("{node}:{number}.{place}"),
            ns => format!("{ns}/{node}:{number}.{place}"),
        };
        if !self.position.is_folded {
            let id = task_id(thread, &path("__start__", 0));
            return vec![("__start__".into(), json!({"id": id, "name": "__start__", "interrupts": [], "state": null}))];
        }
        let task = |(place, node): (usize, &Arc<str>)| {
            let id = task_id(thread, &path(node, place));
            (Arc::clone(node), json!({"id": id, "name": node, "interrupts": [], "state": null}))
        };
        self.commit.next.iter().enumerate().map(task).collect()
    }

    /// The data of `checkpoints`.
    pub(super) fn payload(&self) -> Value {
        let (next, tasks): (Vec<_>, Vec<_>) = self.tasks().into_iter().unzip();
        json!({
            "config": self.config(self.position),
            "parent_config": self.parent().map(|parent| self.config(parent)),
            "values": self.values,
            "metadata": {
                "source": self.source(),
                "step": self.step,
                "parents": self.spaces.heads_above(&self.facts.thread, self.ns),
            },
            "next": next.iter().map(|node| &**node).collect::<Vec<_>>(),
            "tasks": tasks,
        })
    }

    /// The payload of `debug`.
    pub(super) fn debug_payload(&self) -> Value {
        let mut payload = self.payload();
        let place = |position: Position| {
            json!({
                "checkpoint_id": self.id(position),
                "thread_id": self.facts.thread,
                "checkpoint_ns": namespace(&self.facts.thread, self.ns),
            })
        };
        let [own, parent] = [Some(self.position), self.parent()].map(|position| position.map(place));
        payload["checkpoint"] = own.into();
        payload["parent_checkpoint"] = parent.into();
        payload
    }
}
