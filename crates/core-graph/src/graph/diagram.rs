//! Drawings of a graph: Mermaid, DOT and JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use petgraph::dot::{Config, Dot};
use petgraph::graph::DiGraph;
use serde::Serialize;

use crate::graph::blueprint::Blueprint;
use crate::name::{END_NAME, START_NAME};
use crate::topology::{Exits, Join, NodeIndex};

/// A graph as a drawing: nodes and edges by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagram {
    /// The graph's name.
    pub name: String,
    /// START, the nodes by name, and END when something leads there.
    pub nodes: Vec<DiagramNode>,
    /// The edges, by source, kind and target.
    pub edges: Vec<DiagramEdge>,
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiagramNode {
    /// The name.
    pub name: String,
    /// What kind of node.
    pub kind: NodeKind,
    /// Its place among the nodes as they were declared, of the nodes that are no terminals. Not in the JSON.
    #[serde(skip)]
    pub place: usize,
    /// Whether [`GraphOptions`](crate::GraphOptions) put another function or graph into the node.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replaced: bool,
    /// The graph inside, for a subgraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner: Option<Box<Diagram>>,
}

/// Kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NodeKind {
    /// START or END.
    Terminal,
    /// Triggered by edges.
    Node,
    /// Triggered by sends.
    Task,
}

/// An edge of a drawing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct DiagramEdge {
    /// The node it leaves.
    pub from: String,
    /// The node it reaches.
    pub to: String,
    /// What kind of edge.
    pub kind: EdgeKind,
}

/// Kinds of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EdgeKind {
    /// Always followed.
    Edge,
    /// Followed when a router says so.
    Conditional,
    /// Followed when the node says so.
    Goto,
    /// A fan-out.
    Send,
    /// Followed when all predecessors have finished.
    Join,
}

/// Nodes and edges of a drawing that stand out, such as the path that a run took. What the graph does not have is left
/// out of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marks {
    nodes: BTreeSet<String>,
    edges: BTreeSet<(String, String)>,
}

impl Marks {
    /// Nothing is marked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also marks a node; `START` and `END` are the terminals.
    pub fn node(&mut self, name: &str) -> &mut Self {
        self.nodes.insert(internal(name).to_owned());
        self
    }

    /// Also marks the edges between two nodes, and the nodes.
    pub fn edge(&mut self, from: &str, to: &str) -> &mut Self {
        self.node(from).node(to);
        self.edges.insert((internal(from).to_owned(), internal(to).to_owned()));
        self
    }

    fn has_edge(&self, edge: &DiagramEdge) -> bool {
        self.edges.iter().any(|(from, to)| *from == edge.from && *to == edge.to)
    }
}

/// The colour of what is marked.
const MARK: &str = "#1a7f37";

impl Diagram {
    pub(super) fn draw(graph: &Blueprint, start: &Exits, exits: &[Exits], joins: &[Join]) -> Self {
        let name = |at: NodeIndex| graph.nodes.get(at as usize).map_or(START_NAME, |node| node.name.as_str());
        let mut edges = Vec::new();
        let mut add = |from: &str, to: &str, kind| {
            edges.push(DiagramEdge { from: from.to_owned(), to: to.to_owned(), kind });
        };
        let sources = std::iter::once(START_NAME).chain(graph.nodes.iter().map(|node| node.name.as_str()));
        for (from, exits) in sources.zip(std::iter::once(start).chain(exits)) {
            exits.edges.iter().for_each(|to| add(from, name(*to), EdgeKind::Edge));
            for conditional in &exits.conditionals {
                conditional.targets.iter().for_each(|to| add(from, name(*to), EdgeKind::Conditional));
                if conditional.may_end {
                    add(from, END_NAME, EdgeKind::Conditional);
                }
            }
            exits.sends.iter().flat_map(|rule| &rule.targets).for_each(|to| add(from, name(*to), EdgeKind::Send));
        }
        for (from, to) in graph.edges.iter().filter(|(_, to)| to.as_str() == END_NAME) {
            add(from.as_str(), to.as_str(), EdgeKind::Edge);
        }
        for node in &graph.nodes {
            node.spec.goto.iter().for_each(|to| add(node.name.as_str(), to.as_str(), EdgeKind::Goto));
            node.spec.sends.iter().for_each(|to| add(node.name.as_str(), to.as_str(), EdgeKind::Send));
        }
        for join in joins {
            join.predecessors.iter().for_each(|from| add(name(*from), name(join.target), EdgeKind::Join));
        }
        edges.sort();
        edges.dedup();
        let terminal = |key: &str| {
            let kind = NodeKind::Terminal;
            DiagramNode { name: key.to_owned(), kind, place: 0, replaced: false, inner: None }
        };
        let mut nodes = vec![terminal(START_NAME)];
        nodes.extend(graph.nodes.iter().map(|node| DiagramNode {
            name: node.name.to_string(),
            kind: if node.is_task { NodeKind::Task } else { NodeKind::Node },
            place: node.place,
            replaced: node.replaced,
            inner: node.child.as_ref().map(|inner| Box::new(inner.diagram.clone())),
        }));
        if edges.iter().any(|edge| edge.to == END_NAME) {
            nodes.push(terminal(END_NAME));
        }
        Self { name: graph.name.clone(), nodes, edges }
    }

