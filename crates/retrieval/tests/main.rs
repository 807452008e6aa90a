//! The corpus, the literature and the web at the public boundary.

mod corpus;
#[cfg(feature = "literature")]
mod literature;
mod parts;
#[cfg(feature = "web")]
mod web;
