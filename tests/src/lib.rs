//! Cross-crate tests of Graphloom, and the examples of its guides.

pub mod rows;

#[cfg(doctest)]
#[doc = include_str!("../../docs/durability.md")]
struct Durability;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts.md")]
struct Concepts;

#[cfg(doctest)]
#[doc = include_str!("../../docs/from-langgraph.md")]
struct FromLangGraph;
