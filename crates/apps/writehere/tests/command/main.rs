//! The `writehere` command on the real embedded model: results, kills, recordings, inspection, bad input.

mod bad_input;
mod compatible;
mod inspection;
mod kills;
mod recording;
mod support;
