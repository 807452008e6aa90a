//! The collector, the sections and the teams, with a scripted model and a scripted engine: control flow only.

mod charts;
mod collector;
mod crashes;
mod dependency;
mod hostile;
mod schedule;
pub(crate) mod script;
mod section;
mod team;
mod virtual_team;
pub(crate) mod world;
