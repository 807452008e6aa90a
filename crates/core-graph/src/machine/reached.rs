//! Joins of what is reached: when nothing that is left can reach a predecessor any more.

use smallvec::SmallVec;

use crate::machine::Machine;
use crate::machine::task::{Pending, Phase, TaskId};
use crate::state::State;

impl<S: State> Machine<S> {
    /// Makes tasks of the joins that are complete, after the other tasks of commit `number`.
    pub(super) fn trigger_reached(&mut self, number: u64) {
        if !self.topology.joins_reached {
            return;
        }
        let durable = self.persist.is_some();
        for target in self.complete_joins() {
            let info = self.topology.node(target);
            if !info.each && self.frontier.waits(target) {
                continue;
            }
            let phase = if info.deferred { Phase::Deferred } else { Phase::Ready };
            let id = TaskId { number, place: self.frontier.next_place(number) };
            self.frontier.push(id, Pending::new(target, phase), durable);
        }
    }

    /// Empties the joins that are complete and tells their targets.
    ///
    /// A join that has all it can get still waits for another of that kind whose target leads to it. Where they wait
    /// for each other, the first goes first: then its target holds back the others.
    fn complete_joins(&mut self) -> SmallVec<[u32; 2]> {
        let joins = &self.topology.joins;
        let quiet: SmallVec<[usize; 4]> = (0..joins.len()).filter(|join| self.is_quiet(*join)).collect();
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
            self.frontier.joins[*join].iter_mut().for_each(|count| *count = 0);
        }
        if !complete.is_empty() && self.persist.is_some() {
            self.frontier.touch_joins();
        }
        targets
    }

    /// Whether something has arrived at a join of what is reached, and nothing more can.
    fn is_quiet(&self, join: usize) -> bool {
        let declared = &self.topology.joins[join];
        let Some(upstream) = &declared.upstream else { return false };
        let arrived = self.frontier.joins[join].iter().any(|count| *count > 0);
        // A predecessor that is a task node arrives when its fan-out closes, which may be later than its own tasks.
        let closes = || {
            let mut targets = self.frontier.groups.values().flat_map(|group| &group.targets);
            !targets.any(|target| declared.predecessors.contains(target))
        };
        arrived && !self.frontier.has_task_of(upstream) && closes()
    }
}
