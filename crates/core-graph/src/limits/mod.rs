//! What bounds a run: its policy, its budget of tasks, requests to stop, and the order of its tasks.
//!
//! | rule | where |
//! | --- | --- |
//! | what a caller may limit, and when commits are durable | [`policy`] |
//! | how many tasks may run in all, over all namespaces of a run | [`budget`] |
//! | a run is asked to stop | [`control`] |
//! | in a simulation, when tasks take their turns | [`turn_order`] |

mod budget;
mod control;
mod policy;
mod turn_order;

pub(crate) use budget::Budget;
pub(crate) use control::Control;
pub use policy::{Durability, Order, RunPolicy};
pub(crate) use turn_order::TurnOrder;
