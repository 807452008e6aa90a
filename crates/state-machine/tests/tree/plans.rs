//! A stub planner: the whole tree of plans is known beforehand.

use std::collections::BTreeMap;

use graphloom_state_machine::{
    FailurePolicy, NewNode, NodeKey, NodeType, PendingAction, TaskAction, TaskTree, TreeChange,
};
use proptest::prelude::*;

/// What the planner will decide for a node.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Atomic: one execute child.
    Atomic,
    /// An execute node directly among its siblings.
    Execute,
    /// These inner nodes, each with the places (from 0) of the siblings it depends on.
    Complex(Vec<(Shape, Vec<usize>)>),
}

impl Shape {
    /// The plan of the node at `key`.
    pub(crate) fn plan_of(&self, key: &NodeKey) -> Vec<NewNode<String>> {
        self.at(key).map(|shape| shape.children(key)).unwrap_or_default()
    }

    fn children(&self, outer: &NodeKey) -> Vec<NewNode<String>> {
        let prefix = if outer.is_root() { String::new() } else { format!("{outer}.") };
        let nid = |place: &usize| format!("{prefix}{}", place + 1);
        match self {
            Self::Atomic => vec![NewNode::execution(format!("do {outer}"))],
            Self::Execute => Vec::new(),
            Self::Complex(inner) => inner
                .iter()
                .enumerate()
                .map(|(place, (shape, needs))| {
                    let mut node = NewNode::plan(nid(&place), needs.iter().map(nid), format!("goal {}", nid(&place)));
                    if matches!(shape, Self::Execute) {
                        node.node_type = NodeType::Execute;
                    }
                    node
                })
                .collect(),
        }
    }

    fn at(&self, key: &NodeKey) -> Option<&Self> {
        let Some(outer) = key.outer() else { return Some(self) };
        let Self::Complex(inner) = self.at(&outer)? else { return None };
        let place = key.place()? as usize;
        // A lone execute node is place 0; all others count from 1.
        inner.get(place.saturating_sub(1)).map(|(shape, _)| shape)
    }

    /// The change that reports success of an action.
    pub(crate) fn success(&self, pending: &PendingAction) -> TreeChange<String> {
        let node = pending.node.clone();
        match pending.action {
            TaskAction::Plan => {
                let children = self.plan_of(&node);
                TreeChange::planned(node, children)
            }
            action => TreeChange::acted(node, action),
        }
    }

    /// Runs a tree to its end, taking the first ready node in level order; returns the actions in order.
    pub(crate) fn run(&self, tree: &mut TaskTree<String>) -> Vec<String> {
        let mut trace = Vec::new();
        while let Some(pending) = tree.next_in_level_order() {
            trace.push(format!("{} {}", pending.node, pending.action));
            tree.try_apply(self.success(&pending)).unwrap();
        }
        trace
    }
}

pub(crate) fn fresh(policy: FailurePolicy) -> TaskTree<String> {
    TaskTree::new("goal".to_owned(), policy)
}

/// The recorded report run: three searches that need nothing, a think that needs them, a write that needs the think.
pub(crate) fn think() -> Shape {
    let atomic = |needs: &[usize]| (Shape::Atomic, needs.to_vec());
    Shape::Complex(vec![atomic(&[]), atomic(&[]), atomic(&[]), atomic(&[0, 1, 2]), atomic(&[3])])
}

/// Random valid plan trees: any depth up to three, dependencies without cycles but not only backwards in plan order.
pub(crate) fn any_shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![4 => Just(Shape::Atomic), 1 => Just(Shape::Execute), 1 => Just(Shape::Complex(Vec::new()))];
    let tree = leaf.prop_recursive(3, 24, 5, |inner| {
        prop::collection::vec((inner, any::<u32>(), any::<u32>()), 1..5).prop_map(|children| {
            // A rank for each child; a child may depend on those of lower rank.
            let ranks: Vec<(u32, usize)> =
                children.iter().enumerate().map(|(place, (_, rank, _))| (*rank, place)).collect();
            let rows = children.into_iter().enumerate().map(|(place, (shape, rank, mask))| {
                let lower = ranks.iter().filter(|other| **other < (rank, place)).map(|(_, place)| *place);
                (shape, lower.filter(|place| mask >> place & 1 == 1).collect())
            });
            Shape::Complex(rows.collect())
        })
    });
    tree.prop_filter("the root is a plan node", |shape| !matches!(shape, Shape::Execute))
}

/// Key and status of every node.
pub(crate) fn statuses(tree: &TaskTree<String>) -> BTreeMap<String, String> {
    tree.nodes().map(|node| (node.key.to_string(), node.status.to_string())).collect()
}
