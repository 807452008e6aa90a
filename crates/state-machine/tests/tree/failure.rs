//! What the failure of a node does to the others.

use std::collections::BTreeSet;

use graphloom_state_machine::{FailurePolicy, NodeKey, TaskAction, TaskStatus, TaskTree, TreeChange, TreeStatus};
use proptest::prelude::*;

use crate::plans::{Shape, any_shape, fresh, statuses, think};

/// Runs to the end; actions of which `fails` says so fail. `picks` chooses among the ready nodes.
fn run(
    shape: &Shape,
    policy: FailurePolicy,
    picks: &[usize],
    fails: impl Fn(&NodeKey, TaskAction) -> bool,
) -> TaskTree<String> {
    let mut tree = fresh(policy);
    let mut picks = picks.iter().cycle();
    loop {
        let pending = tree.pending();
        if pending.is_empty() {
            return tree;
        }
        let next = &pending[picks.next().unwrap() % pending.len()];
        let change = if fails(&next.node, next.action) {
            TreeChange::failed(next.node.clone(), next.action, "no answer")
        } else {
            shape.success(next)
        };
        tree.try_apply(change).unwrap();
        assert_eq!(tree.clone().exam_all(), 0, "the incremental exam left something for the sweep");
    }
}

fn execution_of(key: &'static str) -> impl Fn(&NodeKey, TaskAction) -> bool {
    move |node, action| node.to_string() == key && action == TaskAction::Execute
}

#[test]
fn degrade_goes_on_without_the_failed_input_and_says_so() {
    let tree = run(&think(), FailurePolicy::Degrade, &[0], execution_of("2.0"));
    let TreeStatus::Partial { origins, consequences } = tree.status() else { panic!("{}", tree.status()) };
    assert_eq!(origins.iter().map(|state| state.node.to_string()).collect::<Vec<_>>(), ["2.0"]);
    assert_eq!(consequences.iter().map(|state| state.node.to_string()).collect::<Vec<_>>(), ["2"]);
    assert_eq!(
        tree.status().to_string(),
        "partial: the root finished without 2 task(s)\
         \n  `2.0` FAILED (task: do 2), action `execute` failed: no answer\
         \n  `2` FAILED (task: goal 2), inner task `2.0` failed"
    );
    let start_of_4 = tree.history(&"4".parse().unwrap()).next().unwrap().to_string();
    assert!(start_of_4.contains("every parent is FINISH or FAILED, and the policy is to go on"), "{start_of_4}");
}

#[test]
fn fail_fast_gives_up_dependents_and_outer_nodes_with_the_cause() {
    let tree = run(&think(), FailurePolicy::FailFast, &[0], execution_of("2.0"));
    let causes: Vec<String> =
        tree.failed().map(|node| format!("{}: {}", node.key, node.failure.as_ref().unwrap().cause)).collect();
    assert_eq!(
        causes,
        [
            "root: inner task `2` failed",
            "2: inner task `2.0` failed",
            "2.0: action `execute` failed: no answer",
            "3: outer task `root` failed",
            "4: input `2` failed",
            "5: input `4` failed",
        ]
    );
    let TreeStatus::Failed { origins, finished, .. } = tree.status() else { panic!("{}", tree.status()) };
    assert_eq!((origins.len(), finished), (1, 2));
}

#[test]
fn when_every_part_failed_the_whole_failed_under_either_policy() {
    for policy in [FailurePolicy::Degrade, FailurePolicy::FailFast] {
        let tree = run(&think(), policy, &[0], |_, action| action == TaskAction::Execute);
        assert!(matches!(tree.status(), TreeStatus::Failed { .. }), "{policy:?}: {}", tree.status());
    }
}

#[test]
fn work_in_flight_when_the_tree_failed_is_still_recorded() {
    let shape = think();
    let mut tree = fresh(FailurePolicy::FailFast);
    for _ in 0..2 {
        let next = tree.next_in_level_order().unwrap();
        tree.try_apply(shape.success(&next)).unwrap();
    }
    let third = tree.next_action(&"3".parse().unwrap()).unwrap();
    tree.try_apply(TreeChange::failed("1".parse().unwrap(), TaskAction::Plan, "no answer")).unwrap();
    assert_eq!(tree.ready_in_level_order(), [], "nothing more is started");
    tree.try_apply(shape.success(&third)).unwrap();
    assert_eq!(tree.node(&"3".parse().unwrap()).unwrap().status, TaskStatus::PlanDone);
    assert!(tree.explain(&"3".parse().unwrap()).unwrap().to_string().contains("will not be taken"));
}

