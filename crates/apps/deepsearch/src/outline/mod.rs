//! Making an outline of what a model or a person wrote: checks, numbers, dependencies.

mod number;
mod of_parts;
mod raw;
mod repair;

pub use number::outline_of;
pub(crate) use of_parts::of_parts;
pub use raw::{RawOutline, RawSection, schema};
pub use repair::{Fault, RELATIONSHIPS, faults, repair};
