//! Commits that wait for the end of the run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use crate::checkpoint::{Commit, FieldRecord, JournalRow, RecordKind, Source, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::record::Heads;

/// Commits that wait for the end of the run, folded into as few as tell the same.
#[derive(Debug, Default)]
pub(crate) struct ExitBuffer {
    /// By namespace; more than one only where a subgraph is kept per thread: one for each of its calls.
    commits: BTreeMap<Arc<str>, Vec<WaitingCommit>>,
    /// By namespace, the positions of subgraphs that the last of these commits records.
    recorded: BTreeMap<Arc<str>, BTreeMap<Arc<str>, u64>>,
    /// The journal rows of calls that have ended.
    journal: Vec<JournalRow>,
    /// About how many bytes wait.
    bytes: usize,
}

/// A commit that waits, with its records by field: a whole value takes the place of all that waits of its field.
#[derive(Debug, Default)]
struct WaitingCommit {
    commit: Commit,
    fields: BTreeMap<Arc<str>, Vec<FieldRecord>>,
}

/// More than so many bytes do not wait: a run that goes on and on would fill the memory.
const MOST_BYTES: usize = 8 << 20;

/// About what a row takes besides its bytes.
const ROW_BYTES: usize = 160;

impl ExitBuffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Whether so much waits that it is to be written before the run ends.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Whether something of the namespace waits.
    pub(crate) fn has(&self, ns: &str) -> bool {
        self.commits.contains_key(ns)
    }

    /// Adds a commit of a namespace; `heads` are what it records of subgraphs.
    pub(crate) fn add(&mut self, commit: Commit, heads: &Heads) {
        let commit = commit.into_rows();
        if commit.checkpoint.is_some() && !heads.children.is_empty() {
            self.recorded.insert(Arc::clone(&commit.ns), heads.children.clone());
        }
        let begins_call =
            is_kept(&commit.ns) && commit.checkpoint.as_ref().is_some_and(|row| row.source == Source::Input);
        let payloads = commit.fields.iter().map(|record| record.payload.bytes().len());
        let rows = 1 + commit.fields.len() + commit.tasks.len() + commit.journal.len();
        self.bytes += payloads.sum::<usize>() + rows * ROW_BYTES;
        let waiting = self.commits.entry(Arc::clone(&commit.ns)).or_default();
        match waiting.last_mut() {
            Some(earlier) if !(begins_call && earlier.commit.checkpoint.is_some()) => earlier.merge(commit),
            _ => waiting.push(WaitingCommit::of(commit)),
        }
    }

    /// Drops what was committed for a task that has ended, but for what its journal tells: nobody goes on from there.
    pub(crate) fn end_call(&mut self, task: &str) {
        let from = (Bound::Included(task), Bound::Unbounded);
        let at_or_after = self.commits.range::<str, _>(from).map(|(ns, _)| ns);
        let inside = |ns: &&Arc<str>| {
            let rest = ns.strip_prefix(task);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let ended: Vec<_> = at_or_after.take_while(|ns| ns.starts_with(task)).filter(inside).map(Arc::clone).collect();
        for ns in ended {
            self.recorded.remove(&ns);
            let commits = self.commits.remove(&ns).into_iter().flatten();
            self.journal.extend(commits.flat_map(|waiting| waiting.commit.journal));
        }
    }

    /// All of them, in the order in which they are to be written.
    ///
    /// Calls of subgraphs go from the outside in: a task of a subgraph must not be durable before the task that it
    /// belongs to. Before them goes, from the inside out, what is kept per thread: a commit must not record where a
    /// subgraph stands that is not durable. The journal goes with the last one, in order, since its rows are of all of them; the lease
    /// ends there too.
    pub(crate) fn take(&mut self) -> Vec<Commit> {
        let Self { commits, recorded, mut journal, .. } = std::mem::take(self);
        let recorded: BTreeSet<(Arc<str>, u64)> = recorded.into_values().flatten().collect();
        let mut all: Vec<WaitingCommit> = Vec::with_capacity(commits.len());
        for waiting in commits.into_values().flatten() {
            match all.last_mut() {
                Some(WaitingCommit { commit, .. }) if commit.ns != waiting.commit.ns || is_in(&recorded, commit) => {
                    all.push(waiting);
                }
                Some(earlier) => earlier.merge(waiting.into_commit()),
                None => all.push(waiting),
            }
        }
        let mut all: Vec<Commit> = all.into_iter().map(WaitingCommit::into_commit).collect();
        all.sort_by_key(|commit| if is_kept(&commit.ns) { Reverse(commit.ns.len()) } else { Reverse(0) });
        let row = all.iter().find_map(|commit| commit.thread.clone());
        if let (Some(first), Some(row)) = (all.first_mut(), row) {
            let running = ThreadRow { status: ThreadStatus::Running, detail: String::new(), ..row };
            first.thread.get_or_insert(running);
        }
        journal.extend(all.iter_mut().flat_map(|commit| commit.journal.drain(..)));
        journal.sort_by_key(|row| row.seq);
        let release = all.iter().any(|commit| commit.release);
        all.iter_mut().for_each(|commit| commit.release = false);
        match all.last_mut() {
            Some(last) => (last.journal, last.release) = (journal, release),
            None => self.journal = journal,
        }
        all
    }
}

/// Whether the checkpoint of a commit is one that a parent goes back to.
fn is_in(recorded: &BTreeSet<(Arc<str>, u64)>, commit: &Commit) -> bool {
    commit.checkpoint.as_ref().is_some_and(|row| recorded.contains(&(Arc::clone(&commit.ns), row.number)))
}

/// Whether a namespace is that of a subgraph which is kept per thread: those of calls are named by tasks.
fn is_kept(ns: &str) -> bool {
    !ns.is_empty() && !ns.contains(':')
}

impl WaitingCommit {
    fn of(mut commit: Commit) -> Self {
        let records = std::mem::take(&mut commit.fields);
        let mut waiting = Self { commit, fields: BTreeMap::new() };
        waiting.add(records);
        waiting
    }

    fn add(&mut self, records: Vec<FieldRecord>) {
        for record in records {
            let of_field = self.fields.entry(Arc::clone(&record.field)).or_default();
            if record.kind == RecordKind::Whole {
                of_field.clear();
            }
            of_field.push(record);
        }
    }

    /// Folds a later commit of the namespace into this one, which is not written yet.
    fn merge(&mut self, later: Commit) {
        self.add(later.fields);
        let earlier = &mut self.commit;
        if let Some(mut row) = later.checkpoint {
            match &earlier.checkpoint {
                Some(skipped) => row.parent = skipped.parent,
                None => earlier.expected_head = later.expected_head,
            }
            earlier.checkpoint = Some(row);
        }
        earlier.tasks.retain(|record| record.kind == TaskRecordKind::Once || !later.settled.contains(&record.task));
        earlier.tasks.extend(later.tasks);
        earlier.settled.extend(later.settled);
        earlier.journal.extend(later.journal);
        earlier.thread = later.thread.or(earlier.thread.take());
        earlier.release |= later.release;
    }

    fn into_commit(self) -> Commit {
        let mut fields: Vec<_> = self.fields.into_values().flatten().collect();
        // As they were made.
        fields.sort_by_key(|record| record.version);
        Commit { fields, ..self.commit }
    }
}
