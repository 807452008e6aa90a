//! What a run has come to, as `wait` and `join` answer it.

use serde_json::{Value, json};

use super::super::stream::{CancelOnDrop, interrupt};
use crate::graph::Fields;
use crate::host::Host;
use crate::http::Problem;
use crate::log::Interrupt;
use crate::records::{RunFailure, RunRecord};
use crate::refusal::Refusal;
use crate::runs::{LiveRun, interrupts};

/// The final values; with `__interrupt__` where the run stopped with questions; `__error__` alone where it failed.
fn outcome(values: Option<Fields>, open: &[Interrupt], failure: Option<&RunFailure>) -> Value {
    if let Some(failure) = failure {
        return json!({"__error__": failure});
    }
    let mut values = values.unwrap_or_default();
    if !open.is_empty() {
        values.insert("__interrupt__".to_owned(), open.iter().map(interrupt).collect());
    }
    values.into()
}

/// What a run comes to that is under way or waits, when it has ended.
pub(super) async fn of_live(live: &LiveRun, on_drop: Option<CancelOnDrop>) -> Value {
    let ending = live.ended().await;
    if let Some(mut on_drop) = on_drop {
        on_drop.disarm();
    }
    match ending {
        Some(ending) => outcome(ending.values.clone(), &ending.interrupts, ending.failure.as_ref()),
        None => json!({"__error__": {
            "error": "ServerStopped",
            "message": "the server stopped before the run had ended; it goes on when the server starts again: join it then",
        }}),
    }
}

/// What a run came to that has ended: the state at the last checkpoint that it made.
pub(in super::super) async fn of_ended(host: &Host, record: &RunRecord) -> Result<Value, Problem> {
    if record.error.is_some() {
        return Ok(outcome(None, &[], record.error.as_ref()));
    }
    let Some(graph) = host.manager.graph(&record.graph) else {
        return Err(Problem::conflict(format!("graph `{}` is not served here", record.graph)));
    };
    let thread = record.thread_id.to_string();
    let last = record.checkpoints.map(|(_, last)| last);
    let failed = |error: graphloom_core_graph::RunError| Problem::from(Refusal::Failed(error.to_string()));
    let now = graph.view(&thread, None).await.map_err(failed)?;
    let head = now.checkpoint.as_ref().map(|row| row.number);
    if last.is_none() || last == head {
        let open = interrupts(&thread, &now);
        return Ok(outcome(Some(now.values), &open, None));
    }
    let then = graph.view(&thread, last).await.map_err(failed)?;
    Ok(outcome(Some(then.values), &[], None))
}