    /// A Mermaid flowchart. Solid edges are always followed, dotted ones when a router or the node says so, thick
    /// ones are sends; a join is labelled, and so is what is replaced. Subgraphs are drawn as frames beside their node.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        self.mermaid_into(&mut text, "", "    ");
        text
    }

    /// A Mermaid flowchart in which marked nodes have the class `taken` and marked edges a style. Nodes of subgraphs are
    /// not marked.
    pub fn mermaid_marked(&self, marks: &Marks) -> String {
        let mut text = self.mermaid();
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| marks.nodes.contains(&node.name));
        let nodes: Vec<String> = nodes.map(|(at, _)| format!("n{at}")).collect();
        let edges = self.edges.iter().enumerate().filter(|(_, edge)| marks.has_edge(edge));
        // Links are counted in the order in which they are written; those of this graph come first.
        let edges: Vec<String> = edges.map(|(at, _)| at.to_string()).collect();
        if !nodes.is_empty() {
            let _ = writeln!(text, "    classDef taken stroke:{MARK},stroke-width:3px");
            let _ = writeln!(text, "    class {} taken", nodes.join(","));
        }
        if !edges.is_empty() {
            let _ = writeln!(text, "    linkStyle {} stroke:{MARK},stroke-width:3px", edges.join(","));
        }
        text
    }

    fn mermaid_into(&self, text: &mut String, prefix: &str, indent: &str) {
        let id = |name: &str| {
            format!("{prefix}n{}", self.nodes.iter().position(|node| node.name == name).unwrap_or_default())
        };
        for node in &self.nodes {
            let label = escape(&node.label());
            let (open, close) = match node.kind {
                NodeKind::Terminal => ("([", "])"),
                NodeKind::Node => ("[", "]"),
                NodeKind::Task => ("[[", "]]"),
            };
            let _ = writeln!(text, "{indent}{}{open}\"{label}\"{close}", id(&node.name));
        }
        for edge in &self.edges {
            let arrow = match edge.kind {
                EdgeKind::Edge => "-->",
                EdgeKind::Conditional => "-.->",
                EdgeKind::Goto => "-. goto .->",
                EdgeKind::Send => "==>",
                EdgeKind::Join => "-- join -->",
            };
            let _ = writeln!(text, "{indent}{} {arrow} {}", id(&edge.from), id(&edge.to));
        }
        for node in &self.nodes {
            let Some(inner) = &node.inner else { continue };
            let prefix = format!("{}_", id(&node.name));
            let _ = writeln!(text, "{indent}subgraph {prefix}inner [\"{}\"]", escape(&inner.name));
            inner.mermaid_into(text, &prefix, &format!("{indent}    "));
            let _ = writeln!(text, "{indent}end");
            let _ = writeln!(text, "{indent}{} -.- {prefix}inner", id(&node.name));
        }
    }

    /// GraphViz DOT.
    pub fn dot(&self) -> String {
        self.dot_marked(&Marks::new())
    }

    /// GraphViz DOT in which marked nodes and edges have a colour.
    pub fn dot_marked(&self, marks: &Marks) -> String {
        let mut graph = DiGraph::<&DiagramNode, &DiagramEdge>::new();
        let places: Vec<_> = self.nodes.iter().map(|node| graph.add_node(node)).collect();
        let place = |name: &str| self.nodes.iter().position(|node| node.name == name).map(|at| places[at]);
        for edge in &self.edges {
            if let (Some(from), Some(to)) = (place(&edge.from), place(&edge.to)) {
                graph.add_edge(from, to, edge);
            }
        }
        let colour = |marked: bool| if marked { format!("color = \"{MARK}\", penwidth = 3") } else { String::new() };
        let edge_style = |_, edge: petgraph::graph::EdgeReference<'_, &DiagramEdge>| {
            let style = match edge.weight().kind {
                EdgeKind::Edge => "",
                EdgeKind::Conditional => "style = dotted",
                EdgeKind::Goto => "style = dotted, label = goto",
                EdgeKind::Send => "style = bold",
                EdgeKind::Join => "label = join",
            };
            let colour = colour(marks.has_edge(edge.weight()));
            [style, colour.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
        };
        let node_style = |_, (_, node): (petgraph::graph::NodeIndex, &&DiagramNode)| {
            let shape = match node.kind {
                NodeKind::Terminal => "oval",
                NodeKind::Node => "box",
                NodeKind::Task => "box3d",
            };
            let label = node.label().replace('\\', "\\\\").replace('"', "\\\"");
            let colour = colour(marks.nodes.contains(&node.name));
            let separator = if colour.is_empty() { "" } else { ", " };
            format!("label = \"{label}\", shape = {shape}{separator}{colour}")
        };
        let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
        format!("{:?}", Dot::with_attr_getters(&graph, &config, &edge_style, &node_style))
    }

    /// The drawing as JSON: `name`, `nodes`, `edges`.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl DiagramNode {
    /// What the node is called in drawings.
    fn label(&self) -> Cow<'_, str> {
        match shown(&self.name) {
            name if self.replaced => Cow::Owned(format!("{name} (replaced)")),
            name => Cow::Borrowed(name),
        }
    }
}

fn shown(name: &str) -> &str {
    match name {
        "__start__" => "START",
        "__end__" => "END",
        other => other,
    }
}

fn internal(name: &str) -> &str {
    match name {
        "START" => START_NAME,
        "END" => END_NAME,
        other => other,
    }
}

fn escape(label: &str) -> String {
    label.replace('"', "#quot;")
}
