//! Which part of a tree is drawn.

use std::collections::BTreeSet;

use crate::{NodeKey, Payload, TaskNode, TaskTree};

/// A tree, or a part of it, to be drawn. Made by [`TaskTree::draw`].
///
/// ```
/// use graphloom_state_machine::{NewNode, NodeKey, TaskTree, TreeChange};
///
/// let mut tree = TaskTree::<String>::default();
/// tree.apply(TreeChange::start("Write about the sea".to_owned()));
/// tree.apply(TreeChange::planned(NodeKey::root(), vec![NewNode::plan("1", [""; 0], "Look at the moon".to_owned())]));
/// assert!(tree.draw().text().contains("Look at the moon"));
/// assert!(tree.draw().layers(0).text().ends_with("PLAN_DONE [1 task inside]\n"));
/// assert!(tree.draw().of("1".parse()?).svg().starts_with("<svg"));
/// # Ok::<(), graphloom_state_machine::KeyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Drawing<'tree, T> {
    pub(super) tree: &'tree TaskTree<T>,
    pub(super) top: NodeKey,
    layers: Option<usize>,
    pub(super) columns: Option<usize>,
}

impl<T: Payload> TaskTree<T> {
    /// A drawing of the whole tree.
    pub fn draw(&self) -> Drawing<'_, T> {
        Drawing { tree: self, top: NodeKey::root(), layers: None, columns: None }
    }

    /// [`Drawing::text`] of the whole tree.
    pub fn to_text(&self) -> String {
        self.draw().text()
    }

    /// [`Drawing::mermaid`] of the whole tree.
    pub fn to_mermaid(&self) -> String {
        self.draw().mermaid()
    }

    /// [`Drawing::dot`] of the whole tree.
    pub fn to_dot(&self) -> String {
        self.draw().dot()
    }

    /// [`Drawing::json`] of the whole tree.
    pub fn to_json(&self) -> serde_json::Value {
        self.draw().json()
    }
}

impl<'tree, T: Payload> Drawing<'tree, T> {
    /// Draws this node and what is inside it only.
    #[must_use]
    pub fn of(mut self, node: NodeKey) -> Self {
        self.top = node;
        self
    }

    /// Draws so many layers inside the topmost node; for nodes below, their number is told.
    #[must_use]
    pub fn layers(mut self, layers: usize) -> Self {
        self.layers = Some(layers);
        self
    }

    /// Shortens the lines of [`text`](Self::text) to so many columns.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = Some(columns);
        self
    }

    /// The nodes that are drawn, each before those inside it, in plan order.
    pub(super) fn nodes(&self) -> Vec<&'tree TaskNode<T>> {
        let mut found = Vec::new();
        let mut open: Vec<&TaskNode<T>> = self.tree.node(&self.top).into_iter().collect();
        while let Some(node) = open.pop() {
            found.push(node);
            open.extend(self.inner(node).into_iter().rev());
        }
        found
    }

    /// The nodes right inside a node that are drawn, in plan order.
    pub(super) fn inner(&self, node: &TaskNode<T>) -> Vec<&'tree TaskNode<T>> {
        if self.is_deepest(node) { Vec::new() } else { self.all_inner(node) }
    }

    /// The same nodes in topological order.
    pub(super) fn queue(&self, node: &TaskNode<T>) -> Vec<&'tree TaskNode<T>> {
        if self.is_deepest(node) {
            return Vec::new();
        }
        let keys = node.inner.queue().filter(|key| key.is_inside(&node.key));
        keys.filter_map(|key| self.tree.node(key)).collect()
    }

    /// How many nodes inside a node are not drawn.
    pub(super) fn hidden(&self, node: &TaskNode<T>) -> usize {
        if !self.is_deepest(node) {
            return 0;
        }
        let mut count = 0;
        let mut open = self.all_inner(node);
        while let Some(node) = open.pop() {
            count += 1;
            open.extend(self.all_inner(node));
        }
        count
    }

    /// The dependencies of a node that do not follow from others: a node that needs `a` and `b`, where `b` needs `a`, is
    /// drawn after `b` only.
    pub(super) fn needs(&self, node: &TaskNode<T>) -> Vec<&'tree TaskNode<T>> {
        let mut followed: BTreeSet<&NodeKey> = BTreeSet::new();
        let mut needs = Vec::new();
        // Most plans name earlier tasks only, so the last one is looked at first.
        for key in node.parents.iter().collect::<BTreeSet<_>>().into_iter().rev() {
            let Some(parent) = self.tree.node(key) else { continue };
            if !followed.contains(key) {
                followed.extend(&parent.parents);
                needs.push(parent);
            }
        }
        needs.retain(|need| !followed.contains(&need.key));
        needs.reverse();
        needs
    }

    fn is_deepest(&self, node: &TaskNode<T>) -> bool {
        self.layers.is_some_and(|layers| node.layer() >= self.top.layer() + layers)
    }

    fn all_inner(&self, node: &TaskNode<T>) -> Vec<&'tree TaskNode<T>> {
        // A key that is not inside its node could only come from a tree that was stored damaged.
        let keys = node.inner.nodes.iter().filter(|key| key.is_inside(&node.key));
        keys.filter_map(|key| self.tree.node(key)).collect()
    }
}
