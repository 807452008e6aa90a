//! The library at its public boundary, on scripted models.

mod context;
mod mutants;
mod planner;
mod plans;
mod stages;
mod whole_graph;
