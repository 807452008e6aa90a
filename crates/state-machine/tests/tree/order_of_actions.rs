//! The order of actions of the original, one a step.

use graphloom_state_machine::{FailurePolicy, TreeStatus};

use crate::plans::{Shape, fresh, think};

#[test]
fn the_report_run_takes_the_recorded_36_steps_in_the_recorded_order() {
    let mut tree = fresh(FailurePolicy::Degrade);
    let trace = think().run(&mut tree);
    let expected = "root plan, root prior_reflect, \
        1 plan, 1 prior_reflect, 2 plan, 2 prior_reflect, 3 plan, 3 prior_reflect, \
        1.0 execute, 1.0 execute_post_reflect, 1 final_aggregate, 1 planning_post_reflect, \
        2.0 execute, 2.0 execute_post_reflect, 2 final_aggregate, 2 planning_post_reflect, \
        3.0 execute, 3.0 execute_post_reflect, 3 final_aggregate, 3 planning_post_reflect, \
        4 update, 4 plan, 4 prior_reflect, \
        4.0 execute, 4.0 execute_post_reflect, 4 final_aggregate, 4 planning_post_reflect, \
        5 update, 5 plan, 5 prior_reflect, \
        5.0 execute, 5.0 execute_post_reflect, 5 final_aggregate, 5 planning_post_reflect, \
        root final_aggregate, root planning_post_reflect";
    assert_eq!(trace.join(", "), expected);
    assert_eq!((tree.steps(), tree.status()), (36, TreeStatus::Done));
}

#[test]
fn an_atomic_root_takes_six_actions() {
    let mut tree = fresh(FailurePolicy::Degrade);
    assert_eq!(Shape::Atomic.run(&mut tree).len(), 6);
    assert_eq!(tree.node(&"0".parse().unwrap()).unwrap().nid, "0");
}

#[test]
fn a_chain_of_parts_is_carried_out_in_numeric_order_whatever_their_depth() {
    let part = |inner: Shape, needs: &[usize]| (inner, needs.to_vec());
    let section =
        || Shape::Complex(vec![part(Shape::Atomic, &[]), part(Shape::Atomic, &[0]), part(Shape::Atomic, &[0, 1])]);
    let shape = Shape::Complex(vec![part(section(), &[]), part(Shape::Atomic, &[0]), part(section(), &[0, 1])]);
    let trace = shape.run(&mut fresh(FailurePolicy::Degrade));
    let executed: Vec<&str> = trace.iter().filter_map(|line| line.strip_suffix(" execute")).collect();
    assert_eq!(executed, ["1.1.0", "1.2.0", "1.3.0", "2.0", "3.1.0", "3.2.0", "3.3.0"]);
}

#[test]
fn a_caller_may_choose_any_node_that_can_act() {
    let shape = think();
    let mut tree = fresh(FailurePolicy::Degrade);
    for _ in 0..2 {
        let next = tree.next_in_level_order().unwrap();
        tree.try_apply(shape.success(&next)).unwrap();
    }
    let third = tree.next_action(&"3".parse().unwrap()).unwrap();
    tree.try_apply(shape.success(&third)).unwrap();
    assert_eq!(tree.node(&"3".parse().unwrap()).unwrap().status.to_string(), "PLAN_DONE");
    assert_eq!(tree.node(&"1".parse().unwrap()).unwrap().status.to_string(), "READY");
    let refused = tree.next_action(&"4".parse().unwrap()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "node `4` is NOT_READY (suspend): only a node in an activate status can act or be selected"
    );
}
