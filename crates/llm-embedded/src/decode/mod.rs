//! From logits to an answer: the sampler, the grammar of a schema, and the text that leaves.

mod bounds;
mod grammar;
mod repetition;
mod sampler;
mod text_output;

pub(crate) use bounds::bounded;
pub(crate) use grammar::{Constraint, Grammars};
pub(crate) use repetition::Repetition;
pub(crate) use sampler::{Sampler, Sampling};
pub(crate) use text_output::TextOutput;
