//! How large a node is: as its name needs it.

use graphloom_core_graph::diagram::DiagramNode;

use super::placement::Size;

/// The width of a character, and of one that is as wide as it is high.
const NARROW: f64 = 8.0;
const WIDE: f64 = 14.0;

/// What a box has to the left and the right of its name, together.
const BESIDE_NAME: f64 = 24.0;

/// What a subgraph has beside its name, to be opened and closed with.
const BUTTON: f64 = 24.0;

/// The width of a node at least, and at most: a longer name does not fit.
const NARROWEST: f64 = 64.0;
const WIDEST: f64 = 320.0;

const HEIGHT: f64 = 36.0;

/// Around the nodes in an open subgraph, and above them, where its name is.
pub(super) const PADDING: f64 = 16.0;
pub(super) const HEADER: f64 = 36.0;

/// Around the whole drawing.
pub(super) const MARGIN: f64 = 16.0;

/// The size of a node with nothing in it.
pub(super) fn of_node(node: &DiagramNode) -> Size {
    let name: f64 = node.name.chars().map(|c| if is_wide(c) { WIDE } else { NARROW }).sum();
    let button = if node.inner.is_some() { BUTTON } else { 0.0 };
    Size { width: (name + BESIDE_NAME + button).clamp(NARROWEST, WIDEST), height: HEIGHT }
}

/// The size of `START` and `END`.
pub(super) fn of_terminal() -> Size {
    Size { width: NARROWEST, height: HEIGHT }
}

/// The size of a subgraph around what is in it; `closed` is its size without.
pub(super) fn around(inside: Size, closed: Size) -> Size {
    Size { width: (inside.width + 2.0 * PADDING).max(closed.width), height: inside.height + HEADER + PADDING }
}

/// Whether a character is about as wide as it is high: those of East Asian scripts, and pictures.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 | 0x1f300..)
}
