//! Compact steps of a namespace: their rows are made when somebody reads them.

use std::sync::Arc;

use super::{CheckpointRow, FieldRecord, JournalRow};
use crate::checkpoint::{CompactStep, FieldVersions, StepOrigin};

/// Plain steps in pages, ascending by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps(Vec<Page>);

/// Steps that follow each other.
#[derive(Clone, Debug)]
struct Page {
    origin: Arc<StepOrigin>,
    /// The first step; those after it count on from it.
    first: CompactStep,
    /// The versions of the fields before the first step.
    before: FieldVersions,
    /// The fields that any of the steps changed.
    changed: u64,
    rows: Vec<PagedStep>,
    /// What the steps write, one after the other.
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
    /// Adds a step after all others. `before` answers the versions of the fields before it, by the names that its origin
    /// has; without them the step is not added.
    pub(super) fn add(
        &mut self,
        origin: &Arc<StepOrigin>,
        step: &CompactStep,
        writes: &[u8],
        before: impl FnOnce(&Self) -> Option<FieldVersions>,
    ) -> bool {
        if let Some(page) = self.0.last_mut()
            && page.goes_on_with(origin, step)
        {
            page.push(step, writes);
            return true;
        }
        let Some(before) = before(self) else { return false };
        // The first page grows with its steps: most threads are short.
        let (rows, bytes) = self.0.last().map_or((1, 0), |page| (page.rows.len(), page.writes.len()));
        let mut page = Page {
            origin: Arc::clone(origin),
            first: *step,
            before,
            changed: 0,
            rows: Vec::with_capacity(rows),
            writes: Vec::with_capacity(bytes),
        };
        page.push(step, writes);
        self.0.push(page);
        true
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
        Some(JournalRow { seq, event: page.step(at).told(&page.origin, seq).into() })
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

    fn goes_on_with(&self, origin: &Arc<StepOrigin>, step: &CompactStep) -> bool {
        let (first, length) = (&self.first, self.rows.len() as u64);
        Arc::ptr_eq(&self.origin, origin)
            && self.rows.len() < ROOM
            && self.writes.len() < WRITES
            && step.number == first.number + length
            && step.step == first.step + length
            && step.executed == first.executed + length
            && step.whole == first.whole
            && self.rows.last().is_some_and(|row| row.next == step.node && row.next != NONE)
    }

    fn push(&mut self, step: &CompactStep, writes: &[u8]) {
        self.writes.extend_from_slice(writes);
        self.changed |= step.changed;
        self.rows.push(PagedStep {
            id: step.id.to_ne_bytes(),
            time: step.time,
            changed: step.changed,
            next: step.next.unwrap_or(NONE),
            end: u32::try_from(self.writes.len()).unwrap_or(u32::MAX),
        });
    }

    fn step(&self, at: usize) -> CompactStep {
        let (row, length) = (&self.rows[at], at as u64);
        CompactStep {
            number: self.first.number + length,
            step: self.first.step + length,
            executed: self.first.executed + length,
            time: row.time,
            id: u128::from_ne_bytes(row.id),
            node: if at == 0 { self.first.node } else { self.rows[at - 1].next },
            next: Some(row.next).filter(|next| *next != NONE),
            changed: row.changed,
            whole: self.first.whole,
        }
    }

    fn row(&self, at: usize) -> CheckpointRow {
        self.step(at).row(&self.origin, self.versions(at))
    }

    fn records(&self, at: usize) -> impl Iterator<Item = FieldRecord> {
        let start = if at == 0 { 0 } else { self.rows[at - 1].end as usize };
        let content = self.writes.get(start..self.rows[at].end as usize).unwrap_or_default();
        self.step(at).records(&self.origin, content)
    }

    /// The versions after a step.
    fn versions(&self, at: usize) -> FieldVersions {
        let mut versions = self.before.clone();
        versions.set(self.origin.fields.len() - 1, self.first.number + at as u64);
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
