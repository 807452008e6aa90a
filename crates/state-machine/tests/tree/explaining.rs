//! The explanation of a node.

use graphloom_state_machine::{FailurePolicy, TaskAction, TreeChange};

use crate::plans::{fresh, think};

#[test]
fn an_explanation_names_rules_neighbours_failures_and_history() {
    let shape = think();
    let mut tree = fresh(FailurePolicy::Degrade);
    for _ in 0..2 {
        let next = tree.next_in_level_order().unwrap();
        tree.try_apply(shape.success(&next)).unwrap();
    }
    tree.try_apply(TreeChange::failed("2".parse().unwrap(), TaskAction::Plan, "rate limit")).unwrap();
    let text = tree.explain(&"4".parse().unwrap()).unwrap().to_string();
    insta::assert_snapshot!(text, @r###"
`4` (PLAN_NODE, task: goal 4)
status NOT_READY, group `suspend`
rules, in the order they are tried:
  [no] exam: the outer task is DOING and there are no parents -> READY (see `1`, `2`, `3`)
  [no] exam: the outer task is DOING and every parent is FINISH -> NEED_UPDATE (see `1`, `2`, `3`)
  [no] failure: the outer task is FAILED -> FAILED
  [no] failure: a parent is FAILED and the policy is to fail fast -> FAILED (see `2`)
  [no] failure: the outer task is DOING, every parent is FINISH or FAILED, and the policy is to go on -> NEED_UPDATE (see `1`, `3`)
outer task:
  `root` DOING (task: goal)
parents:
  `1` READY (task: goal 1)
  `2` FAILED (task: goal 2), action `plan` failed: rate limit
  `3` READY (task: goal 3)
failed tasks it may depend on:
  `2` FAILED (task: goal 2), action `plan` failed: rate limit
"###);
    let root = tree.explain(&"root".parse().unwrap()).unwrap().to_string();
    insta::assert_snapshot!(root, @r###"
`root` (PLAN_NODE, task: goal)
status DOING, group `suspend`
rules, in the order they are tried:
  [no] exam: every inner task is FINISH -> FINAL_TO_FINISH (see `1`, `2`, `3`, `4`, `5`)
  [no] failure: the outer task is FAILED -> FAILED
  [no] failure: an inner task is FAILED and the policy is to fail fast -> FAILED (see `2`)
  [no] failure: every inner task is FINISH or FAILED, at least one is FINISH, and the policy is to go on -> FINAL_TO_FINISH (see `1`, `3`, `4`, `5`)
  [no] failure: every inner task is FAILED -> FAILED (see `2`)
inner tasks, in topological order:
  `1` READY (task: goal 1)
  `2` FAILED (task: goal 2), action `plan` failed: rate limit
  `3` READY (task: goal 3)
  `4` NOT_READY (task: goal 4)
  `5` NOT_READY (task: goal 5)
failed tasks it may depend on:
  `2` FAILED (task: goal 2), action `plan` failed: rate limit
history:
  step 0: `root` NOT_READY -> READY (start)
  step 1: `root` READY -> PLAN_DONE (action `plan`; condition: it is a plan node)
  step 2: `root` PLAN_DONE -> DOING (action `prior_reflect`; condition: always)
"###);
    let ready = tree.explain(&"1".parse().unwrap()).unwrap();
    assert_eq!(ready.pending.as_ref().map(|pending| pending.action), Some(TaskAction::Plan));
    assert_eq!(ready.rules.iter().map(|rule| rule.holds).collect::<Vec<_>>(), [true, false]);
    assert!(ready.to_string().contains("next: `plan`, then PLAN_DONE"));
    let failed = tree.explain(&"2".parse().unwrap()).unwrap().to_string();
    assert!(failed.contains("failed because: action `plan` failed: rate limit"), "{failed}");
}
