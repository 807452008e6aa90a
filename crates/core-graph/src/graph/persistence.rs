//! What a subgraph declares as a node.

use std::ops::{Deref, DerefMut};

use crate::graph::spec::NodeSpec;
use crate::topology::Persistence;

/// What a subgraph declares as a node, and its policies: a [`NodeSpec`] with a [`Persistence`]. Returned by
/// [`StateGraph::add_subgraph`](crate::StateGraph::add_subgraph).
#[derive(Debug, Default)]
pub struct SubgraphSpec {
    pub(super) node: NodeSpec,
    pub(super) persistence: Persistence,
}

impl SubgraphSpec {
    /// What the store keeps of the subgraph, [per call](Persistence::PerCall) unless stated.
    pub fn persistence(&mut self, persistence: Persistence) -> &mut Self {
        self.persistence = persistence;
        self
    }
}

impl Deref for SubgraphSpec {
    type Target = NodeSpec;

    fn deref(&self) -> &NodeSpec {
        &self.node
    }
}

impl DerefMut for SubgraphSpec {
    fn deref_mut(&mut self) -> &mut NodeSpec {
        &mut self.node
    }
}
