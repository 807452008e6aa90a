//! Where the nodes of a graph are drawn, and the lines between them.
//!
//! An open subgraph is a box around its nodes. Every edge leads from node to node of one graph, so each graph is laid out by
//! itself, the inner ones first: an outer graph knows an open subgraph by its size only.
//!
//! Lengths are CSS pixels, for names in a font of 14 px. The same diagram with the same subgraphs open is always drawn the same.
//!
//! | rule | where |
//! | --- | --- |
//! | nodes and lines as clients get them | `drawing.rs` |
//! | which subgraphs are open | `open.rs` |
//! | how large a node is | `size.rs` |
//! | from graphs inside each other to one drawing | `nest.rs` |
//! | boxes to place, boxes placed, and what makes a placement sound | `placement.rs` |
//! | boxes placed by the crate dagre | `layered.rs` |
//! | boxes placed in rows, where dagre takes too long or fails | `rows.rs` |
//! | drawings that were made are kept | `cache.rs` |

mod cache;
mod drawing;
mod layered;
mod nest;
mod open;
mod placement;
mod rows;
mod size;
#[cfg(test)]
mod tests;

pub(crate) use cache::Drawings;
pub(crate) use drawing::{Direction, Drawing};
pub(crate) use open::OpenSubgraphs;
