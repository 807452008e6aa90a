//! Steps and parents of checkpoints, as the wire counts them.
//!
//! The runtime counts super-steps; the wire counts checkpoints along a branch, from -1. Super-steps follow their parents by
//! number, so the checkpoints that something else made are enough to know the rest: there are few of them.

use std::collections::BTreeMap;

use graphloom_core_graph::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, HistoryFilter, Source};

use crate::graph::Position;

/// The checkpoints of a namespace that no super-step made.
#[derive(Debug, Default)]
pub(crate) struct Lineage(BTreeMap<u64, Mark>);

#[derive(Clone, Copy, Debug)]
struct Mark {
    source: Source,
    parent: Option<u64>,
    /// Super-steps before it.
    step: u64,
}

impl Lineage {
    /// Reads the lineage of a namespace.
    pub(crate) async fn read(store: &dyn Checkpointer, thread: &str, ns: &str) -> Result<Self, CheckpointError> {
        let mut marks = BTreeMap::new();
        for source in [Source::Input, Source::Update, Source::Fork] {
            let mut filter = HistoryFilter::default();
            filter.source = Some(source);
            for CheckpointRow { number, parent, step, source, .. } in store.checkpoints(thread, ns, &filter).await? {
                marks.insert(number, Mark { source, parent, step });
            }
        }
        Ok(Self(marks))
    }

    /// The lineage of the checkpoints that are told: each with what made it, its parent, and the super-steps before it.
    pub(crate) fn of(checkpoints: impl Iterator<Item = (u64, Source, Option<u64>, u64)>) -> Self {
        let marks = checkpoints.filter(|(_, source, ..)| *source != Source::Step);
        Self(marks.map(|(number, source, parent, step)| (number, Mark { source, parent, step })).collect())
    }

    /// The wire's step of a place, at a checkpoint before which so many super-steps were committed.
    pub(crate) fn step(&self, at: Position, steps: u64) -> i64 {
        let folded = self.folded_step(at.number, steps);
        if at.is_folded { folded } else { folded - 1 }
    }

    /// The step of a checkpoint before which so many super-steps were committed.
    fn folded_step(&self, mut number: u64, mut steps: u64) -> i64 {
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let mut count = 0_i64;
        // Each round goes on at a smaller number.
        while let Some((&at, mark)) = self.0.range(..=number).next_back() {
            count += signed(number - at);
            let Some(parent) = mark.parent.filter(|parent| *parent < at) else { return count };
            count += if mark.source == Source::Input { 2 } else { 1 };
            (number, steps) = (parent, mark.step);
        }
        // What was before is no longer there.
        count + signed(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineage(marks: &[(u64, Source, Option<u64>, u64)]) -> Lineage {
        Lineage::of(marks.iter().copied())
    }

    #[test]
    fn steps_count_the_checkpoints_of_a_branch_and_two_for_an_input() {
        // Two turns of two super-steps; an update at the head; a branch from checkpoint 2; an update at checkpoint 3.
        let lineage = lineage(&[
            (1, Source::Input, None, 0),
            (4, Source::Input, Some(3), 2),
            (7, Source::Update, Some(6), 4),
            (8, Source::Fork, Some(2), 1),
            (10, Source::Update, Some(3), 2),
        ]);
        let cases =
            [(1, 0, 0), (2, 1, 1), (3, 2, 2), (4, 2, 4), (6, 4, 6), (7, 4, 7), (8, 1, 2), (9, 2, 3), (10, 2, 3)];
        for (number, steps, expected) in cases {
            assert_eq!(lineage.folded_step(number, steps), expected, "checkpoint {number}");
        }
    }

    #[test]
    fn what_was_deleted_counts_by_its_super_steps() {
        let lineage = lineage(&[(9, Source::Input, Some(8), 6)]);
        assert_eq!(lineage.folded_step(7, 5), 5);
        assert_eq!(lineage.folded_step(10, 7), 9);
    }
}
