//! The engine Restate, which brings tasks to workers and runs to servers.
//!
//! | what | file |
//! | --- | --- |
//! | the options that both `graphloom serve` and `graphloom worker` have | `args.rs` |
//! | threads of a server as objects of the engine | `threads.rs` |

mod args;
mod threads;

pub(crate) use args::{EngineArgs, usage};
pub(crate) use threads::ObjectThreads;
