//! A step of one task in compact form.

use std::sync::Arc;

use super::writes::read_writes;
use super::{CheckpointRow, CompactEvent, RecordRef};

/// What a super-step of one task, which at most one other task follows, changed, as what differs from the checkpoint
/// before: most of a long history are such.
///
/// It stands in a [`Commit`](super::Commit) beside the row of its checkpoint and in the place of the records of its fields
/// and of its event; [`Commit::records`](super::Commit::records) and [`Commit::events`](super::Commit::events) read them out
/// of it without making rows, and [`Commit::into_rows`](super::Commit::into_rows) makes the rows. The row's parent is the
/// checkpoint before, whose number is one less, and of its versions those of the changed fields and of the frontier are the
/// row's number. The task is the first that the checkpoint before made, and the task that follows is the first that this one
/// made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompactStep {
    /// What it has in common with the steps of its namespace.
    pub names: Arc<StepNames>,
    /// The place in the journal of its event; 0 when the event is among the commit's rows of the journal.
    pub seq: u64,
    /// The node of the task, by its place among the names.
    pub node: u32,
    /// The node of the task that follows, if one does.
    pub next: Option<u32>,
    /// The fields that changed, a bit for each of the first 64; no other changed.
    pub changed: u64,
    /// Whether the frontier is stored as a whole, and not as what differs.
    pub whole: bool,
    /// The records: those of the fields, and behind them that of the frontier.
    content: Vec<u8>,
    /// Where the frontier begins.
    frontier: usize,
}

/// What the steps of a namespace have in common.
#[derive(Debug)]
#[non_exhaustive]
pub struct StepNames {
    /// The namespace.
    pub ns: Arc<str>,
    /// What the ids of its tasks begin with.
    pub base: Arc<str>,
    /// The names of the stored fields, in their order; the last is the frontier, which is what is left to do.
    pub fields: Arc<[Arc<str>]>,
    /// The names of the nodes.
    pub nodes: Arc<[Arc<str>]>,
}

impl CompactStep {
    /// A step that has changed nothing yet.
    pub(crate) fn of(names: Arc<StepNames>) -> Self {
        let (content, frontier) = (Vec::new(), 0);
        Self { names, seq: 0, node: 0, next: None, changed: 0, whole: false, content, frontier }
    }

    /// A step from one node to the next that writes these records of fields: the place of each, the version that it builds on,
    /// and its bytes.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) fn with(
        names: &Arc<StepNames>,
        (number, seq): (u64, u64),
        (node, next): (u32, Option<u32>),
        whole: bool,
        fields: &[(usize, Option<u64>, &[u8])],
    ) -> Self {
        let mut writes = super::writes::Writes::default();
        fields.iter().for_each(|(at, previous, bytes)| writes.add(number, *at, *previous, *bytes));
        let frontier = writes.content().len();
        let mut pack = crate::record::Pack::default();
        let name = next.and_then(|next| names.nodes.get(next as usize)).map(|name| &**name);
        crate::record::pack_step(&mut pack, number, name, whole);
        let previous = (!whole).then(|| number.saturating_sub(1));
        writes.add(number, names.fields.len().saturating_sub(1), previous, pack.bytes());
        let changed = fields.iter().fold(0, |changed, (at, _, _)| changed | 1 << at);
        let mut step = Self { seq, node, next, whole, changed, ..Self::of(Arc::clone(names)) };
        step.set_content(writes.content(), frontier);
        step
    }

    /// Sets what it writes, which ends with the frontier.
    pub(crate) fn set_content(&mut self, content: &[u8], frontier: usize) {
        self.content.clear();
        self.content.extend_from_slice(content);
        self.frontier = frontier;
    }

    /// What it writes of fields, as bytes in a row, without the frontier.
    pub(crate) fn writes(&self) -> &[u8] {
        self.content.get(..self.frontier).unwrap_or_default()
    }

    /// The records of its fields and of the frontier.
    pub(super) fn records(&self, number: u64) -> impl Iterator<Item = RecordRef<'_>> {
        read_writes(number, &self.content).filter_map(move |write| write.record(number, &self.names.fields))
    }

    /// Its event, unless that is among the rows of the journal.
    pub(super) fn event(&self, row: &CheckpointRow) -> Option<CompactEvent> {
        let Self { names, seq, node, next, changed, .. } = self;
        let made = (row.number, row.step, row.time);
        (*seq > 0).then(|| CompactEvent::of_step(names, *seq, made, (*node, *next), *changed))
    }
}
