//! Reading what models write: JSON amid prose, broken JSON, and tagged text.
//!
//! [`read_value`] is the whole pipeline; every stage it needed is listed as a [`ParseStep`], so that a reader of a
//! run sees what was done to a reply.

pub mod coerce;
pub mod json;
pub mod repair;
pub mod tags;

mod read;
mod step;
mod validate;

pub use read::{ParseFailure, Parsed, read_value};
pub use step::ParseStep;
pub use validate::SchemaCheck;

/// Replies longer than this are not parsed.
pub const MAX_BYTES: usize = 1 << 20;

/// Values nested deeper than this are not parsed.
pub const MAX_DEPTH: usize = 128;
