//! Which call a namespace serves, and where its children stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{Chain, CheckpointId, CheckpointRow, FieldVersions, Source, TaskRecordKind};
use crate::machine::MachineCore;
use crate::machine::restore::Restored;
use crate::machine::task::Phase;
use crate::record::{FRONTIER, Heads, Pack};
use crate::state::{AnyState, StateError, codec};
use crate::tasks::ChildHeads;

impl MachineCore {
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

    /// Goes on in a namespace that has no checkpoint yet, from where another one stood.
    pub(crate) fn begin_apart(&mut self) {
        if let Some(persist) = &mut self.persist {
            (persist.parent, persist.head, persist.anew) = (None, None, true);
            persist.frontier = Chain::default();
        }
        self.first = self.number;
        self.newest = self.number;
    }

    /// What a later call in the same run goes on from, with this state, as if it had been read back from the store.
    ///
    /// # Errors
    /// Those of encoding, which are faults.
    pub(crate) fn keep(&self, state: AnyState) -> Result<Restored, StateError> {
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
            state_version: self.outline.state_version,
        };
        let mut pack = Pack::default();
        self.frontier.encode(&self.outline, &mut pack);
        Ok(Restored {
            row,
            newest: self.newest,
            head,
            state,
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

impl Restored {
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
