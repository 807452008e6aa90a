//! Which call a namespace serves, and where its children stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::checkpoint::{CheckpointId, CheckpointRow, FieldVersions, Source, TaskRecordKind};
use crate::machine::restore::Restored;
use crate::machine::task::Phase;
use crate::machine::{Chain, FRONTIER, Machine, Pack};
use crate::state::{State, StateError, codec};

/// Which call a namespace serves, and where its children stand; stored with the frontier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heads {
    /// The id of the task that the namespace runs for, when that is not the namespace's name.
    pub(crate) call: Option<Arc<str>>,
    /// By namespace, the checkpoint at which a child that is kept per thread stands, also one of a child.
    pub(crate) children: BTreeMap<Arc<str>, u64>,
}

/// Namespaces of children that are kept per thread, with the checkpoints at which they stand.
pub(crate) type ChildHeads = Vec<(Arc<str>, u64)>;

impl Heads {
    /// Takes over where children stand. Numbers grow along a branch, in whatever order its tasks commit.
    pub(crate) fn record(&mut self, children: &[(Arc<str>, u64)]) {
        for (ns, number) in children {
            let head = self.children.entry(Arc::clone(ns)).or_default();
            *head = (*head).max(*number);
        }
    }

    /// Whether nothing is recorded.
    pub(crate) fn are_unset(&self) -> bool {
        self.call.is_none() && self.children.is_empty()
    }

    /// What the ids of the namespace's tasks begin with.
    pub(crate) fn base<'a>(&'a self, ns: &'a Arc<str>) -> &'a Arc<str> {
        self.call.as_ref().unwrap_or(ns)
    }
}

impl<S: State> Machine<S> {
    /// What the ids of the tasks begin with: the task that the namespace runs for, nothing for the root.
    pub(crate) fn base(&self) -> &Arc<str> {
        self.frontier.heads().base(&self.ns)
    }

    /// Which call is served, and where children stand.
    pub(crate) fn heads(&self) -> &Heads {
        self.frontier.heads()
    }

    /// Where tasks that have finished and are not committed left children.
    pub(crate) fn finished_heads(&self) -> ChildHeads {
        let finished = self.frontier.iter().filter_map(|(_, task)| match &task.phase {
            Phase::Finished(done) => Some(&done.heads),
            _ => None,
        });
        finished.flatten().cloned().collect()
    }

    /// Runs for the call of this id from now on.
    pub(crate) fn serve(&mut self, call: Arc<str>) {
        self.frontier.serve(call);
    }

    /// Begins from nothing, after what the namespace has.
    pub(crate) fn begin_after(&mut self, newest: u64, head: u64) {
        (self.newest, self.first) = (newest, newest);
        if let Some(persist) = &mut self.persist {
            persist.head = Some(head);
        }
    }

    /// What a later call in the same run goes on from, as if it had been read back from the store.
    ///
    /// # Errors
    /// Those of encoding, which are faults.
    pub(crate) fn keep(&self) -> Result<Restored<S>, StateError> {
        let unstored = |version: &u64| Chain { version: *version, ..Chain::default() };
        let (head, parent, id, chains, frontier_chain) = match &self.persist {
            Some(stored) => {
                let head = stored.head.unwrap_or(self.number);
                (head, stored.parent, stored.parent_id.clone(), stored.chains.clone(), stored.frontier)
            }
            None => (
                self.number,
                None,
                CheckpointId::from(0),
                self.versions.iter().map(unstored).collect(),
                Chain::default(),
            ),
        };
        let row = CheckpointRow {
            number: self.number,
            parent,
            id,
            step: self.step,
            source: Source::Step,
            time: 0,
            executed: self.executed,
            fields: FieldVersions::default(),
            state_version: self.topology.state_version,
        };
        let mut pack = Pack::default();
        self.frontier.encode(&self.topology, &mut pack);
        Ok(Restored {
            row,
            newest: self.newest,
            head,
            state: Arc::clone(&self.state),
            chains,
            frontier: codec::decode(FRONTIER, pack.bytes())?,
            frontier_chain,
            records: Vec::new(),
            older: BTreeMap::new(),
            migrated: self.persist.as_ref().is_some_and(|persist| persist.anew),
            forget_attempts: false,
        })
    }
}

impl<S: State> Restored<S> {
    /// Drops what the call before left undone; the ids of the tasks that are dropped.
    pub(crate) fn drop_unfinished(&mut self, ns: &Arc<str>) -> Vec<Arc<str>> {
        let frontier = std::mem::take(&mut self.frontier);
        let base = frontier.base(ns);
        let mut dropped: Vec<_> = frontier.tasks.iter().map(|task| task.id.path(base, &task.node)).collect();
        // Results of durable steps outlive their tasks.
        let records = self.records.drain(..).filter(|record| record.kind != TaskRecordKind::Once);
        dropped.extend(records.map(|record| record.task));
        dropped.sort();
        dropped.dedup();
        let arrived = |(_, from): &(String, Vec<(String, u32)>)| from.iter().any(|(_, count)| *count > 0);
        let joins = frontier.joins.iter().flatten().any(arrived);
        if joins || !frontier.tasks.is_empty() || !frontier.groups.is_empty() {
            // A difference would build on what is dropped, so the next record of the frontier is a whole one.
            self.frontier_chain = Chain::default();
        }
        self.frontier.heads = frontier.heads;
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_grow() {
        let mut heads = Heads::default();
        let (one, other): (Arc<str>, Arc<str>) = ("one".into(), "one/other".into());
        heads.record(&[(Arc::clone(&one), 3), (Arc::clone(&other), 2)]);
        heads.record(&[(Arc::clone(&one), 2)]);
        heads.record(&[(Arc::clone(&other), 7)]);
        assert_eq!(heads.children.into_iter().collect::<Vec<_>>(), [(one, 3), (other, 7)]);
    }

    #[test]
    fn ids_begin_with_the_call() {
        let ns: Arc<str> = "child".into();
        assert_eq!(&**Heads::default().base(&ns), "child");
        let serving = Heads { call: Some("child:2.0".into()), ..Heads::default() };
        assert_eq!(&**serving.base(&ns), "child:2.0");
    }
}
