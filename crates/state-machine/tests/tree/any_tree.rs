//! What holds for every valid tree of plans.

use graphloom_state_machine::{FailurePolicy, NodeType, TaskNode, TaskStatus, TaskTree, TreeStatus};
use proptest::prelude::*;

use crate::plans::{Shape, any_shape, fresh};
use crate::study_model::side_by_side;

fn expected_steps(tree: &TaskTree<String>) -> u64 {
    tree.nodes()
        .map(|node| {
            let own = if node.node_type == NodeType::Plan { 4 } else { 2 };
            own + u64::from(!node.parents.is_empty())
        })
        .sum()
}

/// Runs with `picks` choosing among the ready nodes, checking after each action what must hold then.
fn run_in_any_order(shape: &Shape, picks: &[usize]) -> TaskTree<String> {
    let mut tree = fresh(FailurePolicy::Degrade);
    let mut picks = picks.iter().cycle();
    loop {
        let pending = tree.pending();
        if pending.is_empty() {
            return tree;
        }
        let next = &pending[picks.next().unwrap() % pending.len()];
        tree.try_apply(shape.success(next)).unwrap();

        assert_eq!(tree.clone().exam_all(), 0, "the incremental exam left something for the sweep");
        for node in tree.nodes().filter(|node| node.status != TaskStatus::NotReady) {
            let finished = |key| tree.node(key).unwrap().status == TaskStatus::Finish;
            assert!(node.parents.iter().all(finished), "{} left NOT_READY before its parents finished", node.key);
        }
        if tree.root().unwrap().status == TaskStatus::Finish {
            assert!(tree.nodes().all(|node| node.status == TaskStatus::Finish), "the root finished before others");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn every_action_is_the_one_the_original_would_take(shape in any_shape()) {
        let (trace, modelled, tree) = side_by_side(&shape);
        prop_assert_eq!(&trace, &modelled);
        prop_assert_eq!(tree.status(), TreeStatus::Done);
        prop_assert_eq!(tree.steps(), trace.len() as u64);
        prop_assert_eq!(tree.steps(), expected_steps(&tree));
    }

    #[test]
    fn any_order_of_ready_actions_gives_the_same_tree(
        shape in any_shape(),
        picks in prop::collection::vec(any::<usize>(), 1..40),
    ) {
        let mut in_order = fresh(FailurePolicy::Degrade);
        shape.run(&mut in_order);
        let shuffled = run_in_any_order(&shape, &picks);
        let nodes = |tree: &TaskTree<String>| tree.nodes().cloned().collect::<Vec<TaskNode<String>>>();
        prop_assert_eq!(nodes(&in_order), nodes(&shuffled));
        prop_assert_eq!(in_order.steps(), shuffled.steps());
        prop_assert_eq!(in_order.log().len(), shuffled.log().len());
    }
}
