//! Chat messages as a user of the crate meets them.

mod forms;
mod in_a_graph;
mod langgraph;
mod reducer;
