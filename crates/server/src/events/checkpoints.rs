//! Checkpoints as the protocol names them.

use graphloom_core_graph::checkpoint::{CheckpointRow, Source};
use serde_json::{Value, json};

use crate::graph::Position;
use crate::records::timestamp;

/// A checkpoint as clients see it: an input is one of the runtime and two of theirs, see [`Position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WireCheckpoint {
    pub(super) position: Position,
    parent: Option<Position>,
    step: i64,
    source: &'static str,
}

impl WireCheckpoint {
    /// The checkpoints of a commit, oldest first. `step` is the number of super-steps that were committed.
    pub(super) fn of_commit(number: u64, parent: Option<u64>, source: Source, step: u64) -> Vec<Self> {
        let parent = parent.map(Position::of);
        let position = Position::of(number);
        let of = |position: Position, parent, source| Self { position, parent, step: position.step(step), source };
        match source {
            Source::Input => {
                let before = Position::before_input(number);
                vec![of(before, parent, "input"), of(position, Some(before), "loop")]
            }
            Source::Update => vec![of(position, parent, "update")],
            Source::Fork => vec![of(position, parent, "fork")],
            _ => vec![of(position, parent, "loop")],
        }
    }

    /// The protocol's `Checkpoint`.
    pub(super) fn reference(&self, thread: &str, ns: &str) -> Value {
        json!({
            "id": self.position.id(thread, ns),
            "parent_id": self.parent.map(|parent| parent.id(thread, ns)),
            "step": self.step,
            "source": self.source,
        })
    }

    /// The protocol's `CheckpointSummary`, of one that was stored.
    pub(super) fn summary(&self, row: &CheckpointRow, thread: &str, ns: &str) -> Value {
        let mut summary = self.reference(thread, ns);
        summary["timestamp"] = timestamp(row.time).into();
        summary["metadata"] = json!({ "step": self.step, "source": self.source });
        summary
    }
}
