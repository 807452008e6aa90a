//! Storing a tree and going on with it.

use graphloom_state_machine::{ChangeError, FailurePolicy, TaskTree, TreeChange, TreeStatus};
use proptest::prelude::*;

use crate::plans::{any_shape, fresh, think};

fn stored_and_loaded(tree: &TaskTree<String>) -> TaskTree<String> {
    let json = serde_json::to_string(tree).unwrap();
    let from_json: TaskTree<String> = serde_json::from_str(&json).unwrap();
    let bytes = rmp_serde::to_vec_named(tree).unwrap();
    let from_bytes: TaskTree<String> = rmp_serde::from_slice(&bytes).unwrap();
    assert_eq!(from_json, from_bytes);
    from_bytes
}

#[test]
fn a_loaded_tree_goes_on_with_the_action_that_was_in_flight() {
    let shape = think();
    let mut whole = fresh(FailurePolicy::Degrade);
    let expected = shape.run(&mut whole);
    for stop in 0..expected.len() {
        let mut tree = fresh(FailurePolicy::Degrade);
        for _ in 0..stop {
            let next = tree.next_in_level_order().unwrap();
            tree.try_apply(shape.success(&next)).unwrap();
        }
        let mut loaded = stored_and_loaded(&tree);
        assert_eq!(shape.run(&mut loaded), expected[stop..], "killed after {stop} actions");
        assert_eq!(loaded, whole);
    }
}

#[test]
fn a_loaded_tree_is_not_reset() {
    let shape = think();
    let mut tree = fresh(FailurePolicy::Degrade);
    let next = tree.next_in_level_order().unwrap();
    tree.try_apply(shape.success(&next)).unwrap();
    let mut loaded = stored_and_loaded(&tree);
    assert_eq!(loaded.try_apply(TreeChange::start("again".to_owned())), Err(ChangeError::AlreadyStarted));
    assert_eq!(loaded, tree);
}

#[test]
fn a_tree_from_elsewhere_in_which_nothing_can_act_is_stuck_and_not_done() {
    let mut tree = fresh(FailurePolicy::Degrade);
    let shape = think();
    for _ in 0..2 {
        let next = tree.next_in_level_order().unwrap();
        tree.try_apply(shape.success(&next)).unwrap();
    }
    let mut json = serde_json::to_value(&tree).unwrap();
    for key in ["1", "2", "3"] {
        json["nodes"][key]["status"] = "NOT_READY".into();
        // A dependency on a node that is not there.
        json["nodes"][key]["parents"] = serde_json::json!(["9"]);
    }
    let mut stuck: TaskTree<String> = serde_json::from_value(json).unwrap();
    assert_eq!(stuck.exam_all(), 0);
    let TreeStatus::Stuck { waiting } = stuck.status() else { panic!("{}", stuck.status()) };
    assert_eq!(waiting.len(), 6);
    let text = stuck.status().to_string();
    assert!(text.starts_with("stuck: no task can act and the root is not finished\n  `root` is DOING\n"), "{text}");
    assert!(
        text.contains("[no] exam: the outer task is DOING and every parent is FINISH -> NEED_UPDATE (see `9`)"),
        "{text}"
    );
}

#[test]
fn a_sweep_brings_statuses_from_elsewhere_up_to_date() {
    let shape = think();
    let mut tree = fresh(FailurePolicy::Degrade);
    for _ in 0..2 {
        let next = tree.next_in_level_order().unwrap();
        tree.try_apply(shape.success(&next)).unwrap();
    }
    let mut json = serde_json::to_value(&tree).unwrap();
    json["nodes"]["1"]["status"] = "NOT_READY".into();
    let mut loaded: TaskTree<String> = serde_json::from_value(json).unwrap();
    assert_eq!(loaded.exam_all(), 1);
    shape.run(&mut loaded);
    assert_eq!(loaded.status(), TreeStatus::Done);
}

#[test]
fn trees_and_changes_describe_themselves_and_cross_threads() {
    fn state_field<
        T: Clone + Default + Send + Sync + serde::Serialize + serde::de::DeserializeOwned + schemars::JsonSchema,
    >() {
    }
    state_field::<TaskTree<String>>();
    let tree = schemars::schema_for!(TaskTree<String>).to_value();
    assert_eq!(tree["$defs"]["TaskStatus"]["enum"][0], "NOT_READY");
    assert_eq!(tree["properties"]["log"]["type"], "array");
    let change = schemars::schema_for!(TreeChange<String>).to_value();
    assert_eq!(change["$defs"]["TaskAction"]["enum"][0], "plan");
}

#[test]
fn an_empty_tree_is_neither_done_nor_active() {
    let tree = TaskTree::<String>::default();
    assert_eq!((tree.status(), tree.len(), tree.root()), (TreeStatus::Empty, 0, None));
    assert_eq!(stored_and_loaded(&tree), tree);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(50) })]

    #[test]
    fn the_stored_changes_rebuild_the_tree(shape in any_shape()) {
        let mut tree = TaskTree::default();
        let mut stored = vec![serde_json::to_string(&TreeChange::start("goal".to_owned())).unwrap()];
        tree.apply(TreeChange::start("goal".to_owned()));
        while let Some(next) = tree.next_in_level_order() {
            let change = shape.success(&next);
            stored.push(serde_json::to_string(&change).unwrap());
            tree.apply(change);
        }
        let mut rebuilt = TaskTree::<String>::default();
        for change in &stored {
            rebuilt.apply(serde_json::from_str(change).unwrap());
        }
        prop_assert_eq!(&rebuilt, &tree);
        prop_assert_eq!(rebuilt.rejected().count(), 0);
    }
}
