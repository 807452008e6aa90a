//! The tree as an SVG picture of its own: a line for each task would be too long to read, and a general layout of
//! graphs takes minutes for a thousand nodes.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::layout::{INDENT, LINE, TaskBox, WIDTH};
use super::{Drawing, colour, fit};
use crate::{NodeKey, Payload};

/// The room around the drawing.
const MARGIN: usize = 12;
/// Where lines leave and meet a box, below its upper edge.
const PORT: usize = 14;

impl<T: Payload> Drawing<'_, T> {
    /// A picture: inner nodes indented below the node they stand inside and joined to it by lines, arrows from a node to
    /// what comes after it, and a colour for each kind of status. A box with round corners is carried out as it is. Takes
    /// time in proportion to the number of nodes and dependencies.
    pub fn svg(&self) -> String {
        let (boxes, width, height) = self.boxes();
        let (width, height) = (width + 2 * MARGIN, height + 2 * MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#1a5fb4\"/></marker></defs>\n"
        );
        let at: HashMap<&NodeKey, usize> =
            boxes.iter().enumerate().map(|(at, task_box)| (&task_box.node.key, at)).collect();
        for task_box in &boxes {
            if let Some(outer) = task_box.outer.and_then(|outer| boxes.get(outer)) {
                let (from, below) = (outer.x + INDENT / 4, outer.y + outer.height);
                let (y, x) = (task_box.y + PORT, task_box.x);
                let _ = writeln!(svg, "<path d=\"M{from} {below}V{y}H{x}\" fill=\"none\" stroke=\"#888888\"/>");
            }
        }
        for task_box in &boxes {
            for need in self.needs(task_box.node).iter().filter_map(|need| boxes.get(*at.get(&need.key)?)) {
                arrow(&mut svg, need, task_box);
            }
        }
        for task_box in &boxes {
            draw_box(&mut svg, task_box);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// An arrow in the room before two boxes of one layer, from below the line of one box to above that of another.
fn arrow<T>(svg: &mut String, from: &TaskBox<'_, T>, to: &TaskBox<'_, T>) {
    let (x, left) = (from.x, from.x.saturating_sub(INDENT / 2));
    let (start, end) = (from.y + from.height / 2 + 6, to.y + PORT + 7);
    let _ = writeln!(
        svg,
        "<path d=\"M{x} {start}C{left} {start} {left} {end} {x} {end}\" fill=\"none\" stroke=\"#1a5fb4\" marker-end=\"url(#tip)\"/>"
    );
}

fn draw_box<T: Payload>(svg: &mut String, task_box: &TaskBox<'_, T>) {
    let TaskBox { node, x, y, height, .. } = task_box;
    let round = if task_box.executed { 10 } else { 0 };
    let mut whole = format!("{}: {}", node.key, node.payload.title());
    if let Some(failure) = &node.failure {
        let _ = write!(whole, " ({})", failure.cause);
    }
    let _ = writeln!(
        svg,
        "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{height}\" rx=\"{round}\" fill=\"{}\" stroke=\"#666666\"/>",
        escaped(&whole),
        colour(node.status)
    );
    let mut line = *y + LINE + 1;
    let left = x + 8;
    let status = node.status.to_string();
    // The name is bold and the rest smaller: about 8 and 6 points a letter.
    let name = fit(&task_box.name, 30);
    let room = (WIDTH - 30).saturating_sub(name.chars().count() * 8 + status.len() * 6) / 6;
    let status = match fit(&task_box.remark, room) {
        remark if remark.is_empty() => status,
        remark => format!("{remark} · {status}"),
    };
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"{line}\" font-weight=\"bold\">{}</text>", escaped(&name));
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{line}\" font-size=\"9\" text-anchor=\"end\" fill=\"#444444\">{}</text>",
        x + WIDTH - 8,
        escaped(&status)
    );
    for text in &task_box.title {
        line += LINE;
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"{line}\">{}</text>", escaped(text));
    }
    svg.push_str("</g>\n");
}

/// Text that stands in XML; characters that XML does not know are left out.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '\n' | '\t' => result.push(' '),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {}
            other => result.push(other),
        }
    }
    result
}
