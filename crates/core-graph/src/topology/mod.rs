//! A compiled graph as the step machine and the executor read it: flat, by index.

mod declarations;
mod executable;
mod migrations;
mod persistence;
mod policies;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::name::{Name, Packet};
use crate::state::{Field, State};
use crate::timeout::Timeout;

pub(crate) use executable::{ExecutableGraph, NodeRun};
pub(crate) use migrations::{Migration, Migrations, ReadStates};
pub use persistence::Persistence;
pub(crate) use policies::Ask;
pub use policies::{Mode, Retry};

/// The place of a node in [`Outline::nodes`], which are sorted by name.
pub(crate) type NodeIndex = u32;

/// A compiled graph: its outline, and what is of the type of its state.
pub(crate) struct Topology<S: State> {
    pub(crate) outline: Arc<Outline>,
    pub(crate) layout: S::Layout,
    /// How states of older versions are read.
    pub(crate) migrations: Migrations<S>,
    /// The functions of conditional edges, which name them by their places.
    pub(crate) routers: Vec<RouteFn<S>>,
    /// The same of sends.
    pub(crate) senders: Vec<SendFn<S>>,
}

/// What is known of a compiled graph without the type of its state. Code that needs no more takes an outline, so that it is
/// compiled once and not again for each state.
pub(crate) struct Outline {
    pub(crate) name: String,
    pub(crate) version: u32,
    pub(crate) state_version: u32,
    pub(crate) mode: Mode,
    /// Barrier mode: how long a super-step may take.
    pub(crate) step_timeout: Option<Duration>,
    /// The fields of the state.
    pub(crate) fields: Vec<Field>,
    /// The names of the state's fields, and of the frontier after them, as stores know them.
    pub(crate) field_names: Arc<[Arc<str>]>,
    /// Whether the state has ephemeral fields.
    pub(crate) has_ephemeral: bool,
    /// Whether an update that fits always folds into the state, whatever it writes.
    pub(crate) sure: bool,
    pub(crate) nodes: Vec<NodeInfo>,
    /// The names of the nodes, as events hold them.
    pub(crate) node_names: Arc<[Arc<str>]>,
    pub(crate) start: Exits,
    pub(crate) joins: Vec<Join>,
    /// Whether one of the joins is of what is reached.
    pub(crate) joins_reached: bool,
    /// Limits of the concurrency classes.
    pub(crate) limits: Vec<(String, usize)>,
    /// Per node, its class in `limits`; none where no node has one.
    pub(crate) classes: Option<Arc<[Option<u32>]>>,
    /// Whether a subgraph inside is kept per thread.
    pub(crate) keeps_children: bool,
    /// Makes the JSON schema of the state.
    pub(crate) schema: SchemaFn,
}

pub(crate) type SchemaFn = Arc<dyn Fn() -> serde_json::Value + Send + Sync>;

pub(crate) struct NodeInfo {
    pub(crate) name: Name,
    pub(crate) is_task: bool,
    /// The first that accepts an error decides about it.
    pub(crate) retry: Vec<Retry>,
    pub(crate) timeout: Timeout,
    /// Whether an error handler takes over when it fails.
    pub(crate) handles_errors: bool,
    /// Index into [`Outline::limits`].
    pub(crate) class: Option<usize>,
    pub(crate) deferred: bool,
    pub(crate) each: bool,
    pub(crate) goto: Vec<NodeIndex>,
    pub(crate) goto_end: bool,
    pub(crate) sends: Vec<NodeIndex>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) exits: Exits,
    /// The outline of the subgraph in this node, if there is one.
    pub(crate) child: Option<Arc<Outline>>,
    /// What the store keeps of that subgraph.
    pub(crate) persistence: Persistence,
}

/// What follows a node.
#[derive(Default)]
pub(crate) struct Exits {
    pub(crate) edges: Vec<NodeIndex>,
    pub(crate) conditionals: Vec<Conditional>,
    pub(crate) sends: Vec<SendRule>,
    /// Joins that wait for the node: index of the join, place among its predecessors.
    pub(crate) joins: Vec<(usize, usize)>,
}

/// A router: tells the nodes that it chooses, one after the other.
pub(crate) type RouteFn<S> = Arc<dyn Fn(&S, &mut dyn FnMut(&Name)) + Send + Sync>;
pub(crate) type SendFn<S> = Arc<dyn Fn(&S) -> Vec<Packet> + Send + Sync>;

pub(crate) struct Conditional {
    pub(crate) targets: Vec<NodeIndex>,
    pub(crate) may_end: bool,
    /// The place of its function in [`Topology::routers`].
    pub(crate) route: usize,
}

pub(crate) struct SendRule {
    pub(crate) targets: Vec<NodeIndex>,
    /// The place of its function in [`Topology::senders`].
    pub(crate) send: usize,
}

pub(crate) struct Join {
    pub(crate) target: NodeIndex,
    pub(crate) predecessors: Vec<NodeIndex>,
    /// For a join of what is reached: by node, whether its unfinished tasks hold the join back.
    pub(crate) upstream: Option<Box<[bool]>>,
}

impl Exits {
    /// Whether nothing follows a task. One that a send made arrives at joins with its fan-out.
    #[inline]
    pub(crate) fn lead_nowhere(&self, is_sent: bool) -> bool {
        let no_joins = is_sent || self.joins.is_empty();
        no_joins && self.edges.is_empty() && self.conditionals.is_empty() && self.sends.is_empty()
    }
}

impl Outline {
    #[inline]
    pub(crate) fn node(&self, index: NodeIndex) -> &NodeInfo {
        &self.nodes[index as usize]
    }

    #[inline]
    pub(crate) fn is_task(&self, index: NodeIndex) -> bool {
        self.node(index).is_task
    }

    pub(crate) fn find(&self, name: &str) -> Option<NodeIndex> {
        self.nodes.binary_search_by(|node| node.name.as_str().cmp(name)).ok().and_then(|at| u32::try_from(at).ok())
    }

    /// The concurrency class of a node.
    pub(crate) fn class_of(&self, index: NodeIndex) -> Option<&str> {
        let (class, _) = self.limits.get(self.node(index).class?)?;
        Some(class)
    }

    pub(crate) fn names(&self, nodes: &[NodeIndex]) -> String {
        let name = |at: &NodeIndex| self.nodes.get(*at as usize).map_or("START", |node| node.name.as_str());
        let names: Vec<_> = nodes.iter().map(|at| format!("`{}`", name(at))).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

impl NodeInfo {
    /// The declaration that covers `key`.
    pub(crate) fn asked(&self, key: &str) -> Option<&Ask> {
        self.asks
            .iter()
            .find(|ask| key == ask.key || key.strip_prefix(&*ask.key).is_some_and(|rest| rest.starts_with('/')))
    }
}

impl<S: State> Deref for Topology<S> {
    type Target = Outline;

    #[inline]
    fn deref(&self) -> &Outline {
        &self.outline
    }
}

impl fmt::Debug for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outline").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<S: State> fmt::Debug for Topology<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Topology").field("name", &self.name).finish_non_exhaustive()
    }
}
