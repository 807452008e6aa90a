//! Commits that wait for the end of the run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use crate::checkpoint::{Commit, JournalRow, RecordKind, Source, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::machine::Heads;

/// Commits that wait for the end of the run, folded into as few as tell the same.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    /// By namespace; more than one only where a subgraph is kept per thread: one for each of its calls.
    commits: BTreeMap<Arc<str>, Vec<Commit>>,
    /// By namespace, where the last of these commits records that subgraphs stand.
    recorded: BTreeMap<Arc<str>, BTreeMap<Arc<str>, u64>>,
    /// What calls told that have ended.
    journal: Vec<JournalRow>,
}

impl Deferred {
    pub(super) fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Whether something of the namespace waits.
    pub(super) fn has(&self, ns: &str) -> bool {
        self.commits.contains_key(ns)
    }

    /// Adds a commit of a namespace; `heads` are what it records of subgraphs.
    pub(super) fn add(&mut self, commit: Commit, heads: &Heads) {
        if commit.checkpoint.is_some() && !heads.children.is_empty() {
            self.recorded.insert(Arc::clone(&commit.ns), heads.children.clone());
        }
        let begins_call =
            is_kept(&commit.ns) && commit.checkpoint.as_ref().is_some_and(|row| row.source == Source::Input);
        let waiting = self.commits.entry(Arc::clone(&commit.ns)).or_default();
        match waiting.last_mut() {
            Some(earlier) if !(begins_call && earlier.checkpoint.is_some()) => merge(earlier, commit),
            _ => waiting.push(commit),
        }
    }

    /// Drops what was committed for a task that has ended, but for what its journal tells: nobody goes on from there.
    pub(super) fn end_call(&mut self, task: &str) {
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
            self.journal.extend(commits.flat_map(|commit| commit.journal));
        }
    }

    /// All of them, in the order in which they are to be written.
    ///
    /// Calls of subgraphs go from the outside in: a task of a subgraph must not be durable before the task that it
    /// belongs to. Before them goes, from the inside out, what is kept per thread: a commit must not record where a
    /// subgraph stands that is not durable. The journal goes with the last one, in order, for it tells of all; the lease
    /// ends there too.
    pub(super) fn take(&mut self) -> Vec<Commit> {
        let Self { commits, recorded, mut journal } = std::mem::take(self);
        let recorded: BTreeSet<(Arc<str>, u64)> = recorded.into_values().flatten().collect();
        let mut all: Vec<Commit> = Vec::with_capacity(commits.len());
        for commit in commits.into_values().flatten() {
            match all.last_mut() {
                Some(earlier) if earlier.ns == commit.ns && !is_in(&recorded, earlier) => merge(earlier, commit),
                _ => all.push(commit),
            }
        }
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

/// Folds a later commit of a namespace into an earlier one that is not written yet.
fn merge(earlier: &mut Commit, later: Commit) {
    for record in later.fields {
        if record.kind == RecordKind::Whole {
            earlier.fields.retain(|other| other.field != record.field);
        }
        earlier.fields.push(record);
    }
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
