//! Tasks that begin and end, and what they ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::super::channel::Channel;
use super::super::event::Events;
use crate::graph::task_id;
use crate::log::{Entry, Interrupt, LogEvent};

/// What tasks are given that begin now: the entry with the state of each namespace.
#[derive(Default)]
pub(super) struct Tasks {
    states: BTreeMap<Arc<str>, Arc<Entry>>,
}

impl Tasks {
    /// Takes up the state that an entry tells.
    pub(super) fn stand(&mut self, entry: &Arc<Entry>) {
        self.states.insert(Arc::clone(&entry.ns), Arc::clone(entry));
    }

    /// Whether the state is one that a commit made.
    fn is_committed(&self, ns: &str) -> bool {
        self.states.get(ns).is_some_and(|entry| matches!(entry.event, LogEvent::Commit(_)))
    }

    fn state(&self, ns: &str) -> Option<Value> {
        match &self.states.get(ns)?.event {
            LogEvent::Commit(commit) => Some(commit.values.clone().into()),
            LogEvent::RunStarted { values, .. } => values.clone().map(Value::Object),
            _ => None,
        }
    }

    pub(super) fn started(
        &self,
        thread: Uuid,
        task: &str,
        node: &str,
        packet: Option<&Value>,
        ns: &str,
        events: &mut Events<'_>,
    ) {
        let with_state = events.wants_state(Channel::Tasks);
        events.add_of_task(Channel::Tasks, task, node, || {
            let trigger = if packet.is_some() { "__pregel_push".to_owned() } else { format!("branch:to:{node}") };
            let mut begun = json!({ "id": id(thread, task), "name": node, "triggers": [trigger] });
            if with_state || packet.is_some() || !self.is_committed(ns) {
                begun["input"] = packet.cloned().or_else(|| self.state(ns)).into();
            }
            begun
        });
    }
}

/// The id of a task on the wire.
pub(super) fn id(thread: Uuid, task: &str) -> Uuid {
    task_id(&thread.to_string(), task)
}

pub(super) fn wrote(thread: Uuid, task: &str, node: &str, values: &Value, events: &mut Events<'_>) {
    events.add_of_task(Channel::Tasks, task, node, || {
        let result = if values.is_null() { json!({}) } else { values.clone() };
        json!({ "id": id(thread, task), "name": node, "error": null, "result": result, "interrupts": [] })
    });
}

pub(super) fn failed(thread: Uuid, task: &str, node: &str, error: &str, events: &mut Events<'_>) {
    events.add_of_task(
        Channel::Tasks,
        task,
        node,
        || json!({ "id": id(thread, task), "name": node, "error": error, "result": {}, "interrupts": [] }),
    );
}

/// A task ends with a question: it begins anew when it is answered.
pub(super) fn asked(thread: Uuid, task: &str, node: &str, interrupt: &Interrupt, events: &mut Events<'_>) {
    events.add_of_task(Channel::Tasks, task, node, || {
        let mut asked = json!({ "id": interrupt.id, "value": interrupt.value });
        if let Some(schema) = &interrupt.response_schema {
            asked["response_schema"] = schema.clone();
        }
        let interrupts = [asked];
        json!({ "id": id(thread, task), "name": node, "error": null, "result": {}, "interrupts": interrupts })
    });
    requested(interrupt, events);
}

/// The schema of the protocol says `payload`, and the Python client reads `value`.
pub(super) fn requested(interrupt: &Interrupt, events: &mut Events<'_>) {
    events.add(
        Channel::Input,
        || json!({ "interrupt_id": interrupt.id, "payload": interrupt.value, "value": interrupt.value }),
    );
}