#[test]
fn a_failed_tree_can_be_reopened_and_finished() {
    let shape = think();
    for policy in [FailurePolicy::FailFast, FailurePolicy::Degrade] {
        let mut tree = fresh(policy);
        // Stop while the failure is fresh, under either policy.
        while let Some(next) = tree.next_in_level_order() {
            if next.node.to_string() == "2.0" {
                tree.try_apply(TreeChange::failed(next.node, next.action, "no answer")).unwrap();
                break;
            }
            tree.try_apply(shape.success(&next)).unwrap();
        }
        let transitions = tree.try_apply(TreeChange::Reopened).unwrap();
        assert!(!transitions.is_empty());
        assert_eq!(tree.failed().count(), 0, "{policy:?}");
        assert_eq!(tree.clone().exam_all(), 0);
        shape.run(&mut tree);
        assert_eq!(tree.status(), TreeStatus::Done, "{policy:?}");
        assert!(tree.try_apply(TreeChange::Reopened).is_err());
    }
}

#[test]
fn a_tree_that_went_on_without_a_part_does_that_part_and_what_was_made_without_it() {
    let shape = think();
    let mut tree = run(&shape, FailurePolicy::Degrade, &[0], execution_of("2.0"));
    assert_eq!(tree.status().name(), "partial");
    assert!(tree.clone().try_apply(TreeChange::Reopened).is_err(), "nothing can be reopened inside a finished root");
    let transitions = tree.try_apply(TreeChange::Retried).unwrap();
    let changed: BTreeSet<String> = transitions.iter().map(|transition| transition.node.to_string()).collect();
    assert_eq!(changed.into_iter().collect::<Vec<_>>().join(" "), "2 2.0 4 5 root", "1 and 3 did not need 2");
    assert_eq!(tree.clone().exam_all(), 0);
    shape.run(&mut tree);
    assert_eq!(tree.status(), TreeStatus::Done);
    assert_eq!(
        tree.try_apply(TreeChange::Retried).unwrap_err().to_string(),
        "no node failed, so there is nothing to try again"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn whatever_failed_a_second_try_that_succeeds_makes_the_tree_of_a_first_one(
        shape in any_shape(),
        picks in prop::collection::vec(any::<usize>(), 1..40),
        seed in any::<u64>(),
        policy in prop::sample::select(vec![FailurePolicy::Degrade, FailurePolicy::FailFast]),
    ) {
        let mut whole = fresh(policy);
        shape.run(&mut whole);
        let mut tree = run(&shape, policy, &picks, |node, action| unlucky(node, action, seed));
        if tree.failed().next().is_some() {
            tree.try_apply(TreeChange::Retried).unwrap();
            prop_assert_eq!(tree.clone().exam_all(), 0);
            prop_assert_eq!(tree.failed().count(), 0);
            shape.run(&mut tree);
        }
        prop_assert_eq!(tree.status(), TreeStatus::Done);
        prop_assert_eq!(tree.nodes().collect::<Vec<_>>(), whole.nodes().collect::<Vec<_>>());
    }

    #[test]
    fn under_degrade_the_result_depends_on_what_failed_and_not_on_when(
        shape in any_shape(),
        picks in prop::collection::vec(any::<usize>(), 1..40),
        seed in any::<u64>(),
    ) {
        let fails = |node: &NodeKey, action: TaskAction| unlucky(node, action, seed);
        let in_order = run(&shape, FailurePolicy::Degrade, &[0], fails);
        let shuffled = run(&shape, FailurePolicy::Degrade, &picks, fails);
        prop_assert_eq!(in_order.nodes().collect::<Vec<_>>(), shuffled.nodes().collect::<Vec<_>>());

        let settled = |status: &String| status == "FINISH" || status == "FAILED";
        prop_assert!(statuses(&in_order).values().all(settled) || in_order.root().unwrap().status == TaskStatus::Failed);
        let expected = match (in_order.root().unwrap().status, in_order.failed().count()) {
            (TaskStatus::Finish, 0) => "done",
            (TaskStatus::Finish, _) => "partial",
            _ => "failed",
        };
        prop_assert_eq!(in_order.status().name(), expected);
    }

    #[test]
    fn under_fail_fast_any_failure_fails_the_root_whatever_the_order(
        shape in any_shape(),
        picks in prop::collection::vec(any::<usize>(), 1..40),
        seed in any::<u64>(),
    ) {
        let fails = |node: &NodeKey, action: TaskAction| unlucky(node, action, seed);
        let names: BTreeSet<&str> = [&[0][..], &picks[..]]
            .into_iter()
            .map(|picks| {
                let tree = run(&shape, FailurePolicy::FailFast, picks, fails);
                assert_eq!(tree.status().name() == "failed", tree.failed().next().is_some());
                tree.status().name()
            })
            .collect();
        prop_assert_eq!(names.len(), 1);
    }
}

/// About one action in sixteen, the same ones in every run with this seed.
fn unlucky(node: &NodeKey, action: TaskAction, seed: u64) -> bool {
    let text = format!("{node} {action} {seed}");
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    (hash >> 32) % 16 == 0
}
