//! From graphs inside each other to one drawing.

use std::collections::BTreeMap;

use graphloom_core_graph::diagram::{Diagram, DiagramNode, NodeKind};

use super::drawing::{Direction, Drawing, DrawnEdge, DrawnEdgeKind, DrawnNode, DrawnNodeKind};
use super::open::OpenSubgraphs;
use super::placement::{Placement, Size, Sketch, place};
use super::size;

const START: &str = "__start__";
const END: &str = "__end__";

impl Drawing {
    /// Draws a graph, with these subgraphs open.
    pub(crate) fn of(diagram: &Diagram, open: &OpenSubgraphs, direction: Direction) -> Self {
        let graph = Level { open, direction, parent: None, prefix: String::new() }.draw(diagram);
        let mut drawing = Self {
            width: graph.size.width + 2.0 * size::MARGIN,
            height: graph.size.height + 2.0 * size::MARGIN,
            nodes: graph.nodes,
            edges: graph.edges,
        };
        shift(&mut drawing.nodes, &mut drawing.edges, size::MARGIN, size::MARGIN);
        drawing
    }
}

/// A graph that is drawn, from 0, 0 on.
struct DrawnGraph {
    size: Size,
    nodes: Vec<DrawnNode>,
    edges: Vec<DrawnEdge>,
}

/// A graph to draw, and where it is.
struct Level<'d> {
    open: &'d OpenSubgraphs,
    direction: Direction,
    /// The id of the subgraph that it is in.
    parent: Option<&'d str>,
    /// What stands before the names of its nodes in their ids.
    prefix: String,
}

/// An edge between nodes, by their places in the drawing.
type Line = (usize, usize, DrawnEdgeKind);

impl Level<'_> {
    fn draw(&self, diagram: &Diagram) -> DrawnGraph {
        let (names, lines) = parts(diagram);
        let by_name: BTreeMap<&str, &DiagramNode> =
            diagram.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
        let mut nodes = Vec::with_capacity(names.len());
        let mut inside = Vec::with_capacity(names.len());
        for name in names {
            let node = by_name.get(name).filter(|node| node.kind != NodeKind::Terminal);
            let (drawn, inner) = self.node(name, node.copied());
            nodes.push(drawn);
            inside.push(inner);
        }
        let sizes = nodes.iter().map(|node| Size { width: node.width, height: node.height }).collect();
        let sketch = Sketch { sizes, lines: lines.iter().map(|(from, to, _)| (*from, *to)).collect() };
        let placement = place(&sketch, self.direction);
        let size = placement.size();
        let Placement { boxes, lines: points } = placement;
        let edges = lines.iter().zip(points).map(|((from, to, kind), points)| DrawnEdge {
            source: nodes[*from].id.clone(),
            target: nodes[*to].id.clone(),
            kind: *kind,
            label: None,
            points,
        });
        let mut graph = DrawnGraph { size, edges: edges.collect(), nodes: Vec::with_capacity(nodes.len()) };
        for ((mut node, inner), placed) in nodes.into_iter().zip(inside).zip(boxes) {
            (node.x, node.y) = (placed.x, placed.y);
            let (left, top) = (node.x, node.y + size::HEADER);
            let room = node.width;
            graph.nodes.push(node);
            if let Some(mut inner) = inner {
                let left = left + ((room - inner.size.width) / 2.0).round();
                shift(&mut inner.nodes, &mut inner.edges, left, top);
                graph.nodes.append(&mut inner.nodes);
                graph.edges.append(&mut inner.edges);
            }
        }
        graph
    }

    /// A node that is not placed yet, and the graph inside where it is open. `START` and `END` are no nodes of the diagram's.
    fn node(&self, name: &str, node: Option<&DiagramNode>) -> (DrawnNode, Option<DrawnGraph>) {
        let id = format!("{}{name}", self.prefix);
        let graph = node.and_then(|node| node.inner.as_deref());
        let inner = graph.filter(|_| self.open.contains(&id)).map(|graph| {
            let (prefix, parent) = (format!("{id}:"), Some(id.as_str()));
            Level { open: self.open, direction: self.direction, parent, prefix }.draw(graph)
        });
        let closed = node.map_or_else(size::of_terminal, size::of_node);
        let Size { width, height } = inner.as_ref().map_or(closed, |inner| size::around(inner.size, closed));
        let kind = match (name, node, graph) {
            (START, None, _) => DrawnNodeKind::Start,
            (_, None, _) => DrawnNodeKind::End,
            (_, Some(_), Some(_)) => DrawnNodeKind::Subgraph,
            (_, Some(_), None) => DrawnNodeKind::Node,
        };
        let drawn = DrawnNode {
            id,
            name: name.to_owned(),
            kind,
            graph: graph.map(|graph| graph.name.clone()),
            open: inner.is_some(),
            parent: self.parent.map(str::to_owned),
            x: 0.0,
            y: 0.0,
            width,
            height,
        };
        (drawn, inner)
    }
}

/// The names of what is drawn of a graph, in order: `START`, its nodes as they were declared, and `END` where anything leads
/// there; and the edges. What nothing leaves leads to `END`.
fn parts(diagram: &Diagram) -> (Vec<&str>, Vec<Line>) {
    let mut nodes: Vec<&DiagramNode> = diagram.nodes.iter().filter(|node| node.kind != NodeKind::Terminal).collect();
    nodes.sort_by_key(|node| node.place);
    let mut names = vec![START];
    names.extend(nodes.iter().map(|node| node.name.as_str()));
    let end = names.len();
    names.push(END);
    let place: BTreeMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let lines = diagram.edges.iter().filter_map(|edge| {
        let (from, to) = (place.get(edge.from.as_str())?, place.get(edge.to.as_str())?);
        Some((*from, *to, DrawnEdgeKind::of(edge.kind)))
    });
    let mut lines: Vec<Line> = lines.collect();
    let mut is_left = vec![false; names.len()];
    for (from, ..) in &lines {
        is_left[*from] = true;
    }
    let last = (1..end).filter(|at| !is_left[*at]).map(|at| (at, end, DrawnEdgeKind::Always));
    lines.extend(last.collect::<Vec<_>>());
    lines.sort_unstable();
    if !lines.iter().any(|(_, to, _)| *to == end) {
        names.pop();
    }
    (names, lines)
}

fn shift(nodes: &mut [DrawnNode], edges: &mut [DrawnEdge], right: f64, down: f64) {
    for node in nodes {
        node.x += right;
        node.y += down;
    }
    for point in edges.iter_mut().flat_map(|edge| &mut edge.points) {
        point[0] += right;
        point[1] += down;
    }
}
