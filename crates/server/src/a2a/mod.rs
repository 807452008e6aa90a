//! A2A 1.0: an assistant as an agent of other agents, JSON-RPC at `POST /a2a/{assistant}`, with the names of 0.3 as aliases.
//!
//! A context is a thread. A task is a run, and with the runs that answer its questions: its id is `thread:run`, of the first.
//!
//! | what | where |
//! | --- | --- |
//! | what an agent is and how it is reached | `card.rs` |
//! | methods, and the form of errors | `rpc.rs` |
//! | what a message asks for | `message.rs` |
//! | tasks in the form of 1.0 | `task.rs` |
//! | a task as it goes on | `stream.rs` |
//! | the forms of 0.3 | `older.rs` |

mod card;
mod message;
mod older;
mod rpc;
mod stream;
mod task;

use crate::host::Host;
use crate::http::Routes;

/// All routes of the protocol.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("A2A")
        .get("/.well-known/agent-card.json", "The card of an agent", card::of_query)
        .get("/a2a/{assistant}/.well-known/agent-card.json", "The card of an agent", card::of_path)
        .post("/a2a/{assistant}", "A call of an agent", rpc::call)
        .problems_as(rpc::render)
}
