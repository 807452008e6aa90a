//! Subgraphs: how a call of one runs inside of a task, and where it goes on after it stopped.
//!
//! | rule | where |
//! | --- | --- |
//! | a call is a namespace of its own, run to its end inside of its task | [`call`] |
//! | a call of plain steps that nobody stores or reads runs in place, without a machine | [`inline_call`] |
//! | a call that began before goes on from its newest checkpoint | [`resume_point`] |
//! | deeply nested calls begin on stacks of their own | [`stacks`] |

pub(crate) mod call;
mod inline_call;
mod resume_point;
mod stacks;

pub(crate) use call::{EndedChild, LeftChild, begin_in_task, begins_a_stack, finish_in_task};
pub(crate) use stacks::OwnStack;
