//! Reading what models write: JSON amid prose, broken JSON, and tagged text.
//!
//! [`read_value`] is the whole pipeline. It lists every stage that a reply needed as a [`ParseStep`], so that a reader
//! of a run sees how the reply was read.

pub mod coerce;
pub mod json;
pub mod repair;
pub mod tags;

mod names;
mod read;
mod step;
mod validate;

pub use names::tool_name;
pub use read::{ParseFailure, Parsed, read_value};
pub use step::ParseStep;
pub use validate::SchemaCheck;

/// The longest reply that is parsed, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// The deepest nesting of values that are parsed.
pub const MAX_DEPTH: usize = 128;
