//! A step of one task in compact form.

use std::sync::Arc;

use super::writes::{Write, writes};
use super::{CheckpointId, CheckpointRow, CompactEvent, FieldPayload, FieldRecord, FieldVersions, Source, StepOrigin};
use crate::record::{Pack, pack_step};
use crate::tasks::TaskId;

/// A super-step of one task, which at most one other task follows, as what differs from the checkpoint before: most of a
/// long history are such. The checkpoint before is the head, and its number is one less. The task is the first that it
/// made, and the one that follows is the first that the step made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CompactStep {
    pub(crate) number: u64,
    pub(crate) step: u64,
    pub(crate) executed: u64,
    pub(crate) time: u64,
    pub(crate) id: u128,
    pub(crate) node: u32,
    pub(crate) next: Option<u32>,
    /// A bit for each of the first fields. All of them are stored.
    pub(crate) changed: u64,
    /// Whether the frontier is stored as a whole, and not as what differs.
    pub(crate) whole: bool,
}

impl CompactStep {
    /// The row of the checkpoint, with these versions.
    pub(crate) fn row(&self, origin: &StepOrigin, fields: FieldVersions) -> CheckpointRow {
        CheckpointRow {
            number: self.number,
            parent: Some(self.number - 1),
            id: CheckpointId::from(self.id),
            step: self.step,
            source: Source::Step,
            time: self.time,
            executed: self.executed,
            fields,
            state_version: origin.state_version,
        }
    }

    /// The records of the fields, from their bytes in a row, and of the frontier.
    pub(crate) fn records(self, origin: &StepOrigin, content: &[u8]) -> impl Iterator<Item = FieldRecord> {
        let mut pack = Pack::default();
        let node = self.next.and_then(|next| origin.nodes.get(next as usize)).map(|name| &**name);
        pack_step(&mut pack, self.number, node, self.whole);
        let frontier = Write {
            at: origin.fields.len() - 1,
            previous: (!self.whole).then(|| self.number - 1),
            payload: FieldPayload::new(pack.bytes()),
        };
        let number = self.number;
        writes(number, content).chain([frontier]).filter_map(move |write| write.record(number, &origin.fields))
    }

    /// The event, at its place in the journal.
    pub(crate) fn told(&self, origin: &Arc<StepOrigin>, seq: u64) -> CompactEvent {
        CompactEvent {
            origin: Arc::clone(origin),
            seq,
            time: self.time,
            step: self.step,
            checkpoint: self.number,
            task: TaskId { number: self.number - 1, place: 0 },
            node: self.node,
            next: self.next,
            changed: self.changed,
        }
    }
}
