//! Tests across crates.

mod checkpointers;
mod clocks;
mod facade;
mod faulty;
mod modules;
mod names;
mod pages;
mod rooms;
mod stores;
mod study;
