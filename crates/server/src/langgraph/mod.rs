//! The LangGraph Agent Server wire: REST over the run manager and the records.
//!
//! | what clients ask for | where |
//! | --- | --- |
//! | whether the server runs, and what it can do | `meta.rs` |
//! | runs, and what is done with them | `runs/` |
//! | streams of runs and threads | `stream/` |

mod meta;
mod runs;
mod stream;

use crate::host::Host;
use crate::http::Routes;

/// All routes of the wire.
pub(crate) fn routes() -> Routes<Host> {
    meta::routes().and(runs::routes())
}

/// Starts what the wire does without being asked.
pub(crate) fn spawn_background(_host: &Host, _tasks: &mut tokio::task::JoinSet<()>) {}
