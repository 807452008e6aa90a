//! Cross-crate tests of Graphloom.

pub mod rows;
