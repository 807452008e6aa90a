//! The journal of a thread: rows, and compact steps, which it names by where they are kept.

use std::sync::Arc;

use super::JournalRow;
use super::pages::Pages;

/// What a thread tells, ascending by sequence number.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    rows: Pages<JournalRow>,
    steps: Vec<StepRange>,
}

/// Compact steps of a namespace that were written one after the other.
#[derive(Clone, Debug)]
struct StepRange {
    ns: Arc<str>,
    /// The number and the sequence number of the first.
    number: u64,
    seq: u64,
    length: u64,
}

impl Journal {
    /// The sequence number of the newest row.
    pub(super) fn last_seq(&self) -> u64 {
        let row = self.rows.last().map_or(0, |row| row.seq);
        row.max(self.steps.last().map_or(0, |run| run.seq + (run.length - 1)))
    }

    /// Adds a row after all others.
    pub(super) fn put(&mut self, row: JournalRow) {
        self.rows.put(row);
    }

    /// Adds a step in compact form after all others.
    pub(super) fn put_step(&mut self, ns: &Arc<str>, number: u64, seq: u64) {
        if let Some(run) = self.steps.last_mut()
            && (run.number + run.length, run.seq + run.length) == (number, seq)
            && Arc::ptr_eq(&run.ns, ns)
        {
            run.length += 1;
        } else {
            self.steps.push(StepRange { ns: Arc::clone(ns), number, seq, length: 1 });
        }
    }

    /// The rows after a sequence number; `step` makes that of a namespace's step.
    pub(super) fn after<'a>(
        &'a self,
        seq: u64,
        step: impl Fn(&str, u64, u64) -> Option<JournalRow> + 'a,
    ) -> impl Iterator<Item = JournalRow> + 'a {
        let mut rows = self.rows.after(seq).peekable();
        let read = self.steps.partition_point(|run| run.seq + (run.length - 1) <= seq);
        let rest = self.steps.get(read..).unwrap_or_default().iter();
        let unread = move |run: &StepRange| seq.saturating_add(1).saturating_sub(run.seq)..run.length;
        let mut steps = rest.flat_map(move |run| unread(run).map(move |at| (run, at))).peekable();
        std::iter::from_fn(move || match (rows.peek(), steps.peek()) {
            (Some(row), Some((run, at))) if row.seq < run.seq + at => rows.next().cloned(),
            (_, Some(_)) => steps.next().and_then(|(run, at)| step(&run.ns, run.number + at, run.seq + at)),
            (_, None) => rows.next().cloned(),
        })
    }

    /// Puts rows in the place of steps.
    pub(super) fn unfold(&mut self, step: impl Fn(&str, u64, u64) -> Option<JournalRow>) {
        if !self.steps.is_empty() {
            let mut rows = Pages::default();
            self.after(0, step).for_each(|row| rows.put(row));
            *self = Self { rows, steps: Vec::new() };
        }
    }

    /// Removes the rows before a sequence number, but not the newest; nothing of it is a step.
    pub(super) fn cut(&mut self, before: u64) {
        let newest = self.last_seq();
        self.rows.retain(|row| row.seq >= before || row.seq == newest);
    }
}
