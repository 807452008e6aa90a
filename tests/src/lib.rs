//! Cross-crate tests of Graphloom.

pub mod contract;
