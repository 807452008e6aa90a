//! Boxes placed by the crate dagre: in layers, with few crossings.

use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir, layout};

use super::drawing::Direction;
use super::placement::{Placement, Rect, Size, Sketch};
use super::rows;

/// Between boxes of one layer, between lines, and between layers.
const BOX_GAP: f64 = 40.0;
const LINE_GAP: f64 = 20.0;
const LAYER_GAP: f64 = 56.0;

/// Boxes, lines and places where a line passes a layer. With so many, dagre takes half a second: measured in a debug build with
/// dagre optimised, on chains, on fan-outs, and on trees of which a quarter of the nodes leads back.
const MOST_PARTS: usize = 1_000;

/// Whether dagre lays this out within half a second or so.
pub(super) fn suits(sketch: &Sketch) -> bool {
    let bare = sketch.sizes.len() + sketch.lines.len();
    bare <= MOST_PARTS && bare + rows::passed(sketch) <= MOST_PARTS
}

/// Lays out by dagre.
///
/// # Panics
/// Where dagre does.
pub(super) fn place(sketch: &Sketch, direction: Direction) -> Placement {
    let options = GraphOptions { directed: true, multigraph: true, compound: false };
    let mut graph: Graph<NodeLabel, EdgeLabel> = Graph::with_options(options);
    for (at, size) in sketch.sizes.iter().enumerate() {
        let label = NodeLabel { width: size.width, height: size.height, ..NodeLabel::default() };
        graph.set_node(name(at), Some(label));
    }
    for (at, (from, to)) in sketch.lines.iter().enumerate() {
        // A label that is beside its line would make room for itself.
        let label = EdgeLabel { labelpos: LabelPos::Center, ..EdgeLabel::default() };
        graph.set_edge(name(*from), name(*to), Some(label), Some(&name(at)));
    }
    let options = LayoutOptions {
        rankdir: match direction {
            Direction::Down => RankDir::TB,
            Direction::Right => RankDir::LR,
        },
        nodesep: BOX_GAP,
        edgesep: LINE_GAP,
        ranksep: LAYER_GAP,
        // Of orders with as many crossings, the one that is nearer to what was declared.
        tie_keep_first: true,
        ..LayoutOptions::default()
    };
    layout(&mut graph, Some(options));
    let boxes = sketch.sizes.iter().enumerate().map(|(at, size)| {
        let (x, y) = graph.node(&name(at)).map_or((None, None), |label| (label.x, label.y));
        let corner = |centre: Option<f64>, length: f64| centre.unwrap_or(f64::NAN) - length / 2.0;
        let Size { width, height } = *size;
        Rect { x: corner(x, width), y: corner(y, height), size: *size }
    });
    let lines = sketch.lines.iter().enumerate().map(|(at, (from, to))| {
        let label = graph.edge(&name(*from), &name(*to), Some(&name(at)));
        label.map(|label| label.points.iter().map(|point| [point.x, point.y]).collect()).unwrap_or_default()
    });
    Placement { boxes: boxes.collect(), lines: lines.collect() }
}

fn name(at: usize) -> String {
    at.to_string()
}
