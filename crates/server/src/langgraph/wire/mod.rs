//! Forms of the wire that several routes send.
//!
//! | form | where |
//! | --- | --- |
//! | a state | `state_at.rs` |
//! | the tasks of a state | `tasks.rs` |
//! | the states of a thread | `thread_state.rs` |
//! | the states of a graph inside | `nested.rs` |
//! | what runs told of tasks and of graphs inside | `task_log.rs` |
//! | steps and parents of checkpoints | `lineage.rs` |
//! | parts of a state that a client asks for | `select.rs` |

mod lineage;
mod nested;
mod select;
mod state_at;
mod task_log;
mod tasks;
mod thread_state;

pub(crate) use lineage::Lineage;
pub(crate) use select::Select;
use serde_json::{Map, Value, json};
pub(crate) use thread_state::{ThreadStates, Wanted};
use uuid::Uuid;

/// A checkpoint as clients name it; `map` names those of the graphs around it, by namespace.
pub(crate) fn checkpoint(thread: Uuid, ns: &str, id: Uuid, map: Option<&Map<String, Value>>) -> Value {
    let mut checkpoint = json!({ "checkpoint_id": id, "thread_id": thread, "checkpoint_ns": ns });
    if let Some(map) = map {
        let mut map = map.clone();
        map.insert(ns.to_owned(), id.to_string().into());
        checkpoint["checkpoint_map"] = map.into();
    }
    checkpoint
}

/// The state of a thread that has none.
pub(crate) fn empty_state() -> Value {
    json!({
        "values": {}, "next": [], "tasks": [], "metadata": null, "created_at": null, "checkpoint": null,
        "parent_checkpoint": null, "interrupts": [], "checkpoint_id": null, "parent_checkpoint_id": null,
    })
}
