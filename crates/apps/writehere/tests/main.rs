//! The library at its public boundary, on scripted models.

mod context;
mod graph;
mod mutants;
mod planner;
mod plans;
mod stages;
