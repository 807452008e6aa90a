//! Tests.

mod durability;
mod fuzz;
mod messages;
mod model;
mod slow_clients;
mod support;
