//! Where and when a task runs.
//!
//! A run of a namespace is a loop: the step machine plans, tasks start, what ended is completed, and what is complete is
//! committed. The machine decides what; this room decides where it runs and when, and nothing of what a super-step is.
//!
//! | rule | where |
//! | --- | --- |
//! | plan, start, complete, commit, until nothing is left | [`run_loop`] |
//! | a step of one task runs in place, and so do those after it, for as long as one task follows another | [`single_tasks`] |
//! | a dispatch of one task runs in place; one of several is shared out among workers | [`dispatch`] |
//! | a worker polls each task once, several where tasks take long; a task that waits becomes a task of the runtime | [`workers`] |
//! | a task does not wait for one that holds its worker | [`monitor`] |
//! | a task starts with its function, its services and its time limits, whoever runs it | [`task_start`] |
//! | a node whose tasks another process executes sends them there | [`elsewhere`] |
//! | a task that another process drives is executed here | [`perform`](mod@perform) |
//! | an attempt has a span, where anybody listens | [`spans`] |
//! | a panic or a time limit ends an attempt, not the run | [`attempt`] |
//! | a super-step that takes too long is stopped | [`run_loop`], by [`step_clock`] |
//! | what an ended task leads to: its records, its events, its commit | [`settle`] |
//! | tasks commit in a recorded order | [`replay_order`] |

pub(crate) mod attempt;
mod dispatch;
pub(crate) mod elsewhere;
mod in_flight;
mod lifecycle;
mod monitor;
mod outcome;
pub(crate) mod perform;
mod replay_order;
mod run;
pub(crate) mod run_loop;
pub(crate) mod runtime;
mod settle;
pub(crate) mod single_tasks;
pub(crate) mod spans;
mod step_clock;
pub(crate) mod task_context;
pub(crate) mod task_start;
pub(crate) mod workers;

pub use outcome::Outcome;
pub use run::{Run, RunFuture, RunHandle};

pub(crate) use run::conclude;
pub(crate) use run_loop::{Beginning, Driver, Entry};
pub(crate) use runtime::Runtime;
