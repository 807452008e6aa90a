//! Cross-crate tests of Graphloom.
