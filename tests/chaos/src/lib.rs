//! Workers, processes that drive runs, and the servers between them, which die, stand still and are cut off at random while many threads
//! are brought to their ends.
//!
//! - **One run, several kinds of servers.** A test implements [`Servers`] for what its workers and drivers work with each other over,
//!   has two tests that are programs, a worker and a driver, and calls [`run`].
//! - **Networks that are cut.** Where the test may make them, each process has a network namespace of its own, whose link is taken
//!   down: packets vanish, and nobody hears of it. Elsewhere proxies of the test hold back what is sent; see [`Network`].
//! - **What must hold.** Every thread ends as it should, no checkpoint that was acknowledged is missing later, no durable step has two
//!   results, no run is stuck, and no task is left.
//!
//! `CHAOS_SECONDS`, `CHAOS_THREADS` and `GRAPHLOOM_SEED` say how long, how many threads at a time, and from which seed;
//! `CHAOS_NETWORK=proxies` has proxies cut networks though the test could make namespaces.
//!
//! | what | file |
//! | --- | --- |
//! | the graph that is run | `book.rs` |
//! | what processes write down | `notes.rs` |
//! | a process with its place on the network, and what befalls it | `process.rs` |
//! | what a process was told, and how it brings threads to their ends | `driver.rs` |
//! | faults drawn until the time is over and all threads have ended | `run.rs` |
//! | what must hold of all that was written down | `check.rs` |
//! | places on a network that can be cut | `network/` |

#![forbid(unsafe_code)]

mod book;
mod check;
mod driver;
mod network;
mod notes;
mod process;
mod run;

pub use book::{Book, graph};
pub use driver::ProgramSettings;
pub use network::{Listening, Network, Place};
pub use notes::Notes;
pub use process::Program;
pub use run::{Report, Servers, Settings, run};
