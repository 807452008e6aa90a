//! What is kept of one namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::columns::Columns;
use super::pages::Pages;
use super::steps::Steps;
use super::{CheckpointRow, FieldOutline, FieldPayload, FieldRecord, HistoryFilter, JournalRow, TaskRecord};
use crate::checkpoint::{CompactStep, Cut, Source, TaskRecordKind};

/// Checkpoints and field records, as rows or in compact form, and records of tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryNamespace {
    pub(super) head: Option<u64>,
    checkpoints: Pages<CheckpointRow>,
    columns: Columns,
    /// Checkpoints that are not among the rows, with their records.
    steps: Steps,
    /// Records that are no results of durable steps.
    open: Records,
    onces: Records,
    task_records_written: u64,
}

/// Per task, with the place of each record in the order of writing.
type Records = BTreeMap<Arc<str>, Vec<(u64, TaskRecord)>>;

impl MemoryNamespace {
    // ===== checkpoints and field records =====

    pub(super) fn has_any(&self) -> bool {
        !self.checkpoints.is_empty() || !self.steps.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.checkpoints.len() + self.steps.len()
    }

    #[cfg(test)]
    pub(super) fn compact_steps(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn has(&self, number: u64) -> bool {
        // A new one mostly is the newest.
        let may = self.checkpoints.last().is_some_and(|newest| number <= newest.number);
        may && self.checkpoints.get(number).is_some() || self.steps.has(number)
    }

    pub(super) fn row(&self, number: u64) -> Option<CheckpointRow> {
        self.steps.row(number).or_else(|| self.checkpoints.get(number).cloned())
    }

    /// The checkpoints that a filter names, but for its limit.
    pub(super) fn newest_first(&self, filter: &HistoryFilter) -> impl Iterator<Item = CheckpointRow> {
        let HistoryFilter { before, source, .. } = *filter;
        let is_before = move |number: u64| before.is_none_or(|before| number < before);
        let is_of = move |made_by: Source| source.is_none_or(|source| made_by == source);
        let rows = self.checkpoints.iter().rev().filter(move |row| is_before(row.number) && is_of(row.source));
        let steps = self.steps.newest_first().filter(move |number| is_before(*number) && is_of(Source::Step));
        let (mut rows, mut steps) = (rows.peekable(), steps.peekable());
        std::iter::from_fn(move || match (rows.peek(), steps.peek()) {
            (Some(row), Some(step)) if row.number > *step => rows.next().cloned(),
            (_, Some(_)) => steps.next().and_then(|number| self.steps.row(number)),
            (_, None) => rows.next().cloned(),
        })
    }

    /// The record of a field, with its bytes in place.
    pub(super) fn record(&self, field: &str, version: u64) -> Option<FieldRecord> {
        let row = self.columns.of(field).and_then(|records| records.get(version)).map(inline);
        row.or_else(|| self.steps.record(field, version))
    }

    /// The records of all fields, by field and version.
    pub(super) fn outline(&self) -> Vec<FieldOutline> {
        let rows = self.columns.records().map(FieldOutline::of);
        let mut all: Vec<_> = rows.chain(self.steps.records().map(|record| FieldOutline::of(&record))).collect();
        if !self.steps.is_empty() {
            all.sort_by(|one, other| (&one.field, one.version).cmp(&(&other.field, other.version)));
        }
        all
    }

    /// The bytes of all records that are not shared.
    pub(super) fn bytes(&self) -> u64 {
        let length = |payload: &FieldPayload| match payload {
            FieldPayload::Inline(bytes) => bytes.len() as u64,
            FieldPayload::Blob(_) => 0,
        };
        let rows: u64 = self.columns.records().map(|record| length(&record.payload)).sum();
        rows + self.steps.records().map(|record| length(&record.payload)).sum::<u64>()
    }

    /// The row of the journal of a step in compact form.
    pub(super) fn told(&self, number: u64, seq: u64) -> Option<JournalRow> {
        self.steps.told(number, seq)
    }

    pub(super) fn add_checkpoint(&mut self, checkpoint: CheckpointRow) {
        self.head = Some(checkpoint.number);
        self.checkpoints.put(checkpoint);
    }

    pub(super) fn add_record(&mut self, record: FieldRecord) {
        // It may take the place of one that a step wrote.
        if self.steps.newest().is_some_and(|newest| record.version <= newest) {
            self.unfold();
        }
        self.columns.add(record);
    }

    /// Adds a step after the head, unless that is not the newest checkpoint.
    pub(super) fn add_step(&mut self, expected_head: Option<u64>, row: &CheckpointRow, step: &CompactStep) -> bool {
        let newest = self.steps.newest().max(self.checkpoints.last().map(|row| row.number));
        let before = row.number.checked_sub(1);
        let follows = expected_head == before && self.head == before && newest == before && row.parent == before;
        let Some(id) = row.id.hash().filter(|_| follows && row.source == Source::Step) else { return false };
        self.steps.add(row, id, step);
        self.head = Some(row.number);
        true
    }

    /// Turns all that is kept in compact form into rows.
    pub(super) fn unfold(&mut self) {
        if self.steps.is_empty() {
            return;
        }
        let mut rows: Vec<_> = self.newest_first(&HistoryFilter::default()).collect();
        rows.reverse();
        let mut records: Vec<_> = self.columns.records().cloned().chain(self.steps.records()).collect();
        records.sort_by_key(|record| record.version);
        (self.checkpoints, self.columns, self.steps) = (Pages::default(), Columns::default(), Steps::default());
        rows.into_iter().for_each(|row| self.checkpoints.put(row));
        records.into_iter().for_each(|record| self.columns.add(record));
    }

    /// Removes what a cut names. Nothing is kept in compact form.
    pub(super) fn cut(&mut self, cut: &Cut) {
        self.head = cut.head.or(self.head);
        let numbers: BTreeSet<u64> = cut.checkpoints.iter().copied().collect();
        self.checkpoints.retain(|row| !numbers.contains(&row.number));
        let mut versions: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for (field, version) in &cut.records {
            versions.entry(field).or_default().insert(*version);
        }
        for (field, versions) in versions {
            self.columns.remove(field, &versions);
        }
        for task in &cut.tasks {
            self.open.remove(task);
            self.onces.remove(task);
        }
    }

    // ===== records of tasks =====

    pub(super) fn add_task_record(&mut self, record: TaskRecord) {
        let records = if record.kind == TaskRecordKind::Once { &mut self.onces } else { &mut self.open };
        let records = records.entry(Arc::clone(&record.task)).or_default();
        let same = |stored: &TaskRecord| stored.kind == record.kind && stored.key == record.key;
        match records.iter_mut().find(|(_, stored)| same(stored)) {
            Some((_, stored)) => *stored = record,
            None => {
                records.push((self.task_records_written, record));
                self.task_records_written += 1;
            }
        }
    }

    pub(super) fn settle(&mut self, task: &str) {
        self.open.remove(task);
    }

    pub(super) fn task_records(&self) -> Vec<TaskRecord> {
        in_order(self.open.values().chain(self.onces.values()).flatten())
    }

    pub(super) fn open_records(&self) -> Vec<TaskRecord> {
        in_order(self.open.values().flatten())
    }

    pub(super) fn once_records(&self, tasks: &[Arc<str>]) -> Vec<TaskRecord> {
        let tasks: BTreeSet<&Arc<str>> = tasks.iter().collect();
        in_order(tasks.into_iter().filter_map(|task| self.onces.get(task)).flatten())
    }
}

/// Records in the order in which they were written.
fn in_order<'r>(records: impl Iterator<Item = &'r (u64, TaskRecord)>) -> Vec<TaskRecord> {
    let mut records: Vec<_> = records.collect();
    records.sort_by_key(|(place, _)| *place);
    records.into_iter().map(|(_, record)| record.clone()).collect()
}

/// The record with its bytes in place.
fn inline(record: &FieldRecord) -> FieldRecord {
    let payload = match &record.payload {
        FieldPayload::Inline(bytes) => FieldPayload::Inline(bytes.clone()),
        FieldPayload::Blob(blob) => FieldPayload::Inline(Arc::clone(&blob.bytes).into()),
    };
    FieldRecord { field: Arc::clone(&record.field), payload, ..*record }
}
