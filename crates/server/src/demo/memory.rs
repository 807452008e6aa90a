//! `memory`: notes that outlive their thread, kept apart by the user of the run.

use graphloom_core_graph::store::{Namespace, PutOptions, Query, Store, StoreError};
use graphloom_core_graph::{CompileErrors, Compiled, Context, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::required;

/// A note to keep, and all that are kept.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Memory {
    pub(crate) note: Option<String>,
    pub(crate) recalled: Option<Vec<String>>,
    pub(crate) who: Option<String>,
}

/// What a run is told beside its input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MemoryContext {
    /// Whose notes they are; `anonymous` unless stated.
    pub(crate) user_id: Option<String>,
}

const REMEMBER: Node = Node::named("remember");

/// How many notes are read at a time.
const PAGE: usize = 500;

async fn remember(memory: Snapshot<Memory>, context: Context<MemoryContext>) -> Result<MemoryUpdate, NodeError> {
    let Some(store) = context.store() else {
        return Err(NodeError::terminal("the threads have no long-term store; give the server one"));
    };
    let note = required(memory.note.as_ref(), "note")?;
    let user = context.resources().user_id.as_deref().filter(|user| !user.is_empty()).unwrap_or("anonymous");
    let namespace = Namespace::new(["memories", user]).map_err(NodeError::terminal)?;
    store.put(&namespace, note, json!({ "note": note }), PutOptions::default()).await?;
    Ok(Memory::update().recalled(notes(&**store, &namespace).await?).who(user.to_owned()))
}

/// All notes of a namespace. Items come sorted by key, and the key is the note.
async fn notes(store: &dyn Store, namespace: &Namespace) -> Result<Vec<String>, StoreError> {
    let mut notes = Vec::new();
    for page in 0.. {
        let items = store.query(&Query::below(namespace.clone()).limit(PAGE).offset(page * PAGE)).await?;
        let is_last = items.len() < PAGE;
        notes.extend(items.into_iter().filter(|item| item.namespace == *namespace).map(|item| item.key));
        if is_last {
            break;
        }
    }
    Ok(notes)
}

pub(crate) fn graph() -> Result<Compiled<Memory, MemoryContext>, CompileErrors> {
    let mut graph = StateGraph::new("memory");
    graph.add_node(REMEMBER, remember);
    graph.add_edge(START, REMEMBER);
    graph.compile()
}
