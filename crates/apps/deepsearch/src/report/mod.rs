//! Putting a report together from its sections (study, section 3.3; F22).

mod assemble;
mod fixed;
mod headings;
mod references;
mod uncited;

pub use assemble::{Chapter, Parts, assemble};
pub(crate) use fixed::{fixed_abstract, fixed_conclusion};
pub use headings::renumber;
pub(crate) use headings::{heading, lines, without_number};
pub use references::{Reference, number_citations, without_references};
pub(crate) use uncited::{placed, uncited};
