//! The tree itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use rpds::{RedBlackTreeMapSync, VectorSync};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ChangeError, FailurePolicy, NodeKey, NodeView, Payload, Rejection, TaskNode, TaskStatus, Transition, TreeChange,
};

/// A tree of tasks with a payload at each node.
///
/// It is a persistent value: a clone costs a few reference counts, whatever the size. It changes only through
/// [`apply`](Self::apply) and [`try_apply`](Self::try_apply), and serialises whole. An empty tree is the default;
/// [`TreeChange::Start`] plants the root.
///
/// ```
/// use graphloom_state_machine::{NodeKey, TaskTree, TreeChange};
///
/// let mut tree = TaskTree::<String>::default();
/// tree.apply(TreeChange::start("Write about the sea".to_owned()));
/// assert_eq!(tree.ready_in_level_order(), [NodeKey::root()]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Payload")]
pub struct TaskTree<T> {
    policy: FailurePolicy,
    #[schemars(with = "BTreeMap<NodeKey, TaskNode<T>>")]
    nodes: RedBlackTreeMapSync<NodeKey, Arc<TaskNode<T>>>,
    steps: u64,
    #[schemars(with = "Vec<Transition>")]
    log: VectorSync<Transition>,
    #[schemars(with = "Vec<Rejection>")]
    rejected: VectorSync<Rejection>,
}

impl<T> Default for TaskTree<T> {
    fn default() -> Self {
        Self {
            policy: FailurePolicy::default(),
            nodes: RedBlackTreeMapSync::new_sync(),
            steps: 0,
            log: VectorSync::new_sync(),
            rejected: VectorSync::new_sync(),
        }
    }
}

impl<T: Payload> TaskTree<T> {
    /// A tree whose root has this payload and is `READY`.
    pub fn new(payload: T, policy: FailurePolicy) -> Self {
        let mut tree = Self::default();
        tree.apply(TreeChange::Start { payload, policy });
        tree
    }

    /// What failures do in this tree.
    pub fn failure_policy(&self) -> FailurePolicy {
        self.policy
    }

    /// The root; none in an empty tree.
    pub fn root(&self) -> Option<&TaskNode<T>> {
        self.node(&NodeKey::root())
    }

    /// The node with this key.
    pub fn node(&self, key: &NodeKey) -> Option<&TaskNode<T>> {
        self.nodes.get(key).map(|node| &**node)
    }

    /// All nodes, depth first, places in numeric order.
    pub fn nodes(&self) -> impl Iterator<Item = &TaskNode<T>> {
        self.nodes.values().map(|node| &**node)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.size()
    }

    /// Whether there is no node, not even a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The inner nodes of a node in topological order.
    pub fn inner<'tree>(&'tree self, node: &'tree TaskNode<T>) -> impl DoubleEndedIterator<Item = &'tree TaskNode<T>> {
        node.inner.queue().filter_map(|key| self.node(key))
    }

    /// The node that `text` names: a key, or a plan id that only one node has.
    pub fn find(&self, text: &str) -> Option<&TaskNode<T>> {
        if let Some(node) = text.parse().ok().and_then(|key: NodeKey| self.node(&key)) {
            return Some(node);
        }
        let mut named = self.nodes().filter(|node| node.nid == text);
        let first = named.next();
        if named.next().is_some() { None } else { first }
    }

    /// The number of actions reported so far, failed ones included.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Every change of status, in order.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Transition> + ExactSizeIterator {
        self.log.iter()
    }

    /// The changes of status of one node, in order.
    pub fn history<'tree>(&'tree self, key: &'tree NodeKey) -> impl Iterator<Item = &'tree Transition> {
        self.log.iter().filter(move |transition| transition.node == *key)
    }

    /// The changes that [`apply`](Self::apply) refused, in order.
    pub fn rejected(&self) -> impl Iterator<Item = &Rejection> {
        self.rejected.iter()
    }

    /// The failed nodes, depth first.
    pub fn failed(&self) -> impl Iterator<Item = &TaskNode<T>> {
        self.nodes().filter(|node| node.status == TaskStatus::Failed)
    }

    /// A node in its tree, for evaluating conditions.
    ///
    /// # Errors
    /// [`ChangeError::UnknownNode`].
    pub fn view(&self, key: &NodeKey) -> Result<NodeView<'_, T>, ChangeError> {
        let node = self.node(key).ok_or_else(|| ChangeError::UnknownNode { node: key.clone() })?;
        Ok(NodeView { tree: self, node })
    }

    /// Applies a change, and records it in [`rejected`](Self::rejected) if it does not fit. Total and deterministic, as
    /// the reducer of a state field must be.
    pub fn apply(&mut self, change: TreeChange<T>) {
        if let Err(error) = self.try_apply(change) {
            self.rejected.push_back_mut(Rejection { step: self.steps, error });
        }
    }

    /// Applies a change and returns the changes of status it led to, in order.
    ///
    /// # Errors
    /// [`ChangeError`] if the change does not fit; the tree is then as it was.
    pub fn try_apply(&mut self, change: TreeChange<T>) -> Result<Vec<Transition>, ChangeError> {
        let before = self.log.len();
        let mut next = self.clone();
        next.perform(change)?;
        *self = next;
        Ok((before..self.log.len()).filter_map(|index| self.log.get(index)).cloned().collect())
    }

    pub(super) fn set_policy(&mut self, policy: FailurePolicy) {
        self.policy = policy;
    }

    pub(super) fn count_step(&mut self) {
        self.steps += 1;
    }

    pub(super) fn insert(&mut self, node: TaskNode<T>) {
        self.nodes.insert_mut(node.key.clone(), Arc::new(node));
    }

    pub(super) fn remove(&mut self, key: &NodeKey) {
        self.nodes.remove_mut(key);
    }

    pub(super) fn update(&mut self, key: &NodeKey, change: impl FnOnce(&mut TaskNode<T>)) {
        if let Some(node) = self.nodes.get(key) {
            let mut node = Arc::clone(node);
            change(Arc::make_mut(&mut node));
            self.nodes.insert_mut(key.clone(), node);
        }
    }

    pub(super) fn record(&mut self, transition: Transition) {
        self.log.push_back_mut(transition);
    }
}
