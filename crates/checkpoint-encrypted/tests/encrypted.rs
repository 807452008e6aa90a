//! Conformance through encryption, and what keys, damage and moved data lead to.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::sync::atomic::{AtomicU64, Ordering};

use graphloom_checkpoint_encrypted::{Encrypted, EncryptionError, Key, Keyring};
use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Commit, FieldPayload, FieldRecord, HistoryFilter, JournalRow,
    MemoryCheckpointer, RecordKind, Source, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus,
};
use graphloom_core_graph::conformance::{self, Verdict};
use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Store, StoreError};
use graphloom_core_graph::{END, Node, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const SECRET: &[u8] = b"the very secret words of a person";

fn key(id: &str, byte: u8) -> Key {
    Key::new(id, &[byte; 32]).unwrap()
}

fn keys() -> Keyring {
    Keyring::new(key("k1", 1))
}

/// A first commit that says the secret wherever a commit can say something.
fn secret(version: u64) -> Commit {
    let payload = FieldPayload::new(SECRET.to_vec());
    let row = ThreadRow {
        thread: "".into(),
        graph: "g".to_owned(),
        graph_version: 1,
        status: ThreadStatus::Waiting,
        detail: String::from_utf8(SECRET.to_vec()).unwrap(),
        created: 1,
        updated: 1,
        epoch: 0,
        owner: String::new(),
    };
    let checkpoint = CheckpointRow {
        number: version,
        parent: None,
        id: String::from_utf8(SECRET.to_vec()).unwrap().into(),
        step: 1,
        source: Source::Input,
        time: 1,
        executed: 1,
        fields: [("x", version)].into(),
        state_version: 1,
    };
    Commit {
        checkpoint: Some(checkpoint),
        expected_head: (version > 1).then(|| version - 1),
        fields: vec![FieldRecord { field: "x".into(), version, previous: None, kind: RecordKind::Whole, payload }],
        tasks: vec![TaskRecord {
            task: "t".into(),
            kind: TaskRecordKind::Once,
            key: "k".into(),
            payload: SECRET.into(),
        }],
        journal: vec![JournalRow { seq: version, event: SECRET.to_vec().into() }],
        thread: Some(row),
        ..Commit::default()
    }
}

fn cause(error: CheckpointError) -> EncryptionError {
    let CheckpointError::Store { source, .. } = error else { panic!("{error}") };
    source.downcast_ref::<EncryptionError>().cloned().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_does_what_every_store_must() {
    let directory = tempfile::tempdir().unwrap();
    let number = AtomicU64::new(0);
    let report = conformance::run(async || {
        let file = directory.path().join(format!("{}.db", number.fetch_add(1, Ordering::Relaxed)));
        Encrypted::new(SqliteCheckpointer::open(file).unwrap(), keys())
    })
    .await;
    assert!(report.is_green(), "{report}");
    let not_there = report.cases.iter().filter(|case| case.verdict == Verdict::Unsupported).count();
    assert!(report.passed() > 100 && not_there <= 12, "copies and shared values are not there: {report}");
    let memory = conformance::run_memory(async |clock| Encrypted::new(MemoryStore::with_clock(clock), keys())).await;
    assert!(memory.is_green() && memory.passed() > 0, "{memory}");
}

#[tokio::test]
async fn nothing_that_was_said_is_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("t.db");
    {
        let inner = SqliteCheckpointer::open(&file).unwrap();
        let memory = Encrypted::new(inner.store(), keys());
        let store = Encrypted::new(inner, keys());
        let lease = store.acquire("a").await.unwrap();
        store.commit(&lease, secret(1)).await.unwrap();
        let text = String::from_utf8(SECRET.to_vec()).unwrap();
        memory.put(&Namespace::root(), "k", json!({ "text": text }), PutOptions::default()).await.unwrap();
        assert_eq!(store.thread("a").await.unwrap().unwrap().detail, text);
        assert_eq!(store.checkpoint("a", "", None).await.unwrap().unwrap().id.text(), text);
    }
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        assert!(!bytes.windows(SECRET.len()).any(|window| window == SECRET), "the secret is in the file");
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Diary {
    days: u64,
    text: String,
}

/// Whether any value or event of a store holds the secret.
async fn is_readable(store: &MemoryCheckpointer) -> bool {
    let holds = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET);
    let mut found = store.journal("a", 0, usize::MAX).await.unwrap().iter().any(|row| holds(&row.event.bytes()));
    for row in store.checkpoints("a", "", &HistoryFilter::default()).await.unwrap() {
        for (field, version) in row.fields.iter() {
            let records = store.field("a", "", field, version).await.unwrap();
            found |= records.iter().any(|record| holds(record.payload.bytes()));
        }
    }
    found
}

#[tokio::test]
async fn steps_in_compact_form_are_encrypted() {
    const WRITE: Node = Node::named("write");
    let mut graph = StateGraph::<Diary>::new("diary");
    graph.add_node(WRITE, async |diary: Snapshot<Diary>| {
        let text = format!("{} {}", diary.days, str::from_utf8(SECRET).unwrap());
        Ok(Diary::update().days(diary.days + 1).text(text))
    });
    graph.add_edge(START, WRITE);
    graph.add_conditional_edges(WRITE, [WRITE, END], |diary: &Diary| if diary.days < 20 { WRITE } else { END });
    let graph = graph.compile().unwrap();
    let (open, inner) = (MemoryCheckpointer::new(), MemoryCheckpointer::new());
    let sealed = Encrypted::new(inner.clone(), keys());
    assert!(sealed.capabilities().compact_steps);
    graph.clone().with_checkpointer(open.clone()).thread("a").run(Diary::update()).await.unwrap();
    graph.with_checkpointer(sealed.clone()).thread("a").run(Diary::update()).await.unwrap();
    assert!(is_readable(&open).await && !is_readable(&inner).await);
    let head = sealed.checkpoint("a", "", None).await.unwrap().unwrap();
    assert!(inner.checkpoint("a", "", None).await.unwrap().unwrap().id.hash().is_none(), "an id is a hash of values");
    let [text, same] = [&sealed as &dyn Checkpointer, &open].map(|store| store.field("a", "", "text", head.number - 1));
    let (text, same) = (text.await.unwrap(), same.await.unwrap());
    assert!(text == same && text[0].payload.bytes().ends_with(SECRET));
    let seqs: Vec<_> = sealed.journal("a", 0, 99).await.unwrap().iter().map(|row| row.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn keys_are_rotated_and_missed() {
    let inner = MemoryCheckpointer::new();
    let old = Encrypted::new(inner.clone(), keys());
    let lease = old.acquire("a").await.unwrap();
    old.commit(&lease, Commit { release: true, ..secret(1) }).await.unwrap();

    let both = Encrypted::new(inner.clone(), Keyring::new(key("k2", 2)).and(key("k1", 1)));
    let lease = both.acquire("a").await.unwrap();
    both.commit(&lease, Commit { release: true, ..secret(2) }).await.unwrap();
    for version in [1, 2] {
        assert_eq!(both.field("a", "", "x", version).await.unwrap()[0].payload.bytes(), SECRET);
    }
    let new_only = Encrypted::new(inner.clone(), Keyring::new(key("k2", 2)));
    assert!(new_only.field("a", "", "x", 2).await.is_ok());
    let missing = cause(new_only.field("a", "", "x", 1).await.unwrap_err());
    assert!(matches!(&missing, EncryptionError::UnknownKey { id, .. } if id == "k1"), "{missing}");
    let words = "the value of thread `a`, namespace ``, field `x`, version `1`";
    assert!(missing.to_string().starts_with(words), "{missing}");

    let other = Encrypted::new(inner, Keyring::new(key("k1", 9)));
    let wrong = cause(other.field("a", "", "x", 1).await.unwrap_err());
    assert!(matches!(wrong, EncryptionError::Refused { .. }), "{wrong}");
    let wrong = cause(other.thread("a").await.unwrap_err());
    assert!(matches!(wrong, EncryptionError::UnknownKey { .. }), "the row was written last, with the new key: {wrong}");
}

#[tokio::test]
async fn what_was_damaged_moved_or_never_encrypted_is_refused() {
    let inner = MemoryCheckpointer::new();
    let store = Encrypted::new(inner.clone(), keys());
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, secret(1)).await.unwrap();
    let sealed = inner.field("a", "", "x", 1).await.unwrap().remove(0);
    let bytes = sealed.payload.bytes().to_vec();

    // The same bytes in another field, version, namespace; each byte changed; cut off; in plain words.
    let at = |field: &str, version| FieldRecord { field: field.into(), version, ..sealed.clone() };
    let moved = Commit { fields: vec![at("y", 1), at("x", 2)], ..Commit::default() };
    inner.commit(&lease, moved).await.unwrap();
    inner.commit(&lease, Commit { ns: "child".into(), fields: vec![at("x", 1)], ..Commit::default() }).await.unwrap();
    for (ns, field, version) in [("", "y", 1), ("", "x", 2), ("child", "x", 1)] {
        let refused = cause(store.field("a", ns, field, version).await.unwrap_err());
        assert!(matches!(refused, EncryptionError::Refused { .. }), "{refused}");
    }
    let put = async |bytes: Vec<u8>| {
        let record = FieldRecord { payload: FieldPayload::new(bytes), ..at("x", 3) };
        inner.commit(&lease, Commit { fields: vec![record], ..Commit::default() }).await.unwrap();
        cause(store.field("a", "", "x", 3).await.unwrap_err())
    };
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        put(changed).await;
        put(bytes[..place].to_vec()).await;
    }
    assert!(matches!(put(SECRET.to_vec()).await, EncryptionError::NotEncrypted { .. }));
    assert!(matches!(put(Vec::new()).await, EncryptionError::NotEncrypted { .. }));

    // Another thread, as far as a copy below goes.
    store.release(&lease);
    inner.copy_thread("a", "b").await.unwrap();
    assert!(matches!(cause(store.field("b", "", "x", 1).await.unwrap_err()), EncryptionError::Refused { .. }));
    assert!(matches!(cause(store.thread("b").await.unwrap_err()), EncryptionError::Refused { .. }));
    assert!(matches!(cause(store.journal("b", 0, 9).await.unwrap_err()), EncryptionError::Refused { .. }));
    assert!(matches!(cause(store.task_records("b", "").await.unwrap_err()), EncryptionError::Refused { .. }));
    assert!(matches!(store.copy_thread("a", "c").await, Err(CheckpointError::Unsupported { .. })));

    let memory = MemoryStore::new();
    memory.put(&Namespace::root(), "k", json!("plain"), PutOptions::default()).await.unwrap();
    let plain = Encrypted::new(memory, keys()).get(&Namespace::root(), "k").await.unwrap_err();
    let StoreError::Store { source, .. } = plain else { panic!("{plain}") };
    assert!(matches!(source.downcast_ref(), Some(EncryptionError::NotEncrypted { .. })), "{source}");
}

/// What is not encrypted has the checksums of the store inside.
#[tokio::test]
async fn damaged_rows_of_the_store_inside_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("t.db");
    let open = || Encrypted::new(SqliteCheckpointer::open(&file).unwrap(), keys());
    let store = open();
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, Commit { release: true, ..secret(1) }).await.unwrap();
    store.commit(&store.acquire("a").await.unwrap(), Commit { release: true, ..secret(2) }).await.unwrap();
    drop(store);
    for (damage, repair) in [
        ("UPDATE heads SET number = 1", "UPDATE heads SET number = 2"),
        ("UPDATE threads SET status = 'done'", "UPDATE threads SET status = 'waiting'"),
        ("UPDATE threads SET epoch = 9", "UPDATE threads SET epoch = 2"),
        ("UPDATE journal SET seq = 7 WHERE seq = 2", "UPDATE journal SET seq = 2 WHERE seq = 7"),
        ("UPDATE names SET name = 'y'", "UPDATE names SET name = 'x'"),
    ] {
        let change = |statement: &str| rusqlite::Connection::open(&file).unwrap().execute(statement, []).unwrap();
        let whole = async || {
            let store = open();
            store.checkpoint("a", "", None).await?;
            store.thread("a").await?;
            store.journal("a", 0, 9).await.map(drop)
        };
        assert_eq!(change(damage), 1);
        let error = whole().await.unwrap_err();
        let CheckpointError::Corrupt { place, message } = &error else { panic!("{damage}: {error}") };
        assert!(place.contains("`a`") || place.contains("`y`"), "{damage}: {error}");
        assert!(message.contains("restore a copy"), "{damage}: {error}");
        change(repair);
        whole().await.unwrap();
    }
}

#[test]
fn keys_are_checked_and_never_shown() {
    assert_eq!(Key::new("k", &[0; 16]).unwrap_err(), EncryptionError::KeyLength { found: 16 });
    for id in ["", "a b", "ü", &"a".repeat(65)] {
        assert!(matches!(Key::new(id, &[0; 32]), Err(EncryptionError::KeyName { .. })), "{id}");
    }
    let shown = format!("{:?}", Encrypted::new((), Keyring::new(Key::new("k1", &[203; 32]).unwrap())));
    assert!(shown.contains("k1") && !shown.contains("203") && !shown.contains("cb"), "{shown}");
}
