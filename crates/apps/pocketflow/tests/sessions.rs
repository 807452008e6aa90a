//! Sessions in a real store, through two handles.

use graphloom_checkpoint_sqlite::SqliteStore;
use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Store};
use graphloom_pocketflow::session::{self, LoadNote, Role, SessionError, Waiting};
use serde_json::{Value, json};

async fn put_raw(store: &dyn Store, id: &str, value: Value) {
    let sessions = Namespace::new(["pocketflow", "sessions"]).expect("part of the test");
    store.put(&sessions, id, value, PutOptions::default()).await.expect("part of the test");
}

#[tokio::test]
async fn a_session_survives_and_a_second_writer_is_refused() {
    let directory = tempfile::tempdir().expect("part of the test");
    let path = directory.path().join("sessions.db");
    let (one, two) =
        (SqliteStore::open(&path).expect("part of the test"), SqliteStore::open(&path).expect("part of the test"));

    let mut mine = session::load(&one, "c1").await.expect("part of the test").session;
    mine.topic = Some("tides".to_owned());
    session::save(&one, &mut mine).await.expect("part of the test");
    assert_eq!(mine.revision, 1);

    let mut theirs = session::load(&two, "c1").await.expect("part of the test").session;
    assert_eq!(theirs, mine);
    theirs.say(Role::User, "hello", 5);
    session::save(&two, &mut theirs).await.expect("part of the test");

    mine.topic = Some("currents".to_owned());
    let refused = session::save(&one, &mut mine).await.expect_err("refused");
    assert!(matches!(refused, SessionError::Conflict { ours: 1, theirs: 2, .. }), "{refused}");
    assert!(refused.is_retryable());

    let mut again = session::load(&one, "c1").await.expect("part of the test").session;
    assert_eq!((again.topic.as_deref(), again.history.len()), (Some("tides"), 1));
    again.topic = mine.topic;
    session::save(&one, &mut again).await.expect("part of the test");
    assert_eq!(session::list(&two).await.expect("part of the test"), ["c1"]);
}

#[tokio::test]
async fn two_first_writers_cannot_both_win() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (session::Session::new("c1"), session::Session::new("c1"));
    one.topic = Some("tides".to_owned());
    session::save(&store, &mut one).await.expect("part of the test");
    assert!(matches!(session::save(&store, &mut two).await, Err(SessionError::Conflict { ours: 0, theirs: 1, .. })));
    assert_eq!(two.revision, 0);
}

#[tokio::test]
async fn saving_the_same_again_after_a_crash_is_no_second_change() {
    let store = MemoryStore::new();
    let mut session = session::Session::new("c1");
    let mut before_the_crash = session.clone();
    session::save(&store, &mut session).await.expect("part of the test");
    session::save(&store, &mut before_the_crash).await.expect("part of the test");
    assert_eq!((session.revision, before_the_crash.revision), (1, 1));
}

#[tokio::test]
async fn a_session_of_schema_1_is_migrated_in_place() {
    let store = MemoryStore::new();
    let record = json!({
        "last_action": "do-generate-queries",
        "action_result": "",
        "params": { "do-generate-queries": { "topic": "machine learning" } },
        "waiting_for_feedback": null,
    });
    put_raw(&store, "c1", record).await;
    let loaded = session::load(&store, "c1").await.expect("part of the test");
    assert_eq!(loaded.notes, [LoadNote::Migrated { from: 1 }]);
    assert_eq!((loaded.session.topic.as_deref(), loaded.session.revision), (Some("machine learning"), 1));
    assert!(session::load(&store, "c1").await.expect("part of the test").notes.is_empty(), "once");
    assert!(session::quarantined(&store, "c1").await.expect("part of the test").is_empty());
    let mut session = loaded.session;
    session.waiting_for = Waiting::Queries;
    session::save(&store, &mut session).await.expect("part of the test");
    assert_eq!(session.revision, 2);
}

#[tokio::test]
async fn a_damaged_session_is_kept_aside_and_replaced() {
    let store = MemoryStore::new();
    let damaged = json!({ "schema": 3, "revision": 7, "history": "gone" });
    put_raw(&store, "c1", damaged.clone()).await;
    let loaded = session::load(&store, "c1").await.expect("part of the test");
    assert!(matches!(&loaded.notes[..], [LoadNote::Quarantined { .. }]));
    assert_eq!(loaded.session.revision, 8);
    let kept = session::quarantined(&store, "c1").await.expect("part of the test");
    assert_eq!(kept.iter().map(|item| &item.value).collect::<Vec<_>>(), [&damaged]);
    assert!(session::load(&store, "c1").await.expect("part of the test").notes.is_empty());
}

#[tokio::test]
async fn a_newer_session_is_refused_and_left_alone() {
    let store = MemoryStore::new();
    put_raw(&store, "c1", json!({ "schema": 9 })).await;
    let refused = session::load(&store, "c1").await.expect_err("refused");
    assert!(matches!(refused, SessionError::Newer { found: 9, .. }), "{refused}");
    assert!(refused.to_string().contains("update the program"));
    assert!(matches!(session::load(&store, "c1").await, Err(SessionError::Newer { .. })));
}
