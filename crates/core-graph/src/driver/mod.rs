//! The tokio driver: runs what the step machine plans, stores what it commits, tells what happened.

mod attempt;
mod budget;
mod calls;
mod cell;
mod child;
mod control;
mod deferred;
mod dispatch;
mod drive;
mod flight;
mod ground;
mod import;
mod lane;
mod lifecycle;
mod load;
mod onces;
mod outcome;
mod policy;
mod publish;
mod run;
mod runtime;
mod session;
mod settle;
mod sink;
mod stock;
mod told;
mod turns;
mod writer;

pub use calls::Standing;
pub use child::Scope;
pub use outcome::Outcome;
pub use policy::{Durability, Order, RunPolicy};
pub use run::{Run, RunFuture, RunHandle};
pub use sink::Lag;

pub(crate) use child::run_in_task;
pub(crate) use control::Control;
pub(crate) use drive::{Driver, Entry};
pub(crate) use import::rehearse;
pub(crate) use load::{load_frontier, restore};
pub(crate) use run::conclude;
pub(crate) use runtime::Runtime;
pub(crate) use session::Session;
pub(crate) use sink::Queue;
pub(crate) use stock::open_calls;
pub(crate) use writer::Attached;
