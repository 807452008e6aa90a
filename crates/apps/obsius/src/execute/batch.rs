//! Which planned actions come next: at most so many in a visit, each after those it depends on.

use std::collections::BTreeSet;

use crate::state::PlannedAction;

/// The most actions of one visit, as the prompt says.
pub const MOST: usize = 12;

/// The actions of one visit, and those left for later visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The actions of this visit, in their order.
    pub now: Vec<PlannedAction>,
    /// What later visits carry out.
    pub later: Vec<PlannedAction>,
    /// Actions that are never carried out, with the reason.
    pub skipped: Vec<String>,
}

/// Takes the next `most` of `waiting`. `succeeded` returns whether an action of an earlier visit succeeded, `None` for an
/// action that was not executed.
pub fn next_batch(waiting: Vec<PlannedAction>, most: usize, succeeded: impl Fn(&str) -> Option<bool>) -> Batch {
    let mut batch = Batch::default();
    let mut left = waiting;
    let mut chosen: BTreeSet<String> = BTreeSet::new();
    loop {
        let names: BTreeSet<String> = left.iter().map(|action| action.id.clone()).collect();
        let is_dead = |action: &PlannedAction| {
            let ended = |id: &String| !names.contains(id) && !chosen.contains(id) && succeeded(id) != Some(true);
            action.depends_on.iter().any(ended)
        };
        if let Some(at) = left.iter().position(is_dead) {
            let action = left.remove(at);
            batch.skipped.push(format!("`{}` was not run, because an action that it needs failed", action.tool));
            continue;
        }
        let is_ready = |action: &PlannedAction| action.depends_on.iter().all(|id| !names.contains(id));
        let next = left.iter().position(is_ready).filter(|_| batch.now.len() < most);
        let Some(at) = next else { break };
        let action = left.remove(at);
        chosen.insert(action.id.clone());
        batch.now.push(action);
    }
    if batch.now.is_empty() {
        for action in left.drain(..) {
            batch.skipped.push(format!("`{}` was not run, because its dependencies are a circle", action.tool));
        }
    }
    batch.later = left;
    batch
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn action(id: usize, depends_on: &[usize]) -> PlannedAction {
        PlannedAction {
            id: id.to_string(),
            depends_on: depends_on.iter().map(usize::to_string).collect(),
            ..PlannedAction::default()
        }
    }

    fn ids(actions: &[PlannedAction]) -> Vec<&str> {
        actions.iter().map(|action| action.id.as_str()).collect()
    }

    #[test]
    fn what_is_needed_comes_first_and_what_needs_a_failure_never() {
        let waiting = vec![action(1, &[3]), action(2, &[]), action(3, &[]), action(4, &[9]), action(5, &[4])];
        let batch = next_batch(waiting, 2, |_| None);
        assert_eq!((ids(&batch.now), ids(&batch.later)), (vec!["2", "3"], vec!["1"]));
        assert_eq!(batch.skipped.len(), 2, "{:?}", batch.skipped);
        let batch = next_batch(batch.later, 2, |id| Some(id == "3"));
        assert_eq!((ids(&batch.now), batch.later.len()), (vec!["1"], 0));
        let circle = next_batch(vec![action(1, &[2]), action(2, &[1])], 2, |_| None);
        assert!(circle.now.is_empty() && circle.later.is_empty() && circle.skipped.len() == 2);
    }

    proptest! {
        #[test]
        fn every_action_is_taken_once_in_order_or_told(
            needs in prop::collection::vec(prop::collection::vec(0_usize..40, 0..3), 0..40),
            failing in prop::collection::btree_set(0_usize..40, 0..6),
            most in 1_usize..14,
        ) {
            let count = needs.len();
            let mut left: Vec<PlannedAction> = needs
                .iter()
                .enumerate()
                // As replies are read: what is not in the plan is no dependency.
                .map(|(id, needs)| action(id, &needs.iter().copied().filter(|n| *n < count && *n != id).collect::<Vec<_>>()))
                .collect();
            let mut done: Vec<(String, bool)> = Vec::new();
            let mut skipped = 0;
            for _ in 0..=count {
                let batch = next_batch(left, most, |id| done.iter().find(|(other, _)| other == id).map(|(_, ok)| *ok));
                prop_assert!(batch.now.len() <= most);
                let mut failed_now: Vec<String> = Vec::new();
                for action in &batch.now {
                    prop_assert!(done.iter().all(|(id, _)| *id != action.id));
                    prop_assert!(action.depends_on.iter().all(|id| done.iter().any(|(other, _)| other == id)));
                    // Inside a visit, carrying out skips what depends on a failure.
                    let fails = failing.contains(&action.id.parse::<usize>().unwrap())
                        || action.depends_on.iter().any(|id| failed_now.contains(id));
                    if fails {
                        failed_now.push(action.id.clone());
                    }
                    done.push((action.id.clone(), !fails));
                }
                skipped += batch.skipped.len();
                left = batch.later;
            }
            prop_assert!(left.is_empty());
            prop_assert_eq!(done.len() + skipped, count);
        }
    }
}
