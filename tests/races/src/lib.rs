//! Graphs whose threads get into each other's way, for drawn interleavings and for the stress run.

#![forbid(unsafe_code)]

pub mod stress;
pub mod work;
