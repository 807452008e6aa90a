//! Which steps of a plan can begin. Pure functions.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::state::Step;

/// In which order the steps of a plan are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepOrder {
    /// One after the other.
    #[default]
    Sequential,
    /// Each as soon as those that it needs are done, at the same time where nothing speaks against it (section 1.4).
    Dependencies,
}

/// The steps that can run now, when `background` is known from before and the steps `done` are done. Steps that run
/// already are among them. In sequence that is the first step that is not done.
pub fn runnable<'s>(order: StepOrder, steps: &'s [Step], background: &[&str], done: &[&str]) -> Vec<&'s Step> {
    let left = steps.iter().filter(|step| !done.contains(&step.id.as_str()));
    match order {
        StepOrder::Sequential => left.take(1).collect(),
        StepOrder::Dependencies => {
            let known: BTreeSet<&str> = background.iter().chain(done).copied().collect();
            left.filter(|step| step.parent_ids.iter().all(|parent| known.contains(parent.as_str()))).collect()
        }
    }
}

/// The steps that can never begin, each with the parents that will never be known.
pub fn unsatisfiable<'s>(order: StepOrder, steps: &'s [Step], known: &[&str]) -> Vec<(&'s Step, Vec<&'s str>)> {
    if order == StepOrder::Sequential {
        return Vec::new();
    }
    let mut reached: BTreeSet<&str> = known.iter().copied().collect();
    loop {
        let before = reached.len();
        for step in steps {
            if step.parent_ids.iter().all(|parent| reached.contains(parent.as_str())) {
                reached.insert(&step.id);
            }
        }
        if reached.len() == before {
            break;
        }
    }
    let missing = |step: &'s Step| -> Vec<&'s str> {
        step.parent_ids.iter().map(String::as_str).filter(|parent| !reached.contains(parent)).collect()
    };
    let lost = steps.iter().filter(|step| !reached.contains(step.id.as_str()));
    lost.map(|step| (step, missing(step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, parents: &[&str]) -> Step {
        let parent_ids = parents.iter().map(|parent| (*parent).to_owned()).collect();
        Step { id: id.into(), parent_ids, ..Step::default() }
    }

    fn ids(steps: &[&Step]) -> Vec<String> {
        steps.iter().map(|step| step.id.clone()).collect()
    }

    #[test]
    fn a_diamond_runs_from_the_top_to_the_bottom() {
        let steps = [step("a", &["1-1-1"]), step("b", &["a"]), step("c", &["a"]), step("d", &["b", "c"])];
        let (now, known) = (StepOrder::Dependencies, ["1-1-1"]);
        assert_eq!(ids(&runnable(now, &steps, &known, &[])), ["a"]);
        assert_eq!(ids(&runnable(now, &steps, &known, &["a"])), ["b", "c"]);
        assert_eq!(ids(&runnable(now, &steps, &known, &["a", "c"])), ["b"]);
        assert_eq!(ids(&runnable(now, &steps, &known, &["a", "b", "c"])), ["d"]);
        assert_eq!(ids(&runnable(StepOrder::Sequential, &steps, &[], &["a"])), ["b"]);
        assert_eq!(unsatisfiable(now, &steps, &known), []);
    }

    #[test]
    fn what_can_never_begin_is_named_with_what_it_lacks() {
        let steps =
            [step("a", &[]), step("b", &["a", "9-9-9"]), step("c", &["b"]), step("d", &["e"]), step("e", &["d"])];
        let lost = unsatisfiable(StepOrder::Dependencies, &steps, &[]);
        let lost: Vec<_> = lost.into_iter().map(|(step, missing)| (step.id.as_str(), missing)).collect();
        assert_eq!(lost, [("b", vec!["9-9-9"]), ("c", vec!["b"]), ("d", vec!["e"]), ("e", vec!["d"])]);
        assert_eq!(unsatisfiable(StepOrder::Sequential, &steps, &[]), [], "in sequence parents do not matter");
    }
}
