//! Joins: every rule of them.
//!
//! | rule | where |
//! | --- | --- |
//! | a finished task arrives at the joins of its node, one of a send when its fan-out closes | `route.rs`, `fan_out.rs` note arrivals |
//! | a join fires once for each time that all its predecessors have arrived | [`MachineCore::arrive`] |
//! | a join of what is reached fires when nothing that is left can reach a predecessor | [`MachineCore::trigger_reached`] |
//! | a join that filled only in part is named when the run ends | [`Joins::starved`] |
//! | and is empty when the next run begins | [`Joins::clear`] |
//!
//! Each rule looks at the joins at which something has arrived, and at no others: a step costs the same however many joins
//! the graph has.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::machine::task::{Pending, Phase};
use crate::machine::{MachineCore, Nodes};
use crate::tasks::TaskId;
use crate::topology::Outline;

/// How often the predecessors of joins have arrived.
#[derive(Debug)]
pub(crate) struct Joins {
    /// Per join, per predecessor.
    arrived: Vec<Vec<u32>>,
    /// The joins at which something has arrived.
    open: BTreeSet<usize>,
}

impl Joins {
    pub(super) fn of(outline: &Outline) -> Self {
        let arrived = outline.joins.iter().map(|join| vec![0; join.predecessors.len()]).collect();
        Self { arrived, open: BTreeSet::new() }
    }

    /// Whether nothing has arrived at any join.
    pub(super) fn are_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The joins at which something has arrived, with how often each predecessor has.
    pub(super) fn open(&self) -> impl ExactSizeIterator<Item = (usize, &[u32])> {
        self.open.iter().map(|join| (*join, &*self.arrived[*join]))
    }

    /// Sets how often a predecessor has arrived, as it was stored.
    pub(super) fn restore(&mut self, join: usize, place: usize, count: u32) {
        self.arrived[join][place] = count;
        if count > 0 {
            self.open.insert(join);
        }
    }

    /// Counts an arrival.
    fn add(&mut self, join: usize, place: usize) {
        self.arrived[join][place] += 1;
        self.open.insert(join);
    }

    /// Takes one arrival of each predecessor out of a join, as often as there is one; returns how often.
    fn take_full(&mut self, join: usize) -> usize {
        let arrived = &mut self.arrived[join];
        let full = arrived.iter().copied().min().unwrap_or(0);
        arrived.iter_mut().for_each(|count| *count -= full);
        if arrived.iter().all(|count| *count == 0) {
            self.open.remove(&join);
        }
        full as usize
    }

    fn empty(&mut self, join: usize) {
        self.arrived[join].fill(0);
        self.open.remove(&join);
    }

    /// Empties all joins. Returns whether something had arrived at one.
    pub(super) fn clear(&mut self) -> bool {
        let open = std::mem::take(&mut self.open);
        open.iter().for_each(|join| self.arrived[*join].fill(0));
        !open.is_empty()
    }

    /// Joins that some of their predecessors reached and others did not: target and missing predecessors.
    pub(super) fn starved(&self, outline: &Outline) -> Vec<(String, String)> {
        let starved = self.open().map(|(join, arrived)| {
            let join = &outline.joins[join];
            let places = join.predecessors.iter().zip(arrived);
            let missing: Vec<_> = places.filter(|(_, count)| **count == 0).map(|(at, _)| *at).collect();
            (outline.node(join.target).name.to_string(), outline.names(&missing))
        });
        starved.collect()
    }

    /// How often each predecessor of each join has arrived.
    #[cfg(test)]
    pub(super) fn counts(&self) -> &[Vec<u32>] {
        &self.arrived
    }
}

impl MachineCore {
    /// Counts arrivals, of joins and places of predecessors, and adds the targets of joins that are full to `nodes`, once
    /// for each time that they are.
    pub(super) fn arrive(&mut self, arrivals: &[(usize, usize)], nodes: &mut Nodes) {
        for (join, place) in arrivals {
            self.frontier.joins.add(*join, *place);
        }
        for (join, _) in arrivals {
            let declared = &self.outline.joins[*join];
            if declared.upstream.is_none() {
                let full = self.frontier.joins.take_full(*join);
                nodes.extend(std::iter::repeat_n(declared.target, full));
            }
        }
        if self.persist.is_some() {
            self.frontier.touch_joins();
        }
    }

    /// Makes tasks of the joins of what is reached that are complete, after the other tasks of commit `number`.
    pub(super) fn trigger_reached(&mut self, number: u64) {
        if !self.outline.joins_reached || self.frontier.joins.are_empty() {
            return;
        }
        let durable = self.persist.is_some();
        for target in self.complete_joins() {
            let info = self.outline.node(target);
            if !info.each && self.frontier.waits(target) {
                continue;
            }
            let phase = if info.deferred { Phase::Deferred } else { Phase::Ready };
            let id = TaskId { number, place: self.frontier.next_place(number) };
            self.frontier.push(id, Pending::new(target, phase), durable);
        }
    }

    /// Empties the joins that are complete and returns their targets.
    ///
    /// A join that has all it can get still waits for another of that kind whose target leads to it. Where they wait
    /// for each other, the first goes first: then its target holds back the others.
    fn complete_joins(&mut self) -> SmallVec<[u32; 2]> {
        let joins = &self.outline.joins;
        let open = self.frontier.joins.open().map(|(join, _)| join);
        let quiet: SmallVec<[usize; 4]> = open.filter(|join| self.is_quiet(*join)).collect();
        let waits = |join: usize| {
            let upstream = joins[join].upstream.as_deref().unwrap_or_default();
            quiet.iter().any(|other| *other != join && upstream.get(joins[*other].target as usize) == Some(&true))
        };
        let mut complete: SmallVec<[usize; 4]> = quiet.iter().copied().filter(|join| !waits(*join)).collect();
        if complete.is_empty() {
            complete.extend(quiet.first().copied());
        }
        let targets = complete.iter().map(|join| joins[*join].target).collect();
        for join in &complete {
            self.frontier.joins.empty(*join);
        }
        if !complete.is_empty() && self.persist.is_some() {
            self.frontier.touch_joins();
        }
        targets
    }

    /// Whether nothing more can arrive at a join of what is reached.
    fn is_quiet(&self, join: usize) -> bool {
        let declared = &self.outline.joins[join];
        let Some(upstream) = &declared.upstream else { return false };
        // A predecessor that is a task node arrives when its fan-out closes, which may be later than its own tasks.
        let closes = || {
            let mut targets = self.frontier.groups.values().flat_map(|group| &group.targets);
            !targets.any(|target| declared.predecessors.contains(target))
        };
        !self.frontier.has_task_of(upstream) && closes()
    }
}
