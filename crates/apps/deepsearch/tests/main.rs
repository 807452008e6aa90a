//! The library at its public boundary, on scripted models and engines.

mod citing;
mod guide;
mod main_graph;
mod outline;
mod page;
mod sections;
mod web;
