//! What is left to do: tasks, half-filled joins, open fan-outs.

mod ready;
mod stored;
mod tally;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::machine::joins::Joins;
use crate::machine::task::{Pending, Phase};
use crate::record::Heads;
use crate::tasks::{GroupId, TaskId};
use crate::topology::Outline;

use ready::Ready;
pub(crate) use stored::Changes;
use tally::Tally;

/// Tasks in the order of their ids. Ids grow, so new tasks go to the back.
pub(crate) struct Frontier {
    slots: VecDeque<(TaskId, Option<Pending>)>,
    live: usize,
    ready: Ready,
    /// Unfinished tasks of sends.
    keyed: usize,
    /// The same by target and key; made when somebody looks one up.
    sends: Option<HashMap<(u32, CompactString), TaskId>>,
    pub(crate) joins: Joins,
    pub(crate) groups: BTreeMap<GroupId, Group>,
    heads: Heads,
    tally: Tally,
    changes: Changes,
}

/// An open fan-out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    /// Unfinished tasks.
    pub(crate) open: u64,
    /// The task nodes that arrive at joins when the fan-out closes.
    pub(crate) targets: BTreeSet<u32>,
}

impl Frontier {
    pub(crate) fn new(outline: &Outline) -> Self {
        Self {
            // Room for four, which is the least that it makes by itself, is more than most namespaces need.
            slots: VecDeque::with_capacity(1),
            live: 0,
            ready: Ready::new(outline.classes.as_ref(), outline.limits.len()),
            keyed: 0,
            sends: None,
            joins: Joins::of(outline),
            groups: BTreeMap::new(),
            heads: Heads::default(),
            tally: Tally::default(),
            changes: Changes::default(),
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The only task.
    #[inline]
    pub(crate) fn only(&self) -> Option<&Pending> {
        match self.slots.front() {
            Some((_, Some(task))) if self.live == 1 => Some(task),
            _ => None,
        }
    }

    /// The node of the only task.
    #[inline]
    pub(crate) fn only_node(&self) -> Option<u32> {
        self.only().map(|task| task.node)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    #[inline]
    fn position(&self, id: TaskId) -> Option<usize> {
        // Tasks of one commit mostly stand together.
        let (first, _) = self.slots.front()?;
        let near = id.place.wrapping_sub(first.place) as usize;
        match self.slots.get(near) {
            Some((other, _)) if *other == id => Some(near),
            _ => self.slots.binary_search_by(|(other, _)| other.cmp(&id)).ok(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: TaskId) -> Option<&Pending> {
        self.slots.get(self.position(id)?)?.1.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: TaskId) -> Option<&mut Pending> {
        let at = self.position(id)?;
        self.slots.get_mut(at)?.1.as_mut()
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TaskId, &Pending)> {
        self.slots.iter().filter_map(|(id, task)| Some((*id, task.as_ref()?)))
    }

    #[inline]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (TaskId, &mut Pending)> {
        self.slots.iter_mut().filter_map(|(id, task)| Some((*id, task.as_mut()?)))
    }

    /// Adds a task whose id is greater than all others.
    pub(crate) fn push(&mut self, id: TaskId, task: Pending, durable: bool) {
        if let Some(key) = &task.key {
            self.keyed += 1;
            if let Some(sends) = &mut self.sends {
                sends.insert((task.node, key.clone()), id);
            }
        }
        if matches!(task.phase, Phase::Ready) {
            self.ready.push(id, task.node);
        }
        self.tally.add(task.node);
        self.slots.push_back((id, Some(task)));
        self.live += 1;
        if durable {
            self.changes.tasks.push(id);
        }
    }

    /// Makes room for more tasks.
    pub(crate) fn reserve(&mut self, tasks: usize) {
        self.slots.reserve(tasks);
        self.ready.reserve(tasks);
    }

    /// Takes a task out.
    pub(crate) fn remove(&mut self, id: TaskId, durable: bool) -> Option<Pending> {
        let at = self.count_out(id, durable)?;
        let task = self.slots.get_mut(at)?.1.take();
        self.close_gaps();
        task
    }

    /// Drops a task where it is.
    pub(crate) fn forget(&mut self, id: TaskId, durable: bool) {
        if let Some(at) = self.count_out(id, durable) {
            self.slots[at].1 = None;
            self.close_gaps();
        }
    }

    /// Drops tasks that there are.
    pub(crate) fn forget_all(&mut self, ids: impl ExactSizeIterator<Item = TaskId>, durable: bool) {
        if ids.len() < self.live {
            return ids.for_each(|id| self.forget(id, durable));
        }
        if durable {
            self.changes.tasks.extend(ids);
        }
        self.slots.clear();
        self.ready.clear();
        (self.live, self.keyed, self.sends) = (0, 0, None);
        self.tally.clear();
    }

    /// Counts a task that is about to go; its place.
    fn count_out(&mut self, id: TaskId, durable: bool) -> Option<usize> {
        let at = self.position(id)?;
        let task = self.slots.get(at)?.1.as_ref()?;
        self.live -= 1;
        self.tally.remove(task.node);
        if let Some(key) = &task.key {
            self.keyed -= 1;
            if self.keyed == 0 {
                self.sends = None;
            } else if let Some(sends) = &mut self.sends {
                sends.remove(&(task.node, key.clone()));
            }
        }
        if matches!(task.phase, Phase::Ready) {
            self.ready.remove(id, task.node);
        }
        if durable {
            self.changes.tasks.push(id);
        }
        Some(at)
    }

    fn close_gaps(&mut self) {
        while self.slots.front().is_some_and(|(_, task)| task.is_none()) {
            self.slots.pop_front();
        }
        if self.slots.len() > 32 && self.slots.len() > 2 * self.live {
            self.slots.retain(|(_, task)| task.is_some());
        }
    }

    /// The place of the next task of commit `number`.
    #[inline]
    pub(crate) fn next_place(&self, number: u64) -> u32 {
        self.slots.back().filter(|(id, _)| id.number == number).map_or(0, |(id, _)| id.place + 1)
    }

    /// Forgets half-filled joins.
    pub(crate) fn clear_joins(&mut self) {
        if self.joins.clear() {
            self.touch_joins();
        }
    }

    /// Puts a task into the queue of ready ones, at its place.
    pub(crate) fn make_ready(&mut self, id: TaskId) {
        let Some(task) = self.get_mut(id) else { return };
        task.phase = Phase::Ready;
        let node = task.node;
        self.ready.insert(id, node);
    }

    /// Takes the only task out of the queue of ready ones, if it is a plain one that `allowed` accepts.
    #[inline]
    pub(crate) fn take_only(&mut self, allowed: impl FnOnce(&Pending) -> bool) -> Option<(TaskId, &mut Pending)> {
        if self.live != 1 || self.ready.len() != 1 {
            return None;
        }
        let (id, task) = self.slots.front_mut()?;
        let task = task.as_mut().filter(|task| task.is_plain() && allowed(task))?;
        self.ready.clear();
        Some((*id, task))
    }

    /// Puts a task of `node` in the place of the only one, which has finished. False when it is not the only one.
    #[inline]
    pub(crate) fn replace_only(&mut self, finished: TaskId, next: TaskId, node: u32, durable: bool) -> bool {
        match self.slots.front_mut() {
            Some((id, Some(task))) if *id == finished && self.live == 1 => {
                (*id, task.node, task.seen) = (next, node, None);
                (task.passed, task.began) = (false, 0);
                self.tally.set_only(node);
                if durable {
                    self.changes.tasks.extend([finished, next]);
                }
                true
            }
            _ => false,
        }
    }

    /// The only task is in flight, on the commit that made it.
    #[inline]
    pub(crate) fn start_only(&mut self, number: u64) {
        if let Some((_, Some(task))) = self.slots.front_mut() {
            task.seen = Some(number);
        }
    }

    /// Goes through ready tasks of classes that are free, in order, until `take` has accepted `most` of them.
    pub(crate) fn take_ready(
        &mut self,
        most: usize,
        is_free: impl Fn(usize) -> bool,
        mut take: impl FnMut(TaskId, &mut Pending) -> bool,
    ) {
        let (mut taken, mut search) = (0, self.ready.search());
        while taken < most {
            let Some(found) = self.ready.next(&search, &is_free) else { break };
            let Some(slot) = self.position(found.id) else { break };
            let Some(task) = self.slots.get_mut(slot).and_then(|(_, task)| task.as_mut()) else { break };
            if take(found.id, task) {
                self.ready.take(&search, &found);
                taken += 1;
            } else {
                search.pass(&found);
            }
        }
    }

    #[inline]
    pub(crate) fn ready_len(&self) -> usize {
        self.ready.len()
    }

    /// Whether a task of a send is unfinished.
    pub(crate) fn has_sends(&self) -> bool {
        self.keyed > 0
    }

    /// The unfinished task of a send.
    pub(crate) fn sent(&mut self, node: u32, key: &CompactString) -> Option<TaskId> {
        if self.keyed == 0 {
            return None;
        }
        let slots = &self.slots;
        let sends = self.sends.get_or_insert_with(|| {
            let tasks = slots.iter().filter_map(|(id, task)| Some((*id, task.as_ref()?)));
            tasks.filter_map(|(id, task)| Some(((task.node, task.key.clone()?), id))).collect()
        });
        sends.get(&(node, key.clone())).copied()
    }

    /// Whether a task of one of these nodes is unfinished.
    pub(crate) fn has_task_of(&self, nodes: &[bool]) -> bool {
        self.tally.nodes().any(|node| nodes.get(node as usize) == Some(&true))
    }

    /// The nodes of all tasks, sorted, once each.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.tally.nodes()
    }

    /// Whether a task of the node that no send made waits to be dispatched on the head: a second trigger adds nothing.
    pub(crate) fn waits(&self, node: u32) -> bool {
        let waits = |task: &Pending| {
            task.node == node
                && task.key.is_none()
                && task.sees_head()
                && matches!(task.phase, Phase::Ready | Phase::Deferred)
        };
        // The newest is the likeliest.
        self.tally.has(node) && self.slots.iter().rev().any(|(_, task)| task.as_ref().is_some_and(waits))
    }

    #[inline]
    pub(crate) fn touch(&mut self, id: TaskId) {
        self.changes.tasks.push(id);
    }

    #[inline]
    pub(crate) fn heads(&self) -> &Heads {
        &self.heads
    }

    pub(crate) fn restore_heads(&mut self, heads: Heads) {
        self.heads = heads;
    }

    pub(crate) fn record_heads(&mut self, children: &[(Arc<str>, u64)]) {
        if !children.is_empty() {
            self.heads.record(children);
            self.changes.heads = true;
        }
    }

    pub(crate) fn serve(&mut self, call: Arc<str>) {
        if self.heads.call.as_ref() != Some(&call) {
            self.heads.call = Some(call);
            self.changes.heads = true;
        }
    }

    pub(crate) fn touch_joins(&mut self) {
        self.changes.joins = true;
    }

    pub(crate) fn touch_group(&mut self, id: GroupId) {
        self.changes.groups.push(id);
    }

    /// What changed since the last call.
    pub(crate) fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }
}

impl Frontier {
    /// Takes a task out of the queue of ready ones.
    pub(crate) fn unready(&mut self, id: TaskId) {
        if let Some(task) = self.get(id) {
            let node = task.node;
            self.ready.remove(id, node);
        }
    }

    #[inline]
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
