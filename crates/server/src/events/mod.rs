//! The event streaming protocol: commands on a thread, and its events over server-sent events or a WebSocket.
//!
//! Every stream is a view of the thread's log: it begins with what is stored, and goes on with what comes. The number of an event
//! (`seq`) and its id (`event_id`) are made of the thread, the number of the log's entry and the place of the event within it, so
//! they are the same over connections, processes and whatever else is asked for.
//!
//! | rule | where |
//! | --- | --- |
//! | what a client asks to be told | `channel.rs` |
//! | one event and its number | `event.rs` |
//! | from entries of the log to events | `projection/` |
//! | checkpoints as the protocol names them | `checkpoints.rs` |
//! | the log is read as events | `reader.rs` |
//! | when the end of a run may be told | `settled.rs` |
//! | server-sent events | `stream.rs` |
//! | commands and events over a WebSocket | `socket/` |
//! | what a command does | `command/` |

mod channel;
mod checkpoints;
mod command;
mod event;
mod projection;
mod reader;
mod settled;
mod socket;
mod stream;
#[cfg(test)]
mod tests;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::host::Host;
use crate::http::{Caller, Json, Path, Problem, Routes, Scope, ThreadUuid, uuid_of};
use channel::{Subscription, SubscriptionRequest};
use command::{Command, Sender, answer};

pub(crate) use socket::upgrade;

/// All routes of the protocol. A WebSocket on `/threads/{thread_id}/stream` is [`upgrade`]'s as well; without an upgrade that
/// route is one of the LangGraph wire.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("Event streaming")
        .post("/threads/{thread_id}/commands", "Does a command on a thread", commands)
        // Which scope a command needs depends on the command.
        .needs(Scope::Read)
        .post("/threads/{thread_id}/stream/events", "Streams the events of a thread", events)
        .needs(Scope::Read)
        .streams()
        .post("/threads/{thread_id}/stream", "Streams the events of a thread", events)
        .needs(Scope::Read)
        .streams()
        .get("/threads/{thread_id}/stream/events", "Opens a WebSocket for commands and events of a thread", socket)
        .answers_status(StatusCode::SWITCHING_PROTOCOLS)
}

async fn commands(
    State(host): State<Host>,
    Path(ThreadUuid(thread)): Path<ThreadUuid>,
    caller: Caller,
    Json(body): Json<Value>,
) -> Response {
    match Command::read(body) {
        Ok(command) => {
            let sender = Sender { caller, checks_namespaces: false };
            Json(answer(command.id, command.run(&host, thread, &sender).await)).into_response()
        }
        Err(malformed) => Problem::bad_request(malformed.to_string()).response_with(&malformed.answer()),
    }
}

async fn events(
    State(host): State<Host>,
    Path(ThreadUuid(thread)): Path<ThreadUuid>,
    headers: HeaderMap,
    Json(mut request): Json<SubscriptionRequest>,
) -> Result<Response, Problem> {
    request.since = request.since.or_else(|| stream::last_event_id(&headers));
    let subscription =
        Subscription::try_from(request).map_err(|error| Problem::bad_request(error.to_string()).about("channels"))?;
    stream::stream(&host, thread, subscription).await
}

async fn socket(
    State(host): State<Host>,
    Path(thread): Path<String>,
    caller: Caller,
    request: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    match request {
        Ok(request) => upgrade(host, uuid_of("thread", &thread), caller, request),
        Err(_) => {
            let detail = "This is a WebSocket: ask for an upgrade, or POST for server-sent events";
            Problem::new(StatusCode::UPGRADE_REQUIRED, detail).into_response()
        }
    }
}
