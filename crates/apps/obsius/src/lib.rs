//! Obsius: an assistant for a vault of notes that analyzes, searches, executes and reflects.

#![forbid(unsafe_code)]

pub mod index;
pub mod tools;
