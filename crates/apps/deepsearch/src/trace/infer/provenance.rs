//! The graph of the reasons of a conclusion.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_citations::best_overlap;
use petgraph::Direction;
use petgraph::algo::{greedy_feedback_arc_set, is_cyclic_directed};
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{EdgeRef, IntoEdgeReferences, NodeIndexable, Reversed, Walker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::formula::holds;

/// The least share of common wording, in both directions, at which two statements are the same statement.
const SAME: f32 = 0.9;
/// The least share of common wording, in both directions, at which a statement is the conclusion.
const IS_CONCLUSION: f32 = 0.6;

/// How a statement comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It is taken from a record.
    Refer,
    /// It follows.
    Infer,
    /// It is calculated.
    Formula,
    /// A record speaks against it.
    Contradict,
}

/// A step as a model gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RawStep {
    /// Records as 《number》, and statements.
    pub heads: Vec<String>,
    /// How the tail comes about.
    pub relation: Relation,
    /// A statement.
    pub tail: String,
    /// The calculation of a `formula`.
    #[serde(default)]
    pub expression: String,
}

impl RawStep {
    /// A step without a calculation.
    pub fn new(heads: Vec<String>, relation: Relation, tail: impl Into<String>) -> Self {
        Self { heads, relation, tail: tail.into(), expression: String::new() }
    }
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A cited record.
    Record,
    /// A statement between records and conclusion.
    Statement,
    /// The concluding sentence of the report.
    Conclusion,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The kind of the node.
    pub kind: Kind,
    /// The statement, or the title of the record.
    pub text: String,
    /// The number of the reference, for a record.
    pub number: Option<u32>,
    /// The address of the record; empty for other kinds.
    pub url: String,
}

/// An edge of the graph, from reason to consequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The relation of the consequence to the reason.
    pub relation: Relation,
    /// The calculation; empty when there is none.
    pub expression: String,
    /// Whether the calculation holds; `None` without a calculation, or when the calculation cannot be read.
    pub holds: Option<bool>,
}

/// The reasons of a conclusion, as a graph.
#[derive(Clone, Debug)]
pub struct Provenance {
    pub(super) graph: StableDiGraph<Node, Edge>,
    conclusion: NodeIndex,
}

impl Provenance {
    /// Builds the graph of `steps`. References to unknown records are left out. Statements with nearly the same wording
    /// are one node, and a statement with the wording of the conclusion is the node of the conclusion.
    pub fn build(conclusion: &str, records: &BTreeMap<u32, (String, String)>, steps: &[RawStep]) -> Self {
        let mut graph = StableDiGraph::new();
        let text = conclusion.to_owned();
        let goal = graph.add_node(Node { kind: Kind::Conclusion, text, number: None, url: String::new() });
        let mut made = Self { graph, conclusion: goal };
        for step in steps {
            let Some(tail) = made.statement(&step.tail) else { continue };
            for head in &step.heads {
                let from = match reference(head) {
                    Some(number) => records.get(&number).map(|record| made.record(number, record)),
                    None => made.statement(head),
                };
                let Some(from) = from.filter(|from| *from != tail) else { continue };
                let holds = (step.relation == Relation::Formula).then(|| holds(&step.expression)).flatten();
                let expression = step.expression.trim().to_owned();
                made.graph.update_edge(from, tail, Edge { relation: step.relation, expression, holds });
            }
        }
        made
    }

    fn record(&mut self, number: u32, (title, url): &(String, String)) -> NodeIndex {
        let known = self.graph.node_indices().find(|at| self.graph[*at].number == Some(number));
        known.unwrap_or_else(|| {
            let (text, url) = (title.clone(), url.clone());
            self.graph.add_node(Node { kind: Kind::Record, text, number: Some(number), url })
        })
    }

    fn statement(&mut self, text: &str) -> Option<NodeIndex> {
        let text = text.trim();
        if text.is_empty() || reference(text).is_some() {
            return None;
        }
        let goal = &self.graph[self.conclusion].text;
        if goal == text || alike(goal, text) >= IS_CONCLUSION {
            return Some(self.conclusion);
        }
        let known = self.graph.node_indices().find(|at| {
            let node = &self.graph[*at];
            node.kind == Kind::Statement && (node.text == text || alike(&node.text, text) >= SAME)
        });
        Some(known.unwrap_or_else(|| {
            let text = text.to_owned();
            self.graph.add_node(Node { kind: Kind::Statement, text, number: None, url: String::new() })
        }))
    }

