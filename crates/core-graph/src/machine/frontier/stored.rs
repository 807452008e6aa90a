//! The stored form of a frontier: whole, or what changed. Nodes go by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{Frontier, Group};
use crate::graph::Topology;
use crate::machine::FRONTIER;
use crate::machine::task::{GroupId, Pending, TaskId};
use crate::state::{State, StateError, codec};

/// What changed since the last stored form; some of it several times.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) tasks: SmallVec<[TaskId; 4]>,
    pub(super) joins: bool,
    pub(super) groups: Vec<GroupId>,
}

/// A difference of two frontiers, or a whole one as the difference from nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrontierDelta {
    pub(crate) tasks: Vec<TaskRow>,
    pub(crate) removed: Vec<TaskId>,
    /// All joins by target, when one changed: predecessor and arrivals.
    pub(crate) joins: Option<Vec<(String, Vec<(String, u32)>)>>,
    pub(crate) groups: Vec<(GroupId, u64, Vec<String>)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TaskRow {
    pub(crate) id: TaskId,
    pub(crate) node: String,
    pub(crate) key: Option<Arc<str>>,
    #[serde(with = "serde_bytes")]
    pub(crate) input: Option<Vec<u8>>,
    pub(crate) groups: Vec<GroupId>,
    pub(crate) failed: u32,
    pub(crate) seen: Option<u64>,
}

/// [`FrontierDelta`] as it is written.
#[derive(Serialize)]
struct Written<'a> {
    tasks: &'a [WrittenTask<'a>],
    removed: &'a [TaskId],
    joins: Option<Vec<(&'a str, Vec<(&'a str, u32)>)>>,
    groups: Vec<(GroupId, u64, Vec<&'a str>)>,
}

/// [`TaskRow`] as it is written.
#[derive(Serialize)]
struct WrittenTask<'a> {
    id: TaskId,
    node: &'a str,
    key: Option<&'a str>,
    #[serde(with = "serde_bytes")]
    input: Option<&'a [u8]>,
    groups: &'a [GroupId],
    failed: u32,
    seen: Option<u64>,
}

impl<S: State> Frontier<S> {
    /// The stored form of the whole frontier.
    pub(crate) fn encode(&self, topology: &Topology<S>) -> Result<Arc<[u8]>, StateError> {
        let tasks: Vec<_> = self.iter().map(|(id, task)| written(id, task, topology)).collect();
        let groups = self.groups.iter().map(|(id, group)| written_group(*id, Some(group), topology)).collect();
        let joins = Some(self.written_joins(topology));
        codec::encode_compact(FRONTIER, &Written { tasks: &tasks, removed: &[], joins, groups })
    }

    /// The stored form of what changed.
    pub(crate) fn encode_changes(&self, mut changes: Changes, topology: &Topology<S>) -> Result<Arc<[u8]>, StateError> {
        changes.tasks.sort_unstable();
        changes.tasks.dedup();
        changes.groups.sort_unstable();
        changes.groups.dedup();
        let mut tasks = SmallVec::<[_; 2]>::new();
        let mut removed = SmallVec::<[_; 4]>::new();
        for id in changes.tasks {
            match self.get(id) {
                Some(task) => tasks.push(written(id, task, topology)),
                None => removed.push(id),
            }
        }
        let joins = changes.joins.then(|| self.written_joins(topology));
        let groups = changes.groups.iter().map(|id| written_group(*id, self.groups.get(id), topology)).collect();
        codec::encode_compact(FRONTIER, &Written { tasks: &tasks, removed: &removed, joins, groups })
    }

    fn written_joins<'a>(&self, topology: &'a Topology<S>) -> Vec<(&'a str, Vec<(&'a str, u32)>)> {
        let name = |at: &u32| topology.nodes.get(*at as usize).map_or("", |node| node.name.as_str());
        let arrivals = topology.joins.iter().zip(&self.joins);
        arrivals
            .map(|(join, arrived)| {
                (name(&join.target), join.predecessors.iter().map(name).zip(arrived.iter().copied()).collect())
            })
            .collect()
    }
}

fn written<'a, S: State>(id: TaskId, task: &'a Pending<S>, topology: &'a Topology<S>) -> WrittenTask<'a> {
    WrittenTask {
        id,
        node: topology.node(task.node).name.as_str(),
        key: task.key.as_deref(),
        input: task.input.as_deref(),
        groups: &task.groups,
        failed: task.failed,
        seen: task.seen,
    }
}

fn written_group<'a, S: State>(
    id: GroupId,
    group: Option<&Group>,
    topology: &'a Topology<S>,
) -> (GroupId, u64, Vec<&'a str>) {
    let targets = group.iter().flat_map(|group| &group.targets).map(|at| topology.node(*at).name.as_str()).collect();
    (id, group.map_or(0, |group| group.open), targets)
}

/// The stored form of a frontier with one unfinished task, the first that checkpoint `number` made.
#[cfg(feature = "conformance")]
pub(crate) fn pending_frontier(node: &str, number: u64, seen: Option<u64>) -> Result<Vec<u8>, StateError> {
    let task = TaskRow {
        id: TaskId { number, place: 0 },
        node: node.to_owned(),
        key: None,
        input: None,
        groups: Vec::new(),
        failed: 0,
        seen,
    };
    codec::encode(FRONTIER, &FrontierDelta { tasks: vec![task], ..FrontierDelta::default() })
}

impl FrontierDelta {
    /// Folds a later difference into this whole frontier.
    pub(crate) fn fold(&mut self, later: Self) {
        let mut tasks: BTreeMap<_, _> = std::mem::take(&mut self.tasks).into_iter().map(|row| (row.id, row)).collect();
        later.removed.iter().for_each(|id| drop(tasks.remove(id)));
        tasks.extend(later.tasks.into_iter().map(|row| (row.id, row)));
        self.tasks = tasks.into_values().collect();
        if later.joins.is_some() {
            self.joins = later.joins;
        }
        for group in later.groups {
            self.groups.retain(|(id, ..)| *id != group.0);
            if group.1 > 0 {
                self.groups.push(group);
            }
        }
    }
}
