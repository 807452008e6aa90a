//! Changes that do not fit are refused and leave the tree alone.

use graphloom_state_machine::{FailurePolicy, NewNode, NodeKey, NodeType, Symbol, TaskAction, TaskTree, TreeChange};
use proptest::prelude::*;

use crate::plans::{fresh, think};

/// The report tree after its first two actions: root `DOING`, `1` to `3` `READY`, `4` and `5` `NOT_READY`.
fn opened() -> TaskTree<String> {
    let mut tree = fresh(FailurePolicy::Degrade);
    for _ in 0..2 {
        let next = tree.next_in_level_order().unwrap();
        tree.try_apply(think().success(&next)).unwrap();
    }
    tree
}

fn key(text: &str) -> NodeKey {
    text.parse().unwrap()
}

fn child(nid: &str, needs: &[&str]) -> NewNode<String> {
    NewNode::plan(nid, needs.iter().copied(), nid.to_owned())
}

#[test]
fn each_refusal_says_what_is_wrong() {
    let cases = [
        (TreeChange::start("x".into()), "the tree already has a root; a loaded tree continues from where it stands"),
        (TreeChange::acted(key("7"), TaskAction::Update), "there is no node `7` in the tree"),
        (TreeChange::changed(key("7"), "x".into()), "there is no node `7` in the tree"),
        (
            TreeChange::acted(key("4"), TaskAction::Update),
            "node `4` is NOT_READY (suspend): only a node in an activate status can act or be selected",
        ),
        (TreeChange::acted(key("1"), TaskAction::Execute), "node `1` is READY: its action is `plan`, not `execute`"),
        (
            TreeChange::acted(key("1"), TaskAction::Plan),
            "action `plan` of node `1` was reported without its inner nodes; report it as `Planned`",
        ),
        (
            TreeChange::planned(key("1"), vec![child("a", &["b"]), child("b", &["a"])]),
            "the plan of node `1` cannot be used: tasks wait for each other in a circle: `a` needs `b` needs `a`; remove one of these dependencies",
        ),
        (
            TreeChange::planned(key("1"), vec![child("a", &[]), child("a", &[])]),
            "the plan of node `1` cannot be used: id `a` is used by more than one task of the same plan; give each its own",
        ),
        (
            TreeChange::planned(key("1"), vec![child("a", &["z"])]),
            "the plan of node `1` cannot be used: task `a` depends on `z`, which is not in the same plan; remove the dependency or correct the id",
        ),
        (
            TreeChange::Replanned { node: key("1"), children: vec![] },
            "node `1` is READY: its plan can be replaced only in PLAN_DONE, before its inner tasks start",
        ),
        (
            TreeChange::Reopened,
            "no failed node can be reopened: none failed, or the tasks around the failed ones have gone on without them",
        ),
    ];
    for (change, message) in cases {
        let mut tree = opened();
        assert_eq!(tree.try_apply(change.clone()).unwrap_err().to_string(), message);
        assert_eq!(tree, opened(), "a refused change left a trace: {change:?}");

        tree.apply(change);
        let rejected: Vec<String> = tree.rejected().map(|rejection| rejection.error.to_string()).collect();
        assert_eq!(rejected, [message]);
        assert_eq!(tree.nodes().collect::<Vec<_>>(), opened().nodes().collect::<Vec<_>>());
    }
}

#[test]
fn several_changes_are_made_together_or_not_at_all() {
    let mut tree = opened();
    let both = TreeChange::changed(key("1"), "better".into()).and(TreeChange::acted(key("1"), TaskAction::Execute));
    assert!(tree.try_apply(both).is_err());
    assert_eq!(tree, opened());

    let both =
        TreeChange::changed(key("1"), "better".into()).and(TreeChange::planned(key("1"), vec![child("1.1", &[])]));
    tree.try_apply(both).unwrap();
    assert_eq!(*tree.node(&key("1")).unwrap().payload, "better");
    assert_eq!(tree.node(&key("1.1")).unwrap().outer(), Some(key("1")));
}

fn any_change() -> impl Strategy<Value = TreeChange<String>> {
    let node = prop::collection::vec(0_u32..4, 0..3)
        .prop_map(|places| places.iter().fold(NodeKey::root(), |key, place| key.child(*place)));
    let action = prop::sample::select(TaskAction::ALL);
    let new =
        ("[a-c]", prop::collection::vec("[a-d]", 0..2), any::<bool>()).prop_map(|(nid, dependencies, plan)| NewNode {
            payload: nid.clone(),
            nid,
            dependencies,
            node_type: if plan { NodeType::Plan } else { NodeType::Execute },
        });
    let children = prop::collection::vec(new, 0..3);
    prop_oneof![
        1 => any::<bool>().prop_map(|fast| TreeChange::Start {
            payload: "root".to_owned(),
            policy: if fast { FailurePolicy::FailFast } else { FailurePolicy::Degrade },
        }),
        6 => (node.clone(), children.clone()).prop_map(|(node, children)| TreeChange::Planned { node, children }),
        1 => (node.clone(), children).prop_map(|(node, children)| TreeChange::Replanned { node, children }),
        12 => (node.clone(), action.clone()).prop_map(|(node, action)| TreeChange::acted(node, action)),
        1 => (node.clone(), action).prop_map(|(node, action)| TreeChange::failed(node, action, "error")),
        1 => node.prop_map(|node| TreeChange::changed(node, "changed".to_owned())),
        1 => Just(TreeChange::Reopened),
        1 => Just(TreeChange::Retried),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn no_sequence_of_changes_panics_or_leaves_an_inconsistent_tree(changes in prop::collection::vec(any_change(), 0..150)) {
        let mut tree = TaskTree::<String>::default();
        for change in changes {
            tree.apply(change);
        }
        prop_assert_eq!(tree.clone().exam_all(), 0);
        for node in tree.nodes() {
            let known = |key: &NodeKey| tree.node(key).is_some();
            prop_assert!(node.inner.nodes.iter().chain(&node.parents).chain(&node.dependents).all(known));
            prop_assert_eq!(node.failure.is_some(), node.status == graphloom_state_machine::TaskStatus::Failed);
            prop_assert!(!tree.explain(&node.key).unwrap().to_string().is_empty());
        }
        let _ = (tree.to_text(), tree.to_mermaid(), tree.to_dot(), tree.to_json(), tree.status().to_string());
        prop_assert_ne!(tree.status().name(), "stuck");
    }
}
