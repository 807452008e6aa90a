//! Runs: made, waited for, streamed, listed, cancelled and deleted.
//!
//! | rule | where |
//! | --- | --- |
//! | what a client wants of a new run, and what is refused | `body.rs` |
//! | a run is made, and answered at once, at its end, or bit by bit | `create.rs` |
//! | what a run has come to, as `wait` and `join` answer it | `outcome.rs` |
//! | runs that are there: read, joined, streamed, deleted | `read.rs` |
//! | runs are stopped | `cancel.rs` |
//!
//! A run without a thread has one of its own, which has the id of the run; so the routes under `/runs/{run_id}` find it.

mod body;
mod cancel;
mod create;
mod outcome;
mod read;

use axum::http::StatusCode;
use serde_json::Value;

pub(super) use body::{ParsedRun, RunBody};
pub(super) use create::submit;
pub(super) use outcome::of_ended as outcome_of;

use crate::host::Host;
use crate::http::Routes;

/// The routes of runs.
pub(super) fn routes() -> Routes<Host> {
    Routes::new("Runs")
        .post("/threads/{thread_id}/runs", "Starts a run of a thread", create::on_thread)
        .answers::<Value>()
        .post("/threads/{thread_id}/runs/stream", "Starts a run of a thread, and streams it", create::stream_on_thread)
        .streams()
        .post("/threads/{thread_id}/runs/wait", "Starts a run of a thread, and waits for it", create::wait_on_thread)
        .answers::<Value>()
        .post("/runs", "Starts a run without a thread", create::stateless)
        .answers::<Value>()
        .post("/runs/stream", "Starts a run without a thread, and streams it", create::stream_stateless)
        .streams()
        .post("/runs/wait", "Starts a run without a thread, and waits for it", create::wait_stateless)
        .answers::<Value>()
        .post("/runs/batch", "Starts runs without threads", create::batch)
        .answers::<Value>()
        .post("/runs/cancel", "Cancels runs by their ids or by their status", cancel::several)
        .answers_status(StatusCode::NO_CONTENT)
        .get("/threads/{thread_id}/runs", "The runs of a thread, newest first", read::list)
        .answers::<Value>()
        .get("/threads/{thread_id}/runs/{run_id}", "A run", read::show)
        .answers::<Value>()
        .delete("/threads/{thread_id}/runs/{run_id}", "Deletes a run", read::delete)
        .answers_status(StatusCode::NO_CONTENT)
        .get("/threads/{thread_id}/runs/{run_id}/join", "Waits for a run", read::join)
        .answers::<Value>()
        .get("/threads/{thread_id}/runs/{run_id}/stream", "Streams a run", read::stream)
        .streams()
        .post("/threads/{thread_id}/runs/{run_id}/cancel", "Cancels a run", cancel::one)
        .answers_status(StatusCode::ACCEPTED)
        .get("/runs/{run_id}/join", "Waits for a run without a thread", read::join_stateless)
        .answers::<Value>()
        .get("/runs/{run_id}/stream", "Streams a run without a thread", read::stream_stateless)
        .streams()
        .post("/runs/{run_id}/cancel", "Cancels a run without a thread", cancel::one_stateless)
        .answers_status(StatusCode::ACCEPTED)
        .get("/threads/{thread_id}/stream", "Streams a thread over its runs", read::stream_thread)
        .streams()
}
