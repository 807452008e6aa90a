//! Attempts of tasks, why they are tried again, calls of models, warnings and lost events.
//!
//! They come after all other events of their entry: the numbers of those are what they were before there was this channel.

use serde_json::{Value, json};
use uuid::Uuid;

use super::super::channel::Channel;
use super::super::event::Events;
use super::tasks::id;
use crate::usage::ModelCall;

/// An attempt of a task began; the first one is told as well.
pub(super) fn attempt(thread: Uuid, task: &str, node: &str, attempt: u32, events: &mut Events<'_>) {
    events.add_of_task(
        Channel::Trace,
        task,
        node,
        || json!({ "kind": "attempt", "id": id(thread, task), "name": node, "attempt": attempt }),
    );
}

/// An attempt failed, and the next one begins after a while.
pub(super) fn retry(thread: Uuid, task: &str, node: &str, error: &str, delay_ms: u64, events: &mut Events<'_>) {
    events.add_of_task(
        Channel::Trace,
        task,
        node,
        || json!({ "kind": "retry", "id": id(thread, task), "name": node, "error": error, "delay_ms": delay_ms }),
    );
}

/// A node called a model.
pub(super) fn model_call(thread: Uuid, task: &str, node: &str, call: &ModelCall, events: &mut Events<'_>) {
    events.add_of_task(Channel::Trace, task, node, || {
        let mut told = json!({ "kind": "model_call", "id": id(thread, task), "name": node });
        if let Value::Object(fields) = &mut told {
            fields.extend(call.wire());
        }
        told
    });
}

pub(super) fn warning(message: &str, events: &mut Events<'_>) {
    events.add(Channel::Trace, || json!({ "kind": "warning", "message": message }));
}

/// So many events were lost before they were logged.
pub(super) fn lost(count: u64, events: &mut Events<'_>) {
    events.add(Channel::Trace, || json!({ "kind": "lost", "events": count }));
}
