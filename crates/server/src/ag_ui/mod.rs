//! AG-UI 1.0: a graph as the agent of a user interface, `POST /ag-ui/{graph}`.
//!
//! | what | where |
//! | --- | --- |
//! | what a client sends, and what the graph is asked to do | `input.rs` |
//! | from the log to events | `events.rs` |
//! | steps, messages, calls and thoughts are opened once and closed | `open_parts.rs` |
//! | messages in the form of the protocol | `messages.rs` |
//! | a run with its answer | `mod.rs` |

mod events;
mod input;
mod messages;
mod open_parts;

use axum::extract::State;
use axum::response::Response;
use futures::stream;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::cancel_on_drop::CancelOnDrop;
use crate::host::{Host, RunOptions};
use crate::http::{Frame, Json, Path, Problem, Routes, events as sse};
use crate::log::RunTail;

use events::Teller;
use input::{Asked, RunAgentInput, asked};

/// All routes of the protocol.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("AG-UI").post("/ag-ui/{graph}", "A run of a graph as the agent of a user interface", run).streams()
}

/// The thread of a client's own id: the same for the same text.
fn thread_of(id: &str) -> Uuid {
    let of_text = || Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("graphloom:ag-ui:thread:{id}").as_bytes());
    Uuid::try_parse(id).unwrap_or_else(|_| of_text())
}

async fn run(
    State(host): State<Host>,
    Path(name): Path<String>,
    Json(input): Json<RunAgentInput>,
) -> Result<Response, Problem> {
    let assistant = host.assistant(&name).await.map_err(|refusal| Problem::not_found(refusal.to_string()))?;
    let graph = host
        .manager
        .graph(&assistant.graph_id)
        .ok_or_else(|| Problem::not_found(format!("Graph '{}' is not served here", assistant.graph_id)))?;
    let thread = thread_of(&input.thread_id);
    host.ensure_thread(thread).await?;
    let view = graph.view(&thread.to_string(), None).await.map_err(crate::refusal::Refusal::from)?;
    let permit = host.guard.capacity().stream()?;
    let mut teller = Teller::new(&input, &view.values);
    let order = match asked(&thread.to_string(), graph.outline(), &view, &input) {
        Asked::Order(order) => order,
        // The protocol tells a refusal as the events of a run that failed.
        Asked::Refused { code, message } => {
            let told = teller.refused(code, &message);
            return Ok(sse(&host.guard, permit, stream::iter(told.into_iter().map(|event| frame(&event)))));
        }
    };
    let submitted = host.submit(Some(thread), &assistant, *order, RunOptions::default()).await?;
    let run = submitted.record.run_id;
    let on_drop = CancelOnDrop::new(&host, thread, run);
    let tail = RunTail::new(&submitted.log, run, submitted.before);
    let waiting = std::collections::VecDeque::from(teller.started());
    let told = stream::unfold(
        (teller, tail, on_drop, waiting),
        |(mut teller, mut tail, mut on_drop, mut waiting)| async move {
            while waiting.is_empty() {
                match tail.next().await {
                    Ok(Some(entry)) => waiting.extend(teller.tell(&entry)),
                    Ok(None) if teller.is_over() => {
                        on_drop.disarm();
                        return None;
                    }
                    Ok(None) => waiting.extend(teller.failed("cancelled", "the run was deleted")),
                    Err(error) => waiting.extend(teller.failed("store_error", &error.to_string())),
                }
            }
            let event = waiting.pop_front()?;
            if teller.is_over() && waiting.is_empty() {
                on_drop.disarm();
            }
            Some((frame(&event), (teller, tail, on_drop, waiting)))
        },
    );
    Ok(sse(&host.guard, permit, told))
}

fn frame(event: &Value) -> Frame {
    // The protocol's own client parts events at two line feeds.
    Frame::data(&event.to_string())
}

/// An event of a type, at a time in milliseconds since 1970.
fn event(kind: &str, time: u64, fields: Value) -> Value {
    let mut event = json!({"type": kind, "timestamp": time});
    if let (Value::Object(event), Value::Object(fields)) = (&mut event, fields) {
        event.extend(fields);
    }
    event
}
