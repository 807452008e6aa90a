//! Putting a report together from its sections.

mod assemble;
mod fixed;
mod references;

pub use assemble::{Chapter, Parts, assemble};
pub(crate) use fixed::{fixed_abstract, fixed_conclusion};
pub use references::{Reference, number_citations};

pub use crate::markup::{renumber, without_references};
