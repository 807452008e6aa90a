//! What is left to do: tasks, half-filled joins, open fan-outs; and its stored form, as differences.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::graph::Topology;
use crate::machine::heads::Heads;
use crate::machine::task::{GroupId, Pending, Phase, TaskId};
use crate::state::State;

/// Tasks in the order of their ids. Ids grow, so new tasks go to the back.
pub(crate) struct Frontier<S: State> {
    slots: VecDeque<(TaskId, Option<Pending<S>>)>,
    live: usize,
    /// Ready tasks, in id order.
    ready: VecDeque<TaskId>,
    /// Unfinished tasks of sends.
    keyed: usize,
    /// The same by target and key; made when somebody looks one up.
    sends: Option<HashMap<(u32, Arc<str>), TaskId>>,
    /// Per join, how often each predecessor has arrived.
    pub(crate) joins: Vec<Vec<u32>>,
    pub(crate) groups: BTreeMap<GroupId, Group>,
    heads: Heads,
    dirty: Dirty,
}

/// An open fan-out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    /// Unfinished tasks.
    pub(crate) open: u64,
    /// The task nodes that arrive at joins when the fan-out closes.
    pub(crate) targets: BTreeSet<u32>,
}

/// What changed since the last stored form.
#[derive(Debug, Default)]
struct Dirty {
    tasks: BTreeSet<TaskId>,
    joins: bool,
    groups: BTreeSet<GroupId>,
    heads: bool,
}

/// A difference of two frontiers, or a whole one as the difference from nothing. Nodes go by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrontierDelta {
    pub(crate) tasks: Vec<TaskRow>,
    pub(crate) removed: Vec<TaskId>,
    /// All joins by target, when one changed: predecessor and arrivals.
    pub(crate) joins: Option<Vec<(String, Vec<(String, u32)>)>>,
    pub(crate) groups: Vec<(GroupId, u64, Vec<String>)>,
    /// All of them, when one changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
}

