//! Nodes and lines as clients get them.

use graphloom_core_graph::diagram::EdgeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The way that edges lead, save those that go back.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// From top to bottom.
    #[default]
    #[serde(rename = "TB")]
    Down,
    /// From left to right.
    #[serde(rename = "LR")]
    Right,
}

/// A graph as it is drawn. Lengths are CSS pixels, for names in a font of 14 px; the corner at the top left is 0, 0.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// An open subgraph stands before the nodes inside it.
    pub(crate) nodes: Vec<DrawnNode>,
    pub(crate) edges: Vec<DrawnEdge>,
}

/// A node as it is drawn: a box.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DrawnNode {
    /// The names of the subgraphs that it is in, from the outermost, and its own, with `:` between.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: DrawnNodeKind,
    /// The name of the graph inside, of a subgraph.
    pub(crate) graph: Option<String>,
    /// Whether the nodes of the graph inside are drawn in it.
    pub(crate) open: bool,
    /// The id of the open subgraph that it is drawn in.
    pub(crate) parent: Option<String>,
    /// Its left side.
    pub(crate) x: f64,
    /// Its upper side.
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DrawnNodeKind {
    Node,
    /// Where its graph begins.
    Start,
    /// Where its graph ends.
    End,
    Subgraph,
}

/// An edge as it is drawn: a line that begins and ends at the sides of its nodes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DrawnEdge {
    /// The id of the node that it leaves.
    pub(crate) source: String,
    /// The id of the node that it reaches.
    pub(crate) target: String,
    pub(crate) kind: DrawnEdgeKind,
    /// What the graph says of the edge, where it says anything.
    pub(crate) label: Option<String>,
    /// The line, from point to point: x and y.
    pub(crate) points: Vec<[f64; 2]>,
}

/// Kinds of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DrawnEdgeKind {
    /// Always followed.
    Always,
    /// Followed when a router says so.
    Conditional,
    /// Followed when the node says so.
    Goto,
    /// Followed by a task of its own for each that is sent.
    Send,
    /// Followed when all predecessors have finished.
    Join,
}

impl DrawnEdgeKind {
    pub(super) fn of(kind: EdgeKind) -> Self {
        match kind {
            EdgeKind::Conditional => Self::Conditional,
            EdgeKind::Goto => Self::Goto,
            EdgeKind::Send => Self::Send,
            EdgeKind::Join => Self::Join,
            _ => Self::Always,
        }
    }
}
