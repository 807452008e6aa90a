//! Features that no numbered case is about.

mod asking;
mod durable_steps;
mod fields;
mod reading;
mod steps;
mod subgraphs;
