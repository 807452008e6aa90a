//! The main graphs with a scripted model and a scripted engine: control flow only.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod after_report;
mod asking_run;
mod changes;
mod codes;
mod dialogue;
mod edges;
mod endings;
mod languages;
mod limits;
mod model;
mod options;
mod outages;
mod parts;
mod secrets;
mod uncited;
mod whole;

use crate::sections::{script, world};
