//! The span of a run, with the names of OpenTelemetry's conventions for workflows of models.
//!
//! It begins when the run does, not when it is accepted; what came before is a number in it. It belongs to the trace of the
//! request that asked for the run, also when the run waited, and when another process takes it up.

use tracing::Span;
use tracing::field::Empty;

use crate::records::{RunRecord, RunStatus};
use crate::runs::{Ending, now};
use crate::trace;

/// Opens the span of an execution of a run.
pub(super) fn of_run(record: &RunRecord, attempt: u32) -> Span {
    let waited = now().saturating_sub(record.start_at.unwrap_or(record.created));
    let span = tracing::info_span!(
        parent: None,
        "run",
        otel.name = %format_args!("invoke_workflow {}", record.graph),
        otel.status_code = Empty,
        gen_ai.operation.name = "invoke_workflow",
        gen_ai.agent.name = record.graph.as_str(),
        gen_ai.conversation.id = %record.thread_id,
        graphloom.thread.id = %record.thread_id,
        graphloom.run.id = %record.run_id,
        graphloom.run.attempt = i64::from(attempt),
        graphloom.run.waited_ms = i64::try_from(waited).unwrap_or(i64::MAX),
        graphloom.run.status = Empty,
        graphloom.assistant.id = %record.assistant_id,
        error.type = Empty,
    );
    if let Some(parent) = &record.traceparent {
        trace::set_parent(&span, parent);
    }
    span
}

/// Notes how the run of the current span ended.
pub(super) fn note_end(ending: &Ending) {
    let span = Span::current();
    span.record("graphloom.run.status", ending.status.as_str());
    if matches!(ending.status, RunStatus::Error | RunStatus::Timeout) {
        span.record("otel.status_code", "ERROR");
        // The kind of the failure. Its message may tell what the client sent.
        span.record("error.type", ending.failure.as_ref().map_or("_OTHER", |failure| failure.error.as_str()));
    }
}

/// Notes that the run of the current span is left for the next process.
pub(super) fn note_left() {
    Span::current().record("graphloom.run.status", "left");
}
