//! The drawing of a provenance graph: a static SVG with the records on the left and the conclusion on the right.

use std::collections::BTreeMap;

use super::provenance::{Kind, Provenance, Relation};
use crate::markup::escape;

const WIDTH: usize = 230;
const LINE: usize = 16;
const GAP_X: usize = 110;
const GAP_Y: usize = 18;
const MARGIN: usize = 16;
/// The columns of text in a box; an ideograph takes two columns.
const COLUMNS: usize = 32;
const MOST_LINES: usize = 6;

/// A node of the drawing: its place and height in pixels, and its lines of text.
struct PlacedNode {
    x: usize,
    y: usize,
    height: usize,
    lines: Vec<String>,
}

/// Draws the graph. All text is escaped; the drawing has no script and no link.
pub fn draw(graph: &Provenance) -> String {
    let layers = layers(graph);
    let most = layers.values().copied().max().unwrap_or(0);
    let mut placed: BTreeMap<usize, PlacedNode> = BTreeMap::new();
    let mut height = 0;
    for layer in (0..=most).rev() {
        let mut y = MARGIN;
        for (at, node) in graph.nodes().filter(|(at, _)| layers.get(at) == Some(&layer)) {
            let text = match node.number {
                Some(number) => format!("[{number}] {}", node.text),
                None => node.text.clone(),
            };
            let lines = wrap(&text);
            let own = lines.len() * LINE + 14;
            placed.insert(at, PlacedNode { x: MARGIN + (most - layer) * (WIDTH + GAP_X), y, height: own, lines });
            y += own + GAP_Y;
        }
        height = height.max(y);
    }
    let width = 2 * MARGIN + (most + 1) * WIDTH + most * GAP_X;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" \
         refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#555\"/></marker></defs>\n"
    );
    for (from, to, edge) in graph.edges() {
        let (Some(a), Some(b)) = (placed.get(&from), placed.get(&to)) else { continue };
        let (x1, y1) = (a.x + WIDTH, a.y + a.height / 2);
        let (x2, y2) = (b.x, b.y + b.height / 2);
        let middle = (x1 + x2) / 2;
        let (colour, name) = match edge.relation {
            Relation::Refer => ("#3a6aa5", "refer"),
            Relation::Infer => ("#555", "infer"),
            Relation::Formula => ("#7a5ab5", "formula"),
            Relation::Contradict => ("#b5443a", "contradict"),
        };
        let dash = if edge.relation == Relation::Contradict { " stroke-dasharray=\"5 4\"" } else { "" };
        let label = match (edge.expression.is_empty(), edge.holds) {
            (true, _) => name.to_owned(),
            (false, Some(true)) => format!("{} ✓", edge.expression),
            (false, Some(false)) => format!("{} ✗", edge.expression),
            (false, None) => format!("{} ?", edge.expression),
        };
        out.push_str(&format!(
            "<path d=\"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}\" fill=\"none\" stroke=\"{colour}\"{dash} \
             marker-end=\"url(#arrow)\"/>\n<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\" fill=\"{colour}\">{}</text>\n",
            (y1 + y2) / 2 - 4,
            escape(&label)
        ));
    }
    for (at, node) in graph.nodes() {
        let Some(place) = placed.get(&at) else { continue };
        let (fill, stroke) = match node.kind {
            Kind::Record => ("#eaf1fa", "#4a7ab5"),
            Kind::Statement => ("#f6f6f4", "#888"),
            Kind::Conclusion => ("#fdf3dc", "#b58a2a"),
        };
        out.push_str(&format!(
            "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{WIDTH}\" height=\"{}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"/>\n",
            escape(&node.text),
            place.x,
            place.y,
            place.height
        ));
        for (line, text) in place.lines.iter().enumerate() {
            let y = place.y + 18 + line * LINE;
            out.push_str(&format!("<text x=\"{}\" y=\"{y}\">{}</text>\n", place.x + 10, escape(text)));
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The number of edges on the longest path from each node to the conclusion. The graph has no cycle. A node without a
/// path to the conclusion has no entry and is not drawn.
fn layers(graph: &Provenance) -> BTreeMap<usize, usize> {
    let mut layers: BTreeMap<usize, usize> =
        graph.nodes().filter(|(_, node)| node.kind == Kind::Conclusion).map(|(at, _)| (at, 0)).collect();
    // Without cycles, as many rounds as nodes are enough; with cycles, the bound ends the loop.
    for _ in 0..graph.nodes().count() {
        let mut moved = false;
        for (from, to, _) in graph.edges() {
            let Some(next) = layers.get(&to).map(|layer| layer + 1) else { continue };
            if layers.get(&from).is_none_or(|layer| *layer < next) {
                layers.insert(from, next);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    layers
}

/// The lines of a text, at most [`COLUMNS`] wide and at most [`MOST_LINES`]. Lines are broken at spaces where possible.
fn wrap(text: &str) -> Vec<String> {
    let wide = |c: char| if u32::from(c) >= 0x1100 { 2 } else { 1 };
    let mut lines: Vec<String> = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let width: usize = word.chars().map(wide).sum();
        if used + width > COLUMNS && used > 0 && width <= COLUMNS {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for c in word.chars() {
            if used + wide(c) > COLUMNS {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += wide(c);
        }
    }
    lines.push(line);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}
