//! From logits to an answer: the sampler, the grammar of a schema, and the text that leaves.

mod bounds;
mod grammar;
mod outlet;
mod repetition;
mod sampler;

pub(crate) use bounds::bounded;
pub(crate) use grammar::{Constraint, Grammars};
pub(crate) use outlet::Outlet;
pub(crate) use repetition::Repetition;
pub(crate) use sampler::{Sampler, Sampling};
