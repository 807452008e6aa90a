//! Events as server-sent events.

use axum::http::HeaderMap;
use axum::response::Response;
use futures::Stream;
use futures::stream::unfold;
use serde_json::{Value, json};
use tokio::time::sleep_until;
use uuid::Uuid;

use super::channel::Subscription;
use super::reader::EventReader;
use super::settled::settled;
use crate::host::Host;
use crate::http::{Frame, Problem, events};
use crate::log::TailError;

/// The number after which a client that comes back goes on: browsers send the id of the last event.
pub(super) fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.trim().parse().ok()
}

/// The answer that sends the events of a thread: those that are stored, then those that come.
///
/// # Errors
/// As many streams as the server holds; the store's.
pub(super) async fn stream(host: &Host, thread: Uuid, subscription: Subscription) -> Result<Response, Problem> {
    let permit = host.guard.capacity().stream()?;
    let log = host.manager.logs().open(thread).await.map_err(crate::refusal::Refusal::from)?;
    let mut reader = EventReader::after(&host.manager, &log, subscription.since).await.map_err(|error| {
        tracing::error!(%thread, %error, "the events of a thread cannot be read");
        Problem::internal()
    })?;
    if !subscription.wants_states() {
        reader = reader.without_states();
    }
    Ok(events(&host.guard, permit, frames(reader, subscription)))
}

fn frames(reader: EventReader, subscription: Subscription) -> impl Stream<Item = Frame> + Send {
    let settled = settled();
    unfold(Some(reader), move |reader| {
        let subscription = subscription.clone();
        async move {
            let mut reader = reader?;
            match reader.next(&|event| subscription.wants(event)).await {
                Ok(Some(event)) => {
                    if event.ends_run {
                        sleep_until(settled).await;
                    }
                    let frame = Frame::encoded(event.method, &event.json, Some(&event.seq.to_string()));
                    // A long history is read without waiting: others have their turn between its events.
                    tokio::task::coop::consume_budget().await;
                    Some((frame, Some(reader)))
                }
                Ok(None) => None,
                Err(error) => Some((Frame::encoded("error", &failure(&error).to_string(), None), None)),
            }
        }
    })
}

/// What a client is told when its stream cannot go on.
pub(super) fn failure(error: &TailError) -> Value {
    let message = match error {
        TailError::Gone { .. } => error.to_string(),
        TailError::Unstored(_) | TailError::Store(_) => {
            tracing::error!(%error, "the events of a thread cannot be read");
            "the events of the thread cannot be read; try again later".to_owned()
        }
    };
    json!({ "type": "error", "id": null, "error": "unknown_error", "message": message })
}
