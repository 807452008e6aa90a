//! What all programs share, at its public boundary.

mod args;
mod config;
mod documents;
mod keys;
mod models;
mod private;
mod running;
mod terminal_text;
