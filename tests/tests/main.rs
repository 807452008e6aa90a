//! Tests across crates.

mod checkpointers;
mod facade;
mod faulty;
mod modules;
mod pages;
mod rooms;
mod stores;
mod study;
