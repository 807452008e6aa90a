//! `memory`.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Query, Store};
use serde_json::{Value, json};

use super::play;
use crate::demo::memory::{self, Memory, MemoryContext};

async fn remember(store: &Arc<dyn Store>, user: Option<&str>, note: &str) -> Value {
    let context = MemoryContext { user_id: user.map(str::to_owned) };
    let app = memory::graph().unwrap().with_context(context);
    let threads = app.with_checkpointer(MemoryCheckpointer::new()).with_store(Arc::clone(store));
    play(threads.thread("t").run(Memory::update().note(note.to_owned()))).await.values()
}

#[tokio::test]
async fn notes_are_recalled_sorted_and_kept_apart_by_user() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let first = remember(&store, Some("ada"), "tea").await;
    assert_eq!(first, json!({ "note": "tea", "recalled": ["tea"], "who": "ada" }));
    let second = remember(&store, Some("ada"), "apples").await;
    assert_eq!(second, json!({ "note": "apples", "recalled": ["apples", "tea"], "who": "ada" }));
    let again = remember(&store, Some("ada"), "tea").await;
    assert_eq!(again["recalled"], json!(["apples", "tea"]), "the note is the key");

    for nobody in [None, Some("")] {
        let anonymous = remember(&store, nobody, "milk").await;
        assert_eq!(anonymous, json!({ "note": "milk", "recalled": ["milk"], "who": "anonymous" }));
    }
    let namespace = Namespace::new(["memories", "ada"]).unwrap();
    assert_eq!(store.get(&namespace, "tea").await.unwrap().unwrap().value, json!({ "note": "tea" }));
}

#[tokio::test]
async fn more_notes_than_a_query_answers_at_once_are_recalled() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let namespace = Namespace::new(["memories", "ada"]).unwrap();
    for number in 0..1203 {
        let note = format!("{number:04}");
        store.put(&namespace, &note, json!({ "note": note }), PutOptions::default()).await.unwrap();
    }
    assert_eq!(store.query(&Query::below(namespace)).await.unwrap().len(), 100);
    let recalled = remember(&store, Some("ada"), "zebra").await["recalled"].as_array().unwrap().clone();
    assert_eq!((recalled.len(), recalled[1202].clone(), recalled[1203].clone()), (1204, json!("1202"), json!("zebra")));
}

#[tokio::test]
async fn without_a_store_or_with_an_impossible_user_it_says_so() {
    let graph = memory::graph().unwrap();
    let error = play(graph.run_once(Memory::update().note("tea".to_owned()))).await.failed();
    assert_eq!(error.to_string(), "node `remember` failed: the threads have no long-term store; give the server one");

    let app = graph.with_context(MemoryContext { user_id: Some("a\u{0}b".to_owned()) });
    let threads = app.with_checkpointer(MemoryCheckpointer::new()).with_store(Arc::new(MemoryStore::default()));
    let error = play(threads.thread("t").run(Memory::update().note("tea".to_owned()))).await.failed();
    assert!(error.to_string().contains("cannot be a segment of a namespace"), "{error}");
}

#[test]
fn the_context_of_a_run_may_leave_the_user_out() {
    let read = |json: Value| serde_json::from_value::<MemoryContext>(json).unwrap();
    assert_eq!(read(json!({})), MemoryContext::default());
    assert_eq!(read(json!({ "user_id": "ada", "other": 1 })).user_id.as_deref(), Some("ada"));
    let schema = serde_json::to_value(schemars::schema_for!(MemoryContext)).unwrap();
    assert!(schema["properties"]["user_id"].is_object(), "{schema}");
}
