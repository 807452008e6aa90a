//! Steps in compact form of a namespace: their rows are made when somebody reads them.

use std::sync::Arc;

use super::{CheckpointRow, FieldRecord, JournalRow};
use crate::checkpoint::writes::{WriteRef, read_writes};
use crate::checkpoint::{CheckpointId, CompactEvent, CompactStep, FieldVersions, StepNames};
use crate::record::{Pack, pack_step};

/// Steps in pages, ascending by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps(Vec<Page>);

/// Steps that follow each other.
#[derive(Clone, Debug)]
struct Page {
    names: Arc<StepNames>,
    /// The row of the first step; those after it count on from it.
    first: CheckpointRow,
    /// The node of the first step.
    node: u32,
    /// Whether their frontiers are stored as a whole.
    whole: bool,
    /// The fields that any of the steps changed.
    changed: u64,
    rows: Vec<PagedStep>,
    /// What the steps write of fields, one after the other. The frontier follows from the nodes.
    writes: Vec<u8>,
}

/// What of a step does not follow from those before.
#[derive(Clone, Copy, Debug)]
struct PagedStep {
    id: [u8; 16],
    time: u64,
    changed: u64,
    /// `NONE` after the last.
    next: u32,
    /// Where its writes end.
    end: u32,
}

/// No node.
const NONE: u32 = u32::MAX;

/// Steps of a page.
const ROOM: usize = 128;

/// A page with so many bytes of writes takes no further step.
const WRITES: usize = 32 * 1024;

impl Steps {
    /// Adds a step after all others.
    pub(super) fn add(&mut self, row: &CheckpointRow, id: [u8; 16], step: &CompactStep) {
        if let Some(page) = self.0.last_mut()
            && page.goes_on_with(row, step)
        {
            return page.push(row, id, step);
        }
        // The first page grows with its steps: most threads are short.
        let (rows, bytes) = self.0.last().map_or((1, 0), |page| (page.rows.len(), page.writes.len()));
        let mut page = Page {
            names: Arc::clone(&step.names),
            first: row.clone(),
            node: step.node,
            whole: step.whole,
            changed: 0,
            rows: Vec::with_capacity(rows),
            writes: Vec::with_capacity(bytes),
        };
        page.push(row, id, step);
        self.0.push(page);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|page| page.rows.len()).sum()
    }

    /// The number of the newest step.
    pub(super) fn newest(&self) -> Option<u64> {
        self.0.last().map(|page| page.end() - 1)
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.find(number).is_some()
    }

    /// The row of a checkpoint.
    pub(super) fn row(&self, number: u64) -> Option<CheckpointRow> {
        self.find(number).map(|(page, at)| page.row(at))
    }

    /// The numbers of the steps, the newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = u64> {
        self.0.iter().rev().flat_map(|page| (page.first.number..page.end()).rev())
    }

    /// The record of a field.
    pub(super) fn record(&self, field: &str, version: u64) -> Option<FieldRecord> {
        let (page, at) = self.find(version)?;
        page.records(at).find(|record| *record.field == *field)
    }

    /// The records of all fields.
    pub(super) fn records(&self) -> impl Iterator<Item = FieldRecord> {
        self.0.iter().flat_map(|page| (0..page.rows.len()).flat_map(|at| page.records(at)))
    }

    /// The row of the journal of a step.
    pub(super) fn told(&self, number: u64, seq: u64) -> Option<JournalRow> {
        let (page, at) = self.find(number)?;
        Some(JournalRow { seq, event: page.event(at, seq).into() })
    }

    fn find(&self, number: u64) -> Option<(&Page, usize)> {
        let after = self.0.partition_point(|page| page.first.number <= number);
        let page = self.0.get(after.checked_sub(1)?)?;
        (number < page.end()).then(|| (page, (number - page.first.number) as usize))
    }
}

impl Page {
    /// The number after that of the last step.
    fn end(&self) -> u64 {
        self.first.number + self.rows.len() as u64
    }

    fn goes_on_with(&self, row: &CheckpointRow, step: &CompactStep) -> bool {
        let (first, length) = (&self.first, self.rows.len() as u64);
        Arc::ptr_eq(&self.names, &step.names)
            && self.rows.len() < ROOM
            && self.writes.len() < WRITES
            && row.number == first.number + length
            && row.step == first.step + length
            && row.executed == first.executed + length
            && row.state_version == first.state_version
            && step.whole == self.whole
            && self.rows.last().is_some_and(|last| last.next == step.node && last.next != NONE)
    }

    fn push(&mut self, row: &CheckpointRow, id: [u8; 16], step: &CompactStep) {
        self.writes.extend_from_slice(step.writes());
        self.changed |= step.changed;
        self.rows.push(PagedStep {
            id,
            time: row.time,
            changed: step.changed,
            next: step.next.unwrap_or(NONE),
            end: u32::try_from(self.writes.len()).unwrap_or(u32::MAX),
        });
    }

    fn row(&self, at: usize) -> CheckpointRow {
        let (row, length) = (&self.rows[at], at as u64);
        let number = self.first.number + length;
        CheckpointRow {
            number,
            parent: Some(number - 1),
            id: CheckpointId::from(u128::from_be_bytes(row.id)),
            step: self.first.step + length,
            source: self.first.source,
            time: row.time,
            executed: self.first.executed + length,
            fields: self.versions(at),
            state_version: self.first.state_version,
        }
    }

    /// The nodes of a step and of the one that follows.
    fn nodes(&self, at: usize) -> (u32, Option<u32>) {
        let node = if at == 0 { self.node } else { self.rows[at - 1].next };
        (node, Some(self.rows[at].next).filter(|next| *next != NONE))
    }

    fn event(&self, at: usize, seq: u64) -> CompactEvent {
        let (row, length) = (&self.rows[at], at as u64);
        let made = (self.first.number + length, self.first.step + length, row.time);
        CompactEvent::of_step(&self.names, seq, made, self.nodes(at), row.changed)
    }

    /// The records of the fields, and of the frontier.
    fn records(&self, at: usize) -> impl Iterator<Item = FieldRecord> {
        let number = self.first.number + at as u64;
        let start = if at == 0 { 0 } else { self.rows[at - 1].end as usize };
        let content = self.writes.get(start..self.rows[at].end as usize).unwrap_or_default();
        let fields = &self.names.fields;
        let written = read_writes(number, content).filter_map(move |write| write.record(number, fields));
        written.map(FieldRecord::from).chain(self.frontier(at))
    }

    fn frontier(&self, at: usize) -> Option<FieldRecord> {
        let number = self.first.number + at as u64;
        let node = self.nodes(at).1.and_then(|next| self.names.nodes.get(next as usize)).map(|name| &**name);
        let mut pack = Pack::default();
        pack_step(&mut pack, number, node, self.whole);
        let previous = (!self.whole).then(|| number - 1);
        let write = WriteRef { at: self.names.fields.len() - 1, previous, payload: pack.bytes() };
        write.record(number, &self.names.fields).map(FieldRecord::from)
    }

    /// The versions after a step.
    fn versions(&self, at: usize) -> FieldVersions {
        let mut versions = self.first.fields.clone();
        versions.set(self.names.fields.len() - 1, self.first.number + at as u64);
        let mut missing = self.changed;
        for (at, row) in self.rows[..=at].iter().enumerate().rev() {
            let mut found = row.changed & missing;
            missing &= !found;
            while found != 0 {
                versions.set(found.trailing_zeros() as usize, self.first.number + at as u64);
                found &= found - 1;
            }
            if missing == 0 {
                break;
            }
        }
        versions
    }
}
