//! Execution: which actions, and carrying them out.

mod answer;
pub(crate) mod calls;
mod lead;
mod model;
mod run;
mod turns;

pub use lead::lead;
pub use model::{WrittenAction, WrittenActions, actions_schema, read_actions};
pub use run::{Carried, Keeper, carry_out};
pub use turns::{MOST, Turn, take_turn};
