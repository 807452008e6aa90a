//! Cross-crate bench of Graphloom.
