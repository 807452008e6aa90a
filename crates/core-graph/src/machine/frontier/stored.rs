//! The stored form of a frontier: whole, or what changed. Nodes go by name.

use smallvec::SmallVec;

use super::{Frontier, Group};
use crate::machine::task::Pending;
use crate::record::{NEW_AND_PLAIN, Pack, pack_duration, pack_heads, pack_id};
use crate::tasks::{GroupId, TaskId};
use crate::timeout::Timeout;
use crate::topology::Outline;

/// What changed since the last stored form; some of it several times.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) tasks: SmallVec<[TaskId; 4]>,
    pub(super) joins: bool,
    pub(super) groups: Vec<GroupId>,
    pub(super) heads: bool,
}

impl Frontier {
    /// The stored form of the whole frontier: a [`FrontierDelta`] without names of fields.
    pub(crate) fn encode(&self, outline: &Outline, pack: &mut Pack) {
        pack.clear();
        let heads = !self.heads.are_unset();
        pack.array(4 + usize::from(heads));
        pack.array(self.len());
        self.iter().for_each(|(id, task)| pack_task(pack, id, task, outline));
        pack.array(0);
        self.pack_joins(pack, outline);
        pack.array(self.groups.len());
        self.groups.iter().for_each(|(id, group)| pack_group(pack, *id, Some(group), outline));
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
    pub(crate) fn encode_changes(&self, mut changes: Changes, outline: &Outline, pack: &mut Pack) {
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
                pack_task(pack, id, task, outline);
            }
        }
        pack.array(removed.len());
        removed.iter().for_each(|id| pack_id(pack, id.number, id.place));
        if changes.joins {
            self.pack_joins(pack, outline);
        } else {
            pack.nil();
        }
        pack.array(changes.groups.len());
        changes.groups.iter().for_each(|id| pack_group(pack, *id, self.groups.get(id), outline));
        if changes.heads {
            pack_heads(pack, &self.heads);
        }
    }

    fn pack_joins(&self, pack: &mut Pack, outline: &Outline) {
        let open = self.joins.open();
        pack.array(open.len());
        for (join, arrived) in open {
            let join = &outline.joins[join];
            pack.array(2);
            pack.text(outline.node(join.target).name.as_str());
            pack.array(arrived.len());
            for (predecessor, arrived) in join.predecessors.iter().zip(arrived) {
                pack.array(2);
                // START is no node and has no name.
                pack.text(outline.nodes.get(*predecessor as usize).map_or("", |node| node.name.as_str()));
                pack.uint((*arrived).into());
            }
        }
    }
}

fn pack_task(pack: &mut Pack, id: TaskId, task: &Pending, outline: &Outline) {
    pack.array(7 + usize::from(task.timeout.is_some()));
    pack_id(pack, id.number, id.place);
    pack.text(outline.node(task.node).name.as_str());
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

fn pack_group(pack: &mut Pack, id: GroupId, group: Option<&Group>, outline: &Outline) {
    pack.array(3);
    pack_id(pack, id.number, id.place);
    pack.uint(group.map_or(0, |group| group.open));
    pack.array(group.map_or(0, |group| group.targets.len()));
    let targets = group.iter().flat_map(|group| &group.targets);
    targets.for_each(|target| pack.text(outline.node(*target).name.as_str()));
}
