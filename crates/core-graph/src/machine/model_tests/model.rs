//! What the machine must do, in the plainest words.

use std::collections::{BTreeMap, BTreeSet};

use super::drawn::{Drawn, NAMES, NODES};

pub(super) type Id = (u64, u32);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ModelPhase {
    Waits,
    Deferred,
    Runs,
    Finished,
    Suspended,
    Failed,
}

#[derive(Clone, Debug)]
pub(super) struct ModelTask {
    pub(super) node: usize,
    pub(super) key: Option<u64>,
    pub(super) groups: Vec<Id>,
    pub(super) phase: ModelPhase,
    pub(super) tries: u32,
}

/// What the machine must do, in the plainest words.
pub(super) struct Model<'a> {
    pub(super) drawn: &'a Drawn,
    pub(super) number: u64,
    pub(super) tasks: BTreeMap<Id, ModelTask>,
    pub(super) joins: Vec<BTreeMap<usize, u32>>,
    pub(super) groups: BTreeMap<Id, (i64, Vec<usize>)>,
    pub(super) notes: Vec<String>,
    pub(super) executed: u64,
}

impl<'a> Model<'a> {
    pub(super) fn new(drawn: &'a Drawn) -> Self {
        let joins = drawn.joins.iter().map(|(from, ..)| from.iter().map(|at| (*at, 0)).collect()).collect();
        let mut model = Self {
            drawn,
            number: 1,
            tasks: BTreeMap::new(),
            joins,
            groups: BTreeMap::new(),
            notes: Vec::new(),
            executed: 0,
        };
        model.make_tasks(drawn.start.clone(), Vec::new());
        model
    }

    pub(super) fn label(task: &ModelTask) -> String {
        task.key.map_or_else(|| NAMES[task.node].to_owned(), |key| format!("{}{key}", NAMES[task.node]))
    }

    /// Commits finished tasks: one in eager mode, the whole step in barrier mode.
    pub(super) fn commit(&mut self, finished: Id) {
        self.number += 1;
        let mut batch: Vec<Id> = if self.drawn.eager {
            vec![finished]
        } else {
            self.tasks.iter().filter(|(_, task)| task.phase == ModelPhase::Finished).map(|(id, _)| *id).collect()
        };
        batch.sort_by_key(|id| (self.tasks[id].key.is_some(), self.tasks[id].key, self.tasks[id].node));
        let before = self.notes.len() as u64;
        self.notes.extend(batch.iter().map(|id| Self::label(&self.tasks[id])));
        let after = self.notes.len() as u64;
        let (mut nodes, mut packets, mut arrived, mut touched) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (place, id) in (0..).zip(&batch) {
            let task = self.tasks[id].clone();
            let count = if batch.len() > 1 { before + 1 } else { after };
            let nested = !task.groups.is_empty();
            let groups = if nested { task.groups.clone() } else { vec![(self.number, place)] };
            nodes.extend(self.drawn.edges.iter().filter(|(from, _)| *from == task.node).map(|(_, to)| *to));
            for (from, to, divisor) in &self.drawn.routes {
                if *from == task.node && !count.is_multiple_of(*divisor) {
                    nodes.push(*to);
                }
            }
            for (from, to, divisor) in &self.drawn.sends {
                if *from == task.node {
                    for group in &groups {
                        self.groups.entry(*group).or_default().1.push(*to);
                        touched.push(*group);
                    }
                    packets.extend((0..count % divisor).map(|key| (key, *to, groups.clone())));
                }
            }
            if nested {
                touched.extend(groups);
            } else if task.node < NODES {
                arrived.push(task.node);
            }
        }
        packets.sort_by_key(|(key, node, _): &(u64, usize, Vec<Id>)| (*key, *node));
        let left: Vec<_> = batch.iter().filter_map(|id| self.tasks.remove(id)).collect();
        let mut sent: Vec<(u64, usize, Vec<Id>)> = Vec::new();
        for (key, node, groups) in packets {
            // A second send of a key does nothing, but its fan-out waits for the first one's task.
            let same = |task: &&mut ModelTask| task.node == node && task.key == Some(key);
            let waits_for = match self.tasks.values_mut().find(same) {
                Some(task) => &mut task.groups,
                None => {
                    let at = sent.iter().position(|(k, n, _)| (*k, *n) == (key, node));
                    let at = at.unwrap_or_else(|| {
                        sent.push((key, node, Vec::new()));
                        sent.len() - 1
                    });
                    &mut sent[at].2
                }
            };
            for group in groups {
                if !waits_for.contains(&group) {
                    waits_for.push(group);
                    self.groups.entry(group).or_default().0 += 1;
                }
            }
        }
        for group in left.iter().flat_map(|task| &task.groups) {
            self.groups.entry(*group).or_default().0 -= 1;
        }
        touched.sort_unstable();
        touched.dedup();
        for group in touched {
            if self.groups[&group].0 == 0
                && let Some((_, mut targets)) = self.groups.remove(&group)
            {
                targets.sort_unstable();
                targets.dedup();
                arrived.extend(targets);
            }
        }
        for at in arrived {
            for join in &mut self.joins {
                join.entry(at).and_modify(|count| *count += 1);
            }
        }
        for (join, (_, to, _)) in self.joins.iter_mut().zip(&self.drawn.joins).filter(|(_, (.., reached))| !reached) {
            while join.values().all(|count| *count > 0) {
                join.values_mut().for_each(|count| *count -= 1);
                nodes.push(*to);
            }
        }
        self.executed += batch.len() as u64;
        self.make_tasks(nodes, sent);
        self.join_reached();
    }

