//! What is kept of one thread.

use std::collections::HashMap;
use std::sync::Arc;

use super::hasher::Seeded;
use super::journal::Journal;
use super::namespace::MemoryNamespace;
use super::{
    CheckpointRow, Commit, FieldOutline, FieldRecord, HistoryFilter, JournalRow, Lease, Pruning, Stats, TaskRecord,
    ThreadRow,
};
use crate::checkpoint::{Cut, RecordKind};

/// One thread: its row, its namespaces and its journal.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryThread {
    /// `None` only before the first commit is applied.
    row: Option<ThreadRow>,
    /// When the row was last written, counted by the store.
    written: u64,
    namespaces: Namespaces,
    journal: Journal,
}

type Namespaces = HashMap<Arc<str>, MemoryNamespace, Seeded>;

impl MemoryThread {
    pub(super) fn row(&self) -> Option<ThreadRow> {
        self.row.clone()
    }

    pub(super) fn epoch(&self) -> u64 {
        self.row.as_ref().map_or(0, |row| row.epoch)
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Clears the owner, when it is this one.
    pub(super) fn disown(&mut self, owner: &str) {
        if let Some(row) = &mut self.row
            && row.owner == owner
        {
            row.owner.clear();
        }
    }

    /// Whether a commit may be applied; otherwise what differs from what its writer expects.
    pub(super) fn check(&self, lease: &Lease, commit: &Commit) -> Result<(), String> {
        let epoch = self.epoch();
        let owns = epoch == lease.epoch && self.row.as_ref().is_some_and(|row| *row.owner == *lease.owner);
        if !owns && epoch + 1 != lease.epoch {
            return Err(format!("the thread is at epoch {epoch}"));
        }
        if let Some(checkpoint) = &commit.checkpoint {
            let namespace = self.namespaces.get(&*commit.ns);
            let head = namespace.and_then(|namespace| namespace.head);
            if head != commit.expected_head {
                return Err(format!("the head is {}, not {}", shown(head), shown(commit.expected_head)));
            }
            if namespace.is_some_and(|namespace| namespace.has(checkpoint.number)) {
                return Err(format!("checkpoint {} exists already", checkpoint.number));
            }
        }
        let mut last = self.last_seq();
        for row in &commit.journal {
            if row.seq <= last {
                return Err(format!("the journal is at {last}, and the commit brings {}", row.seq));
            }
            last = row.seq;
        }
        Ok(())
    }

    /// Applies a checked commit, and leaves its room.
    pub(super) fn apply(&mut self, lease: &Lease, commit: &mut Commit, write: u64) {
        if let Some(row) = commit.thread.take() {
            self.row = Some(ThreadRow { thread: Arc::clone(&lease.thread), ..row });
            self.written = write;
        }
        if let Some(row) = &mut self.row {
            row.epoch = lease.epoch;
            if commit.release {
                row.owner.clear();
            } else if row.owner != *lease.owner {
                row.owner = lease.owner.to_string();
            }
        }
        let Commit { ns, checkpoint, fields, tasks, settled, journal, .. } = commit;
        if checkpoint.is_some() || !fields.is_empty() || !tasks.is_empty() || !settled.is_empty() {
            let namespace = match self.namespaces.get_mut(&**ns) {
                Some(namespace) => namespace,
                None => self.namespaces.entry(Arc::clone(ns)).or_default(),
            };
            if let Some(checkpoint) = checkpoint.take() {
                namespace.add_checkpoint(checkpoint);
            }
            fields.drain(..).for_each(|record| namespace.add_record(record));
            tasks.drain(..).for_each(|record| namespace.add_task_record(record));
            settled.drain(..).for_each(|task| namespace.settle(&task));
        }
        journal.drain(..).for_each(|row| self.journal.put(row));
    }

    /// Adds a commit that is a step in compact form and no more, when the thread is claimed under the lease and the commit
    /// may be applied; otherwise nothing.
    pub(super) fn add_step(&mut self, lease: &Lease, commit: &Commit) -> bool {
        let Commit { ns, checkpoint: Some(row), step: Some(step), thread: None, release: false, .. } = commit else {
            return false;
        };
        let Commit { fields, tasks, settled, journal, .. } = commit;
        let is_alone = fields.is_empty() && tasks.is_empty() && settled.is_empty() && journal.is_empty();
        if !is_alone || self.epoch() != lease.epoch || step.seq <= self.last_seq() || step.names.ns != *ns {
            return false;
        }
        let namespace = self.namespaces.get_mut(&**ns);
        let added = namespace.is_some_and(|namespace| namespace.add_step(commit.expected_head, row, step));
        if added {
            self.journal.put_step(ns, row.number, step.seq);
        }
        added
    }

    /// How many checkpoints of a namespace are kept in compact form.
    #[cfg(test)]
    pub(super) fn compact_steps(&self, ns: &str) -> usize {
        self.namespaces.get(ns).map_or(0, MemoryNamespace::compact_steps)
    }

    /// The whole thread under another id, owned by nobody.
    pub(super) fn copy_as(&self, thread: &str, write: u64) -> Self {
        let mut copy = self.clone();
        copy.written = write;
        if let Some(row) = &mut copy.row {
            row.thread = thread.into();
            row.epoch = 0;
            row.owner.clear();
        }
        copy
    }

    pub(super) fn namespaces(&self) -> Vec<String> {
        let with_checkpoints = self.namespaces.iter().filter(|(_, namespace)| namespace.has_any());
        let mut names: Vec<_> = with_checkpoints.map(|(ns, _)| ns.to_string()).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn checkpoint(&self, ns: &str, number: Option<u64>) -> Option<CheckpointRow> {
        let namespace = self.namespaces.get(ns)?;
        namespace.row(number.or(namespace.head)?)
    }

    pub(super) fn checkpoints(&self, ns: &str, filter: &HistoryFilter) -> Vec<CheckpointRow> {
        let Some(namespace) = self.namespaces.get(ns) else { return Vec::new() };
        namespace.newest_first(filter).take(filter.limit.unwrap_or(usize::MAX)).collect()
    }

    /// The chain of records behind a version, oldest first, without what a known version has.
    pub(super) fn field(
        &self,
        ns: &str,
        field: &str,
        version: u64,
        known: Option<u64>,
    ) -> Result<Vec<FieldRecord>, String> {
        let namespace = self.namespaces.get(ns);
        let mut chain = Vec::new();
        let mut next = Some(version);
        while let Some(version) = next.filter(|next| Some(*next) != known) {
            let record = namespace
                .and_then(|namespace| namespace.record(field, version))
                .ok_or_else(|| format!("there is no record of version {version}"))?;
            next = match record.kind {
                RecordKind::Whole => None,
                RecordKind::Delta => record.previous,
            };
            if next.is_some_and(|previous| previous >= version) {
                return Err(format!("version {version} does not build on an earlier one"));
            }
            chain.push(record);
        }
        chain.reverse();
        Ok(chain)
    }

    pub(super) fn task_records(&self, ns: &str) -> Vec<TaskRecord> {
        self.namespaces.get(ns).map(MemoryNamespace::task_records).unwrap_or_default()
    }

    pub(super) fn open_records(&self, ns: &str) -> Vec<TaskRecord> {
        self.namespaces.get(ns).map(MemoryNamespace::open_records).unwrap_or_default()
    }

    pub(super) fn once_records(&self, ns: &str, tasks: &[Arc<str>]) -> Vec<TaskRecord> {
        self.namespaces.get(ns).map(|namespace| namespace.once_records(tasks)).unwrap_or_default()
    }

    pub(super) fn journal(&self, after: u64, limit: usize) -> Vec<JournalRow> {
        self.journal.after(after, |ns, number, seq| told(&self.namespaces, ns, number, seq)).take(limit).collect()
    }

    pub(super) fn last_seq(&self) -> u64 {
        self.journal.last_seq()
    }

    pub(super) fn outline(&self, ns: &str) -> Vec<FieldOutline> {
        self.namespaces.get(ns).map(MemoryNamespace::outline).unwrap_or_default()
    }

    /// Whether every namespace that remains keeps its head; otherwise which does not.
    pub(super) fn check_cuts(&self, pruning: &Pruning) -> Result<(), String> {
        for Cut { ns, checkpoints, head, whole, .. } in &pruning.cuts {
            let Some(namespace) = self.namespaces.get(ns).filter(|_| !whole) else { continue };
            let Some(number) = head.or(namespace.head) else { continue };
            if !namespace.has(number) || checkpoints.contains(&number) {
                return Err(format!("checkpoint {number} of namespace `{ns}` is the head, and would be gone"));
            }
        }
        Ok(())
    }

    /// Removes what checked cuts name. What remains of steps in compact form is kept as rows.
    pub(super) fn prune(&mut self, pruning: &Pruning) {
        self.journal.unfold(|ns, number, seq| told(&self.namespaces, ns, number, seq));
        self.namespaces.values_mut().for_each(MemoryNamespace::unfold);
        for cut in &pruning.cuts {
            if cut.whole {
                self.namespaces.remove(&cut.ns);
            } else if let Some(namespace) = self.namespaces.get_mut(&cut.ns) {
                namespace.cut(cut);
            }
        }
        self.journal.cut(pruning.journal_before);
    }

    /// Adds this thread's checkpoints and its inline bytes. Shared values are counted by the store, once.
    pub(super) fn add_to(&self, stats: &mut Stats) {
        stats.checkpoints += self.namespaces.values().map(|namespace| namespace.len() as u64).sum::<u64>();
        stats.bytes += self.namespaces.values().map(MemoryNamespace::bytes).sum::<u64>();
    }
}

/// The row of the journal of a step in compact form.
fn told(namespaces: &Namespaces, ns: &str, number: u64, seq: u64) -> Option<JournalRow> {
    namespaces.get(ns)?.told(number, seq)
}

/// A head in words.
fn shown(head: Option<u64>) -> String {
    head.map_or_else(|| "unset".to_owned(), |number| number.to_string())
}
