//! Making an outline of what a model or a person wrote: checks, numbers, dependencies.

mod from_parts;
mod number;
mod raw;
mod repair;

pub(crate) use from_parts::from_parts;
pub use number::outline_of;
pub use raw::{RawOutline, RawSection, schema};
pub use repair::{Fault, RELATIONSHIPS, faults, repair};
