//! The `writehere` command on the real embedded model and on a scripted server: results, kills, recordings, inspection, bad input.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod bad_input;
mod breakpoints;
mod budget;
mod compatible;
mod described;
mod drawing;
mod files;
mod found;
mod inspection;
mod kills;
mod layers;
mod lengths;
mod options;
mod partial;
mod parts;
mod planner;
mod recording;
mod refusals;
mod review;
mod storage;
mod studio;
mod support;
mod technical;
mod terminal;
mod thinking;
mod unplanned;
mod web;
