//! What is posted of a run that has ended.

use serde_json::{Value, json};

use crate::records::{RunRecord, timestamp};
use crate::runs::live::Ending;

/// The run as clients see it, and how it ended.
pub(super) fn webhook_body(run: &RunRecord, ending: &Ending, now: u64) -> Value {
    let mut body = run.wire();
    body["status"] = json!(ending.status);
    body["updated_at"] = json!(timestamp(now));
    body["run_started_at"] = json!(timestamp(run.start_at.unwrap_or(run.created)));
    body["run_ended_at"] = json!(timestamp(now));
    body["webhook_sent_at"] = Value::Null;
    body["values"] = json!(ending.values);
    if !ending.interrupts.is_empty() {
        let interrupts = ending.interrupts.iter().map(|one| json!({"value": one.value, "id": one.id}));
        body["interrupts"] = interrupts.collect();
    }
    if let Some(failure) = &ending.failure {
        body["error"] = json!(failure);
    }
    body
}
