//! Pictures of large trees.

use graphloom_state_machine::{FailurePolicy, NewNode, NodeKey, TaskAction, TaskTree, TreeChange};
use proptest::prelude::*;

use crate::plans::{any_shape, fresh};

/// The boxes of a picture: left and upper edge, and height.
fn boxes(svg: &str) -> Vec<[usize; 3]> {
    let number = |rect: &str, name: &str| -> usize {
        let rest = rect.split(&format!(" {name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    svg.split("<rect").skip(1).map(|rect| [number(rect, "x"), number(rect, "y"), number(rect, "height")]).collect()
}

/// A root with so many parts, each waiting for all before it.
fn chain(parts: usize) -> TaskTree<String> {
    let mut tree = fresh(FailurePolicy::Degrade);
    let nodes = (1..=parts).map(|part| {
        NewNode::plan(part.to_string(), (1..part).map(|earlier| earlier.to_string()), format!("goal {part}"))
    });
    tree.try_apply(TreeChange::planned(NodeKey::root(), nodes.collect())).unwrap();
    tree
}

#[test]
fn what_follows_from_other_dependencies_is_not_drawn() {
    let svg = chain(400).draw().svg();
    assert_eq!(boxes(&svg).len(), 401);
    assert_eq!(svg.matches("marker-end").count(), 399, "each waits for the one before, and by that for all others");
    assert!(svg.contains(">after 399 · ") && !svg.contains("after 1,"));
}

#[test]
fn a_long_goal_is_wrapped_and_its_whole_stands_in_the_title() {
    let goal = "Explain to a reader who has never seen the sea why it comes & goes <twice> a day ".repeat(4);
    let tree = TaskTree::new(goal.clone(), FailurePolicy::Degrade);
    let svg = tree.draw().svg();
    assert_eq!(svg.matches("<text").count(), 2 + 3, "name, status and three lines");
    assert!(svg.contains("&lt;twice&gt;") && svg.contains('…') && !svg.contains("<twice>"), "{svg}");
    assert!(
        svg.contains(&format!("<title>root: {}", goal.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")))
    );
}

#[test]
fn a_deep_tree_needs_no_recursion() {
    let mut tree = fresh(FailurePolicy::Degrade);
    let mut key = NodeKey::root();
    for _ in 0..500 {
        tree.try_apply(TreeChange::planned(key.clone(), vec![NewNode::plan("1", [""; 0], "deeper".to_owned())]))
            .unwrap();
        tree.try_apply(TreeChange::acted(key.clone(), TaskAction::PriorReflect)).unwrap();
        key = key.child(1);
    }
    assert_eq!(boxes(&tree.draw().svg()).len(), 501);
    assert_eq!(tree.draw().columns(40).text().lines().count(), 501);
    assert!(tree.draw().layers(3).text().contains("[497 tasks inside]"));
    assert_eq!(tree.draw().of(key).text().lines().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn boxes_never_overlap(shape in any_shape(), layers in 0_usize..5) {
        let mut tree = fresh(FailurePolicy::Degrade);
        shape.run(&mut tree);
        let boxes = boxes(&tree.draw().layers(layers).svg());
        for pair in boxes.windows(2) {
            let ([x, y, height], [next_x, next_y, _]) = (pair[0], pair[1]);
            prop_assert!(y + height < next_y, "{pair:?}");
            prop_assert!(next_x <= x + 48, "an inner box stands one step to the right: {pair:?}");
        }
    }
}
