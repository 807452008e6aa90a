//! Replacing a plan before its tasks start.

use graphloom_state_machine::{FailurePolicy, NewNode, NodeKey, TreeChange, TreeStatus};

use crate::plans::{Shape, fresh, think};

#[test]
fn a_reviewed_plan_takes_the_place_of_the_first() {
    let mut tree = fresh(FailurePolicy::Degrade);
    let next = tree.next_in_level_order().unwrap();
    tree.try_apply(think().success(&next)).unwrap();
    assert_eq!(tree.len(), 6);

    let children =
        vec![NewNode::plan("1", ["2"], "second".to_owned()), NewNode::plan("2", [""; 0], "first".to_owned())];
    tree.try_apply(TreeChange::Replanned { node: NodeKey::root(), children }).unwrap();
    assert_eq!((tree.len(), tree.steps()), (3, 1), "a review is no action of the table");

    let atomic = |needs: &[usize]| (Shape::Atomic, needs.to_vec());
    let trace = Shape::Complex(vec![atomic(&[1]), atomic(&[])]).run(&mut tree);
    assert_eq!(tree.status(), TreeStatus::Done);
    let executed: Vec<&str> = trace.iter().filter_map(|line| line.strip_suffix(" execute")).collect();
    assert_eq!(executed, ["2.0", "1.0"]);
}
