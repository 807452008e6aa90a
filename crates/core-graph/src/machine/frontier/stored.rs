//! The stored form of a frontier: whole, or what changed. Nodes go by name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::pack::Pack;
use super::{Frontier, Group};
use crate::graph::{Timeout, Topology};
#[cfg(feature = "conformance")]
use crate::machine::FRONTIER;
use crate::machine::child_positions::Heads;
use crate::machine::task::{GroupId, Pending, TaskId};
use crate::state::State;
#[cfg(feature = "conformance")]
use crate::state::{StateError, codec};

/// What changed since the last stored form; some of it several times.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) tasks: SmallVec<[TaskId; 4]>,
    pub(super) joins: bool,
    pub(super) groups: Vec<GroupId>,
    pub(super) heads: bool,
}

/// A difference of two frontiers, or a whole one as the difference from nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrontierDelta {
    pub(crate) tasks: Vec<TaskRow>,
    pub(crate) removed: Vec<TaskId>,
    /// All joins at which something has arrived by target, when one changed: predecessor and arrivals.
    pub(crate) joins: Option<Vec<(String, Vec<(String, u32)>)>>,
    pub(crate) groups: Vec<(GroupId, u64, Vec<String>)>,
    /// All of them, when one changed.
    #[serde(default)]
    pub(crate) heads: Option<Heads>,
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
    /// Last, so that it takes no room where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<Timeout>,
}

impl<S: State> Frontier<S> {
    /// The stored form of the whole frontier: a [`FrontierDelta`] without names of fields.
    pub(crate) fn encode(&self, topology: &Topology<S>, pack: &mut Pack) {
        pack.clear();
        let heads = !self.heads.are_unset();
        pack.array(4 + usize::from(heads));
        pack.array(self.len());
        self.iter().for_each(|(id, task)| pack_task(pack, id, task, topology));
        pack.array(0);
        self.pack_joins(pack, topology);
        pack.array(self.groups.len());
        self.groups.iter().for_each(|(id, group)| pack_group(pack, *id, Some(group), topology));
        if heads {
            pack_heads(pack, &self.heads);
        }
    }

    /// Whether a whole stored form holds no more than what changed: a small frontier that is new altogether.
    pub(crate) fn is_all(&self, changes: &Changes) -> bool {
        const SMALL: usize = 4;
        self.len() <= SMALL
            && self.groups.len() <= SMALL
            && self.iter().all(|(id, _)| changes.tasks.contains(&id))
            && self.groups.keys().all(|id| changes.groups.contains(id))
            && (self.joins.are_empty() || changes.joins)
            && (self.heads.are_unset() || changes.heads)
    }

    /// Whether no more changed than that the first task of the checkpoint before went, and that the first task of checkpoint
    /// `number`, if one `follows`, is all there is: with that, whether the tasks are the whole frontier.
    pub(crate) fn as_step(&self, number: u64, follows: bool) -> Option<bool> {
        let Changes { tasks, joins: false, groups, heads: false } = &self.changes else { return None };
        let steps = |id: &TaskId| id.place == 0 && (id.number == number || id.number + 1 == number);
        let plain = match self.slots.front() {
            Some((_, Some(task))) => follows && self.len() == 1 && task.is_new_and_plain(),
            _ => !follows && self.is_empty(),
        };
        let plain = plain && groups.is_empty() && tasks.iter().all(steps);
        plain.then(|| self.joins.are_empty() && self.groups.is_empty() && self.heads.are_unset())
    }

    /// Notes that what changed is stored.
    pub(crate) fn clear_changes(&mut self) {
        let Changes { tasks, joins, groups, heads } = &mut self.changes;
        tasks.clear();
        groups.clear();
        (*joins, *heads) = (false, false);
    }

    /// The same of what changed.
    pub(crate) fn encode_changes(&self, mut changes: Changes, topology: &Topology<S>, pack: &mut Pack) {
        if !changes.tasks.is_sorted_by(|one, other| one < other) {
            changes.tasks.sort_unstable();
            changes.tasks.dedup();
        }
        changes.groups.sort_unstable();
        changes.groups.dedup();
        let removed: SmallVec<[TaskId; 4]> =
            changes.tasks.iter().copied().filter(|id| self.get(*id).is_none()).collect();
        pack.clear();
        pack.array(4 + usize::from(changes.heads));
        pack.array(changes.tasks.len() - removed.len());
        for id in changes.tasks {
            if let Some(task) = self.get(id) {
                pack_task(pack, id, task, topology);
            }
        }
        pack.array(removed.len());
        removed.iter().for_each(|id| pack_id(pack, id.number, id.place));
        if changes.joins {
            self.pack_joins(pack, topology);
        } else {
            pack.nil();
        }
        pack.array(changes.groups.len());
        changes.groups.iter().for_each(|id| pack_group(pack, *id, self.groups.get(id), topology));
        if changes.heads {
            pack_heads(pack, &self.heads);
        }
    }

    fn pack_joins(&self, pack: &mut Pack, topology: &Topology<S>) {
        let open = self.joins.open();
        pack.array(open.len());
        for (join, arrived) in open {
            let join = &topology.joins[join];
            pack.array(2);
            pack.text(topology.node(join.target).name.as_str());
            pack.array(arrived.len());
            for (predecessor, arrived) in join.predecessors.iter().zip(arrived) {
                pack.array(2);
                // START is no node and has no name.
                pack.text(topology.nodes.get(*predecessor as usize).map_or("", |node| node.name.as_str()));
                pack.uint((*arrived).into());
            }
        }
    }
}