    /// The node with an index.
    pub fn node(&self, place: usize) -> Option<&Node> {
        self.graph.node_weight(NodeIndex::new(place))
    }

    /// All nodes with their indices.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.graph.node_indices().map(|at| (at.index(), &self.graph[at]))
    }

    /// All edges, each with the indices of the reason and of the consequence.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, &Edge)> {
        self.graph.edge_references().map(|edge| (edge.source().index(), edge.target().index(), edge.weight()))
    }

    /// The connected components of the graph, as indices of nodes.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        let mut union = UnionFind::<usize>::new(self.graph.node_bound());
        for edge in self.graph.edge_references() {
            union.union(edge.source().index(), edge.target().index());
        }
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in self.graph.node_indices() {
            parts.entry(union.find(at.index())).or_default().push(at.index());
        }
        parts.into_values().collect()
    }

    /// Adds an edge from a node to another node, which must be a statement or the conclusion. Any other pair of indices
    /// is ignored.
    pub fn connect(&mut self, from: usize, to: usize) {
        let (from, to) = (NodeIndex::new(from), NodeIndex::new(to));
        let known = |at: NodeIndex| self.graph.node_weight(at).map(|node| node.kind);
        let fits = matches!((known(from), known(to)), (Some(_), Some(Kind::Statement | Kind::Conclusion)));
        if fits && from != to {
            let edge = Edge { relation: Relation::Infer, expression: String::new(), holds: None };
            self.graph.update_edge(from, to, edge);
        }
    }

    /// Reduces the graph to the reasons of the conclusion. Afterwards no edge leaves the conclusion or enters a record,
    /// the graph has no cycle, every statement has a reason, and every node leads to the conclusion.
    pub fn clean(&mut self) {
        let goal = self.conclusion;
        self.graph.retain_edges(|graph, edge| {
            graph
                .edge_endpoints(edge)
                .is_some_and(|(from, to)| from != to && from != goal && graph[to].kind != Kind::Record)
        });
        while is_cyclic_directed(&self.graph) {
            let back: Vec<_> = greedy_feedback_arc_set(&self.graph).map(|edge| edge.id()).collect();
            if back.is_empty() {
                break;
            }
            for edge in back {
                self.graph.remove_edge(edge);
            }
        }
        // The removal of a statement without a reason may leave another statement without one.
        loop {
            let bare: Vec<_> = self
                .graph
                .node_indices()
                .filter(|at| self.graph[*at].kind == Kind::Statement)
                .filter(|at| self.graph.neighbors_directed(*at, Direction::Incoming).next().is_none())
                .collect();
            if bare.is_empty() {
                break;
            }
            for at in bare {
                self.graph.remove_node(at);
            }
        }
        let search = petgraph::visit::Dfs::new(Reversed(&self.graph), goal);
        let reached: BTreeSet<NodeIndex> = search.iter(Reversed(&self.graph)).collect();
        self.graph.retain_nodes(|_, at| reached.contains(&at));
    }

    /// How many records the conclusion rests on.
    pub fn references(&self) -> usize {
        self.graph.node_weights().filter(|node| node.kind == Kind::Record).count()
    }

    /// The number of different origins that support the conclusion, and the number of records that contradict the
    /// conclusion or one of its reasons. `origins` holds the origin of each record by its number; a record without an
    /// origin counts as an origin of its own.
    pub fn independence(&self, origins: &BTreeMap<u32, usize>) -> (usize, usize) {
        let (mut speaking, mut against) = (BTreeSet::new(), BTreeSet::new());
        for edge in self.graph.edge_references() {
            let node = &self.graph[edge.source()];
            let Some(number) = node.number.filter(|_| node.kind == Kind::Record) else { continue };
            if edge.weight().relation == Relation::Contradict {
                against.insert(number);
            } else {
                speaking.insert(origins.get(&number).copied().ok_or(number));
            }
        }
        (speaking.len(), against.len())
    }
}

/// The number in `《3》`.
fn reference(text: &str) -> Option<u32> {
    text.trim().strip_prefix('《')?.strip_suffix('》')?.trim().parse().ok()
}

/// The share of common wording of two texts: the smaller share of the two directions.
fn alike(left: &str, right: &str) -> f32 {
    let share = |a: &str, b: &str| best_overlap(a, b).map_or(0.0, |(_, overlap)| overlap);
    share(left, right).min(share(right, left))
}
