//! Subgraphs: how a call of one runs inside of a task, and where it goes on after it stopped.
//!
//! | rule | where |
//! | --- | --- |
//! | a call is a namespace of its own, run to its end inside of its task | [`call`] |
//! | a call of plain steps that nobody stores or reads runs in place, without a machine | [`inline_call`] |
//! | a call that began before goes on from its newest checkpoint | [`resume_point`] |
//! | a subgraph that is kept per thread has one call at a time, and begins where the call before ended | [`thread_scoped`] |
//! | what was under way when a run stopped is found before anything is dispatched | [`open_calls`] |
//! | deeply nested calls begin on stacks of their own | [`stacks`] |

pub(crate) mod call;
mod inline_call;
pub(crate) mod open_calls;
mod resume_point;
mod stacks;
pub(crate) mod thread_scoped;

pub use call::Scope;
pub use thread_scoped::Standing;

pub(crate) use call::{EndedChild, LeftChild, begin_in_task, begins_a_stack, finish_in_task};
pub(crate) use open_calls::open_calls;
pub(crate) use stacks::OwnStack;
