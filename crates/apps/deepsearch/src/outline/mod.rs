//! Making an outline of what a model or a person wrote: checks, numbers, dependencies (study, section 1.2; F6, F7).

mod number;
mod raw;
mod repair;

pub use number::outline_of;
pub use raw::{RawOutline, RawSection, schema};
pub use repair::{Fault, RELATIONSHIPS, faults, repair};
