//! The LangGraph Agent Server wire: REST over the run manager and the records.
//!
//! | what clients ask for | where |
//! | --- | --- |
//! | whether the server runs, and what it can do | `meta.rs` |
//! | configured graphs | `assistants.rs`; their drawings in `drawing.rs`, their schemas in `schemas.rs` |
//! | threads | `threads.rs`; made with a past in `supersteps.rs`, copied in `copies.rs`, made smaller in `pruning.rs`, measured in `storage.rs` |
//! | the state of a thread, and edits of it | `state.rs` |
//! | what the state was before | `history.rs` |
//! | what nodes keep beyond threads | `store.rs` |
//! | runs that start by the calendar | `crons.rs`; they are started in `scheduler.rs` |
//! | the forms of the wire that several of these send | `wire/` |
//! | runs, and what is done with them | `runs/` |
//! | streams of runs and threads | `stream/` |
//! | the names of the Agent Protocol for some of these | `agent_protocol.rs` |

mod agent_protocol;
mod assistants;
mod copies;
mod crons;
mod drawing;
mod history;
mod meta;
mod pages;
mod pruning;
mod runs;
mod scheduler;
mod schemas;
mod state;
mod storage;
mod store;
mod stream;
mod supersteps;
mod sweeper;
#[cfg(test)]
mod tests;
mod threads;
pub(crate) mod wire;

pub(crate) use state::{CheckpointName, values_at};
use tokio::task::JoinSet;

use crate::host::Host;
use crate::http::Routes;

/// All routes of the wire.
pub(crate) fn routes() -> Routes<Host> {
    meta::routes()
        .and(assistants::routes())
        .and(threads::routes())
        .and(state::routes())
        .and(history::routes())
        .and(store::routes())
        .and(crons::routes())
        .and(runs::routes())
        .and(agent_protocol::routes())
}

/// Starts what the wire does without being asked: crons that are due, and threads whose time has come.
pub(crate) fn spawn_background(host: &Host, tasks: &mut JoinSet<()>) {
    tasks.spawn(scheduler::run(host.clone()));
    tasks.spawn(sweeper::run(host.clone()));
}