impl<S: State> Frontier<S> {
    pub(crate) fn new(topology: &Topology<S>) -> Self {
        Self {
            slots: VecDeque::new(),
            live: 0,
            ready: VecDeque::new(),
            keyed: 0,
            sends: None,
            joins: topology.joins.iter().map(|join| vec![0; join.predecessors.len()]).collect(),
            groups: BTreeMap::new(),
            heads: Heads::default(),
            dirty: Dirty::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.live == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.live
    }

    fn position(&self, id: TaskId) -> Option<usize> {
        // Tasks of one commit mostly stand together.
        let (first, _) = self.slots.front()?;
        let near = id.place.wrapping_sub(first.place) as usize;
        match self.slots.get(near) {
            Some((other, _)) if *other == id => Some(near),
            _ => self.slots.binary_search_by(|(other, _)| other.cmp(&id)).ok(),
        }
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<&Pending<S>> {
        self.slots.get(self.position(id)?)?.1.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: TaskId) -> Option<&mut Pending<S>> {
        let at = self.position(id)?;
        self.slots.get_mut(at)?.1.as_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (TaskId, &Pending<S>)> {
        self.slots.iter().filter_map(|(id, task)| Some((*id, task.as_ref()?)))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (TaskId, &mut Pending<S>)> {
        self.slots.iter_mut().filter_map(|(id, task)| Some((*id, task.as_mut()?)))
    }

    /// Adds a task whose id is greater than all others.
    pub(crate) fn push(&mut self, id: TaskId, task: Pending<S>, durable: bool) {
        if let Some(key) = &task.key {
            self.keyed += 1;
            if let Some(sends) = &mut self.sends {
                sends.insert((task.node, Arc::clone(key)), id);
            }
        }
        if matches!(task.phase, Phase::Ready) {
            self.ready.push_back(id);
        }
        self.slots.push_back((id, Some(task)));
        self.live += 1;
        if durable {
            self.dirty.tasks.insert(id);
        }
    }

    pub(crate) fn remove(&mut self, id: TaskId, durable: bool) -> Option<Pending<S>> {
        let at = self.position(id)?;
        let task = self.slots.get_mut(at)?.1.take()?;
        self.live -= 1;
        while self.slots.front().is_some_and(|(_, task)| task.is_none()) {
            self.slots.pop_front();
        }
        if self.slots.len() > 32 && self.slots.len() > 2 * self.live {
            self.slots.retain(|(_, task)| task.is_some());
        }
        if let Some(key) = &task.key {
            self.keyed -= 1;
            if self.keyed == 0 {
                self.sends = None;
            } else if let Some(sends) = &mut self.sends {
                sends.remove(&(task.node, Arc::clone(key)));
            }
        }
        if matches!(task.phase, Phase::Ready) {
            self.ready.retain(|other| *other != id);
        }
        if durable {
            self.dirty.tasks.insert(id);
        }
        Some(task)
    }

    /// The place of the next task of commit `number`.
    pub(crate) fn next_place(&self, number: u64) -> u32 {
        self.slots.back().filter(|(id, _)| id.number == number).map_or(0, |(id, _)| id.place + 1)
    }

    /// Forgets half-filled joins.
    pub(crate) fn clear_joins(&mut self) {
        if self.joins.iter().flatten().any(|count| *count > 0) {
            self.joins.iter_mut().flatten().for_each(|count| *count = 0);
            self.touch_joins();
        }
    }

    /// Puts a task into the queue of ready ones, at its place.
    pub(crate) fn make_ready(&mut self, id: TaskId) {
        let Some(task) = self.get_mut(id) else { return };
        task.phase = Phase::Ready;
        let at = self.ready.partition_point(|other| *other < id);
        self.ready.insert(at, id);
    }

    /// Takes the only task out of the queue of ready ones, if it is a plain one that `allowed` accepts.
    pub(crate) fn take_only(&mut self, allowed: impl FnOnce(&Pending<S>) -> bool) -> Option<(TaskId, &mut Pending<S>)> {
        if self.live != 1 || self.ready.len() != 1 {
            return None;
        }
        let (id, task) = self.slots.front_mut()?;
        let task = task.as_mut().filter(|task| task.is_plain() && allowed(task))?;
        self.ready.clear();
        Some((*id, task))
    }

    /// Puts a task of `node` in the place of the only one, which has finished: in flight, on its commit. False when it is not the only
    /// one.
    pub(crate) fn follow_only(&mut self, finished: TaskId, next: TaskId, node: u32) -> bool {
        match self.slots.front_mut() {
            Some((id, Some(task))) if *id == finished && self.live == 1 => {
                (*id, task.node, task.seen) = (next, node, Some(next.number));
                task.passed = false;
                true
            }
            _ => false,
        }
    }

    /// Takes up to `most` ready tasks that `allowed` accepts, in order.
    pub(crate) fn take_ready(
        &mut self,
        most: usize,
        mut allowed: impl FnMut(&Pending<S>) -> bool,
        mut take: impl FnMut(TaskId, &mut Pending<S>),
    ) {
        let (mut taken, mut at) = (0, 0);
        while taken < most {
            let Some(id) = self.ready.get(at).copied() else { break };
            let Some(slot) = self.position(id) else { break };
            let Some(task) = self.slots.get_mut(slot).and_then(|(_, task)| task.as_mut()) else { break };
            if !allowed(task) {
                at += 1;
                continue;
            }
            take(id, task);
            taken += 1;
            if at == 0 {
                self.ready.pop_front();
            } else {
                self.ready.remove(at);
            }
        }
    }

    pub(crate) fn ready_len(&self) -> usize {
        self.ready.len()
    }

    /// The unfinished task of a send.
    pub(crate) fn sent(&mut self, node: u32, key: &Arc<str>) -> Option<TaskId> {
        if self.keyed == 0 {
            return None;
        }
        let slots = &self.slots;
        let sends = self.sends.get_or_insert_with(|| {
            let tasks = slots.iter().filter_map(|(id, task)| Some((*id, task.as_ref()?)));
            tasks.filter_map(|(id, task)| Some(((task.node, Arc::clone(task.key.as_ref()?)), id))).collect()
        });
        sends.get(&(node, Arc::clone(key))).copied()
    }

    /// Whether a task of the node that no send made waits to be dispatched on the head: a second trigger adds nothing.
    pub(crate) fn waits(&self, node: u32) -> bool {
        self.iter().any(|(_, task)| {
            task.node == node
                && task.key.is_none()
                && task.sees_head()
                && matches!(task.phase, Phase::Ready | Phase::Deferred)
        })
    }

    pub(crate) fn touch(&mut self, id: TaskId) {
        self.dirty.tasks.insert(id);
    }

    pub(crate) fn heads(&self) -> &Heads {
        &self.heads
    }

    pub(crate) fn restore_heads(&mut self, heads: Heads) {
        self.heads = heads;
    }

    pub(crate) fn record_heads(&mut self, children: &[(Arc<str>, u64)]) {
        if !children.is_empty() {
            self.heads.record(children);
            self.dirty.heads = true;
        }
    }

    pub(crate) fn serve(&mut self, call: Arc<str>) {
        if self.heads.call.as_ref() != Some(&call) {
            self.heads.call = Some(call);
            self.dirty.heads = true;
        }
    }

    pub(crate) fn touch_joins(&mut self) {
        self.dirty.joins = true;
    }

    pub(crate) fn touch_group(&mut self, id: GroupId) {
        self.dirty.groups.insert(id);
    }

    pub(crate) fn starved(&self, topology: &Topology<S>) -> Vec<(String, String)> {
        let mut starved = Vec::new();
        for (join, arrived) in topology.joins.iter().zip(&self.joins) {
            if arrived.iter().any(|count| *count > 0) {
                let missing: Vec<_> = join
                    .predecessors
                    .iter()
                    .zip(arrived)
                    .filter(|(_, count)| **count == 0)
                    .map(|(at, _)| *at)
                    .collect();
                starved.push((topology.node(join.target).name.to_string(), topology.names(&missing)));
            }
        }
        starved
    }

    /// What changed since the last call.
    pub(crate) fn take_delta(&mut self, topology: &Topology<S>) -> FrontierDelta {
        let dirty = std::mem::take(&mut self.dirty);
        let mut delta = FrontierDelta::default();
        for id in dirty.tasks {
            match self.get(id) {
                Some(task) => delta.tasks.push(row(id, task, topology)),
                None => delta.removed.push(id),
            }
        }
        delta.joins = dirty.joins.then(|| self.join_rows(topology));
        delta.groups = dirty.groups.into_iter().map(|id| group_row(id, self.groups.get(&id), topology)).collect();
        delta.heads = dirty.heads.then(|| self.heads.clone());
        delta
    }

    /// The whole frontier.
    pub(crate) fn whole(&self, topology: &Topology<S>) -> FrontierDelta {
        FrontierDelta {
            tasks: self.iter().map(|(id, task)| row(id, task, topology)).collect(),
            removed: Vec::new(),
            joins: Some(self.join_rows(topology)),
            groups: self.groups.iter().map(|(id, group)| group_row(*id, Some(group), topology)).collect(),
            heads: (self.heads != Heads::default()).then(|| self.heads.clone()),
        }
    }

    fn join_rows(&self, topology: &Topology<S>) -> Vec<(String, Vec<(String, u32)>)> {
        let name = |at: &u32| topology.nodes.get(*at as usize).map_or_else(String::new, |node| node.name.to_string());
        topology
            .joins
            .iter()
            .zip(&self.joins)
            .map(|(join, arrived)| {
                (name(&join.target), join.predecessors.iter().map(name).zip(arrived.iter().copied()).collect())
            })
            .collect()
    }
}

fn row<S: State>(id: TaskId, task: &Pending<S>, topology: &Topology<S>) -> TaskRow {
    TaskRow {
        id,
        node: topology.node(task.node).name.to_string(),
        key: task.key.clone(),
        input: task.input.as_ref().map(|bytes| bytes.to_vec()),
        groups: task.groups.to_vec(),
        failed: task.failed,
        seen: task.seen,
    }
}

fn group_row<S: State>(id: GroupId, group: Option<&Group>, topology: &Topology<S>) -> (GroupId, u64, Vec<String>) {
    let targets = group.iter().flat_map(|group| &group.targets).map(|at| topology.node(*at).name.to_string()).collect();
    (id, group.map_or(0, |group| group.open), targets)
}

/// The stored form of a frontier with one unfinished task, the first that checkpoint `number` made.
#[cfg(feature = "conformance")]
pub(crate) fn pending_frontier(
    node: &str,
    number: u64,
    seen: Option<u64>,
) -> Result<Vec<u8>, crate::state::StateError> {
    let task = TaskRow {
        id: TaskId { number, place: 0 },
        node: node.to_owned(),
        key: None,
        input: None,
        groups: Vec::new(),
        failed: 0,
        seen,
    };
    crate::state::codec::encode("frontier", &FrontierDelta { tasks: vec![task], ..FrontierDelta::default() })
}

/// The stored form of a frontier without tasks that records where subgraphs stand.
#[cfg(feature = "conformance")]
pub(crate) fn recording_frontier(children: &[(&str, u64)]) -> Result<Vec<u8>, crate::state::StateError> {
    let children = children.iter().map(|(ns, number)| (Arc::from(*ns), *number)).collect();
    let heads = Some(Heads { call: None, children });
    crate::state::codec::encode("frontier", &FrontierDelta { heads, ..FrontierDelta::default() })
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

impl<S: State> Frontier<S> {
    /// Takes a task out of the queue of ready ones.
    pub(crate) fn unready(&mut self, id: TaskId) {
        self.ready.retain(|other| *other != id);
    }

    pub(crate) fn touch_if(&mut self, id: TaskId, durable: bool) {
        if durable {
            self.touch(id);
        }
    }

    pub(crate) fn touch_group_if(&mut self, id: GroupId, durable: bool) {
        if durable {
            self.touch_group(id);
        }
    }
}