fn pack_id(pack: &mut Pack, number: u64, place: u32) {
    pack.array(2);
    pack.uint(number);
    pack.uint(place.into());
}

/// The stored form of a frontier after a plain step into `node`: whole, when that task is all it holds, or what changed.
pub(crate) fn pack_step(pack: &mut Pack, number: u64, node: Option<&str>, whole: bool) {
    pack.clear();
    match node {
        Some(node) => {
            pack.written([0x94, 0x91, 0x97]);
            pack_id(pack, number, 0);
            pack.text(node);
            pack.written(NEW_AND_PLAIN);
        }
        None => pack.written([0x94, 0x90]),
    }
    if whole {
        return pack.written([0x90, 0x90, 0x90]);
    }
    pack.array(1);
    pack_id(pack, number.saturating_sub(1), 0);
    pack.written([0xc0, 0x90]);
}

/// What follows the node in the stored form of a task that is new and plain: no key and no input, no groups, no failures,
/// nothing seen.
const NEW_AND_PLAIN: [u8; 5] = [0xc0, 0xc0, 0x90, 0, 0xc0];

fn pack_task<S: State>(pack: &mut Pack, id: TaskId, task: &Pending<S>, topology: &Topology<S>) {
    pack.array(7 + usize::from(task.timeout.is_some()));
    pack_id(pack, id.number, id.place);
    pack.text(topology.node(task.node).name.as_str());
    if task.is_new_and_plain() {
        return pack.written(NEW_AND_PLAIN);
    }
    match &task.key {
        Some(key) => pack.text(key),
        None => pack.nil(),
    }
    match &task.input {
        Some(input) => pack.binary(input),
        None => pack.nil(),
    }
    pack.array(task.groups.len());
    task.groups.iter().for_each(|group| pack_id(pack, group.number, group.place));
    pack.uint(task.failed.into());
    match task.seen {
        Some(seen) => pack.uint(seen),
        None => pack.nil(),
    }
    if let Some(Timeout { attempt, idle }) = task.timeout.as_deref() {
        pack.array(2);
        pack_duration(pack, *attempt);
        pack_duration(pack, *idle);
    }
}

fn pack_duration(pack: &mut Pack, duration: Option<Duration>) {
    let Some(duration) = duration else { return pack.nil() };
    pack.array(2);
    pack.uint(duration.as_secs());
    pack.uint(duration.subsec_nanos().into());
}

fn pack_group<S: State>(pack: &mut Pack, id: GroupId, group: Option<&Group>, topology: &Topology<S>) {
    pack.array(3);
    pack_id(pack, id.number, id.place);
    pack.uint(group.map_or(0, |group| group.open));
    pack.array(group.map_or(0, |group| group.targets.len()));
    let targets = group.iter().flat_map(|group| &group.targets);
    targets.for_each(|target| pack.text(topology.node(*target).name.as_str()));
}

fn pack_heads(pack: &mut Pack, heads: &Heads) {
    pack.array(2);
    match &heads.call {
        Some(call) => pack.text(call),
        None => pack.nil(),
    }
    pack.map(heads.children.len());
    for (ns, number) in &heads.children {
        pack.text(ns);
        pack.uint(*number);
    }
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
        timeout: None,
    };
    codec::encode(FRONTIER, &FrontierDelta { tasks: vec![task], ..FrontierDelta::default() })
}

/// The stored form of a frontier without tasks that records where subgraphs stand.
#[cfg(feature = "conformance")]
pub(crate) fn recording_frontier(children: &[(&str, u64)]) -> Result<Vec<u8>, StateError> {
    let children = children.iter().map(|(ns, number)| (Arc::from(*ns), *number)).collect();
    let heads = Some(Heads { call: None, children });
    codec::encode(FRONTIER, &FrontierDelta { heads, ..FrontierDelta::default() })
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
        self.heads = later.heads.or(self.heads.take());
    }

    /// What the ids of the tasks begin with.
    pub(crate) fn base<'a>(&'a self, ns: &'a Arc<str>) -> &'a Arc<str> {
        self.heads.as_ref().map_or(ns, |heads| heads.base(ns))
    }

    /// Where children that are kept per thread stand.
    pub(crate) fn children(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.heads.iter().flat_map(|heads| &heads.children).map(|(ns, number)| (ns, *number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_step_is_stored_as_a_serializer_would() {
        let long = "a node with a name of more than 31 letters";
        for (number, node) in [(1, Some("n")), (128, Some(long)), (70_000, Some("m")), (3, None)] {
            let id = TaskId { number, place: 0 };
            let task = |node: &str| {
                let (key, input, groups, failed, seen, timeout) = (None, None, Vec::new(), 0, None, None);
                TaskRow { id, node: node.to_owned(), key, input, groups, failed, seen, timeout }
            };
            let removed = vec![TaskId { number: number - 1, place: 0 }];
            let changed =
                FrontierDelta { tasks: node.map(task).into_iter().collect(), removed, ..FrontierDelta::default() };
            let whole = FrontierDelta { removed: Vec::new(), joins: Some(Vec::new()), ..changed.clone() };
            for (delta, is_whole) in [(changed, false), (whole, true)] {
                let mut pack = Pack::default();
                pack_step(&mut pack, number, node, is_whole);
                let FrontierDelta { tasks, removed, joins, groups, .. } = &delta;
                assert_eq!(pack.bytes(), rmp_serde::to_vec(&(tasks, removed, joins, groups)).unwrap());
                assert_eq!(rmp_serde::from_slice::<FrontierDelta>(pack.bytes()).unwrap(), delta);
            }
        }
    }
}
