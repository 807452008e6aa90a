//! The tasks of a state.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::graph::{namespace, task_id};
use crate::langgraph::wire::task_log::{LoggedTask, TaskLog, is_within};
use crate::log::Interrupt;
use crate::runs::difference;

/// One task of a state, as it is told to clients.
pub(super) struct Task {
    pub(super) id: Uuid,
    pub(super) name: String,
    pub(super) path: Value,
    pub(super) error: Option<String>,
    pub(super) interrupts: Vec<Value>,
    pub(super) checkpoint: Option<Value>,
    pub(super) state: Option<Value>,
    pub(super) result: Option<Value>,
}

impl Task {
    /// A task of a path in the runtime, without what it has come to.
    pub(super) fn new(thread: &str, path: &str, node: &str, place: Option<usize>) -> Self {
        Self {
            id: task_id(thread, path),
            name: node.to_owned(),
            path: match place {
                Some(place) => json!(["__pregel_push", place, false]),
                None => json!(["__pregel_pull", node]),
            },
            error: None,
            interrupts: Vec::new(),
            checkpoint: None,
            state: None,
            result: None,
        }
    }

    /// Adds what was told of the task: its result, or why it failed.
    pub(super) fn told(mut self, told: Option<&LoggedTask>) -> Self {
        if let Some(told) = told {
            self.result.clone_from(&told.result);
            self.error = told.error.as_deref().map(failure);
        }
        self
    }

    /// Says where the state of the graph inside is, whose namespace in the runtime is given.
    pub(super) fn at_subgraph(mut self, thread: Uuid, ns: &str) -> Self {
        let ns = namespace(&thread.to_string(), ns);
        self.checkpoint = Some(json!({ "thread_id": thread, "checkpoint_ns": ns }));
        self
    }

    pub(super) fn wire(self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "path": self.path,
            "error": self.error,
            "interrupts": self.interrupts,
            "checkpoint": self.checkpoint,
            "state": self.state,
            "result": self.result,
        })
    }
}

/// A failure as text that is JSON: clients read it either way.
fn failure(message: &str) -> String {
    json!({ "error": "NodeError", "message": message }).to_string()
}

/// The questions of a task as clients see them: those that are open; where the task waits for nothing, those that it asked.
pub(super) fn asked(open: &[Interrupt], told: &TaskLog, task: &str, waits: bool) -> Vec<Value> {
    let wire = |interrupt: &Interrupt| json!({ "id": interrupt.id, "value": interrupt.value });
    let open: Vec<Value> = open.iter().filter(|one| is_within(&one.task, task)).map(wire).collect();
    if open.is_empty() && !waits { told.interrupts(task).into_iter().map(wire).collect() } else { open }
}

/// Numbers the tasks that sends made, in their order.
#[derive(Default)]
pub(super) struct Places(usize);

impl Places {
    pub(super) fn next(&mut self, is_sent: bool) -> Option<usize> {
        is_sent.then(|| {
            self.0 += 1;
            self.0 - 1
        })
    }
}

/// What a task wrote, as far as the states before and after it tell: it was the only one of its super-step. Of a field with a
/// reducer, what was added to its list; of any other its new value.
pub(super) fn written(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    changed: impl Fn(&str) -> bool,
) -> Value {
    let mut result = Map::new();
    for (field, value) in after.iter().filter(|(field, _)| changed(field)) {
        result.insert(field.clone(), difference(before.get(field), value));
    }
    result.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_only_task_wrote_is_the_difference_of_states() {
        let fields = |value: Value| value.as_object().unwrap().clone();
        let before = fields(json!({"topic": "a", "items": ["x"], "gone": [1, 2]}));
        let after = fields(json!({"topic": "a", "items": ["x", "y"], "gone": [2], "count": 3}));
        let result = written(&before, &after, |field| field != "topic");
        assert_eq!(result, json!({"items": ["y"], "gone": [2], "count": 3}));
    }

    #[test]
    fn a_failure_is_json_in_a_text() {
        assert_eq!(failure("it \"broke\""), r#"{"error":"NodeError","message":"it \"broke\""}"#);
    }
}
