//! The main graphs with a scripted model and a scripted engine: control flow only.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod changes;
mod codes;
mod dialogue;
mod edges;
mod endings;
mod languages;
mod limits;
mod model;
mod outages;
mod secrets;
mod spared;
mod talk;
mod uncited;
mod whole;

use crate::sections::{script, world};
