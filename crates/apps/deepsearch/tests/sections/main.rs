//! The collector, the sections and the teams, with a scripted model and a scripted engine: control flow only.

mod charts;
mod collector;
mod crashes;
mod dependency;
mod hostile;
mod schedule;
mod script;
mod section;
mod team;
mod virtual_team;
mod world;
