//! What is declared of a graph, without the functions of its nodes and edges: all of `compile()` that needs no more is
//! written for it, and compiled once.

use std::sync::Arc;
use std::time::Duration;

use crate::graph::Diagram;
use crate::graph::persistence::SubgraphSpec;
use crate::graph::spec::NodeDefaults;
use crate::name::Name;
use crate::state::Field;
use crate::topology::{Mode, Outline};

/// What is declared of a graph, without its functions. Those stand in lists of the [`StateGraph`](crate::StateGraph), and
/// are known here by their places.
#[derive(Debug, Default)]
pub(super) struct Blueprint {
    pub(super) name: String,
    pub(super) version: u32,
    pub(super) state_version: u32,
    pub(super) mode: Mode,
    pub(super) step_timeout: Option<Duration>,
    /// The fields of the state, from `compile` on.
    pub(super) fields: Vec<Field>,
    /// Sorted by name from `compile` on.
    pub(super) nodes: Vec<Declared>,
    pub(super) edges: Vec<(Name, Name)>,
    /// Sources and targets, in the order of the routers.
    pub(super) conditionals: Vec<(Name, Vec<Name>)>,
    /// Sources and targets, in the order of the send functions.
    pub(super) sends: Vec<(Name, Vec<Name>)>,
    pub(super) joins: Vec<DeclaredJoin>,
    pub(super) limits: Vec<(String, usize)>,
    pub(super) deny_warnings: bool,
    pub(super) defaults: NodeDefaults,
    /// Nodes, in the order of the caches.
    pub(super) caches: Vec<Name>,
    /// Nodes, in the order of the error handlers.
    pub(super) error_handlers: Vec<Name>,
    /// Whether nodes without an error handler of their own have one.
    pub(super) handles_errors: bool,
    /// Versions of states, in the order of the migrations.
    pub(super) migrations: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: Name,
    pub(super) is_task: bool,
    /// Its place among the nodes as they were declared.
    pub(super) place: usize,
    /// The place of its function.
    pub(super) run: usize,
    pub(super) spec: SubgraphSpec,
    /// The graph in the node, for a subgraph.
    pub(super) child: Option<InnerGraph>,
    /// Whether an option put another function or graph into the node.
    pub(super) replaced: bool,
}

/// What is known of the graph in a node.
#[derive(Debug)]
pub(super) struct InnerGraph {
    pub(super) outline: Arc<Outline>,
    pub(super) diagram: Diagram,
    /// The type of the compiled graph.
    pub(super) type_name: &'static str,
}

#[derive(Debug)]
pub(super) struct DeclaredJoin {
    pub(super) from: Vec<Name>,
    pub(super) to: Name,
    /// Whether it waits only for those that are reached.
    pub(super) reached: bool,
}

impl Blueprint {
    pub(super) fn new(name: String) -> Self {
        Self { name, version: 1, state_version: 1, ..Self::default() }
    }

    /// Adds a node whose function has this place.
    pub(super) fn add(
        &mut self,
        name: Name,
        is_task: bool,
        run: usize,
        child: Option<InnerGraph>,
    ) -> &mut SubgraphSpec {
        let at = self.nodes.len();
        let spec = SubgraphSpec::default();
        self.nodes.push(Declared { name, is_task, place: at, run, spec, child, replaced: false });
        &mut self.nodes[at].spec
    }
}