    /// Whether what is drawn leads from a node to a predecessor of a join, not by way of the join's target.
    pub(super) fn leads(&self, from: usize, join: usize) -> bool {
        let (predecessors, target, _) = &self.drawn.joins[join];
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            if predecessors.contains(&at) {
                return true;
            }
            if at == *target && at != from {
                continue;
            }
            let mut to: Vec<usize> = Vec::new();
            to.extend(self.drawn.edges.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to));
            to.extend(self.drawn.routes.iter().filter(|(from, ..)| *from == at).map(|(_, to, _)| *to));
            to.extend(self.drawn.sends.iter().filter(|(from, ..)| *from == at).map(|(_, to, _)| *to));
            to.extend(self.drawn.joins.iter().filter(|(from, ..)| from.contains(&at)).map(|(_, to, _)| *to));
            open.extend(to.into_iter().filter(|at| seen.insert(*at)));
        }
        false
    }

    /// Joins of what is reached fire when something has arrived and nothing can follow; those that lead to others
    /// first, and the first one where all lead to each other.
    pub(super) fn join_reached(&mut self) {
        let quiet: Vec<usize> = (0..self.joins.len())
            .filter(|join| {
                let (predecessors, _, reached) = &self.drawn.joins[*join];
                let arrived = self.joins[*join].values().any(|count| *count > 0);
                let comes = || self.tasks.values().any(|task| self.leads(task.node, *join));
                let closes = || self.groups.values().any(|(_, to)| to.iter().any(|to| predecessors.contains(to)));
                *reached && arrived && !comes() && !closes()
            })
            .collect();
        let free =
            |join: &usize| !quiet.iter().any(|other| other != join && self.leads(self.drawn.joins[*other].1, *join));
        let mut fire: Vec<usize> = quiet.iter().copied().filter(free).collect();
        if fire.is_empty() {
            fire.extend(quiet.first());
        }
        for join in fire {
            self.joins[join].values_mut().for_each(|count| *count = 0);
            let node = self.drawn.joins[join].1;
            let waits = self.tasks.values().any(|task| {
                task.node == node
                    && task.key.is_none()
                    && matches!(task.phase, ModelPhase::Waits | ModelPhase::Deferred)
            });
            if waits && !self.drawn.each[node] {
                continue;
            }
            let last = self.tasks.last_key_value().filter(|((number, _), _)| *number == self.number);
            let place = last.map_or(0, |((_, place), _)| place + 1);
            let phase = if self.drawn.deferred[node] { ModelPhase::Deferred } else { ModelPhase::Waits };
            let task = ModelTask { node, key: None, groups: Vec::new(), phase, tries: 0 };
            self.tasks.insert((self.number, place), task);
        }
    }

    pub(super) fn make_tasks(&mut self, mut nodes: Vec<usize>, sent: Vec<(u64, usize, Vec<Id>)>) {
        nodes.sort_unstable();
        if !nodes.is_empty() {
            let each = |at: usize| self.drawn.each[at];
            let mut kept: Vec<usize> = Vec::new();
            for at in nodes {
                let waits = self.tasks.values().any(|task| {
                    task.node == at
                        && task.key.is_none()
                        && matches!(task.phase, ModelPhase::Waits | ModelPhase::Deferred)
                });
                if each(at) || !(waits || kept.last() == Some(&at)) {
                    kept.push(at);
                }
            }
            nodes = kept;
        }
        let plain = nodes.into_iter().map(|node| (node, None, Vec::new()));
        let packets = sent.into_iter().map(|(key, node, groups)| (node, Some(key), groups));
        for (place, (node, key, groups)) in (0..).zip(plain.chain(packets)) {
            let deferred = key.is_none() && self.drawn.deferred[node];
            let phase = if deferred { ModelPhase::Deferred } else { ModelPhase::Waits };
            self.tasks.insert((self.number, place), ModelTask { node, key, groups, phase, tries: 0 });
        }
    }

    pub(super) fn in_phase(&self, phase: ModelPhase) -> usize {
        self.tasks.values().filter(|task| task.phase == phase).count()
    }
}
