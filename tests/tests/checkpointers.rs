//! Every checkpointer against the conformance cases, and what only a file can show: reopening, the death of an owner, other
//! programs' locks, full disks and damaged files.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, Commit, FieldRecord, MemoryCheckpointer, RecordKind, TaskRecord, TaskRecordKind,
};
use graphloom_core_graph::conformance::{self, Correspondence};
use graphloom_tests::rows::{assert_busy, assert_stale, checkpoint, first, record, step};
use rusqlite::Connection;

/// Every checkpointer, by the cases that any author of a store can run.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_checkpointer_does_what_a_checkpointer_must() {
    let memory = conformance::run(async || MemoryCheckpointer::new()).await;
    assert!(memory.is_green(), "in memory: {memory}");
    assert_eq!(memory.passed(), memory.cases.len(), "the memory store can do everything: {memory}");
    for synchronous in BOTH {
        let directory = tempfile::tempdir().unwrap();
        let number = AtomicU64::new(0);
        let report = conformance::run(async || {
            let own = directory.path().join(number.fetch_add(1, Ordering::Relaxed).to_string());
            std::fs::create_dir(&own).unwrap();
            open(&own, synchronous)
        })
        .await;
        assert_eq!(report.passed(), report.cases.len(), "in SQLite, {synchronous:?}: {report}");
    }
}

#[test]
fn the_reference_suite_is_gone_through() {
    let names = conformance::case_names();
    let mut counted = BTreeMap::new();
    for (suite, case, here) in conformance::REFERENCE {
        *counted.entry(*suite).or_insert(0) += 1;
        match here {
            Correspondence::Asked(name) => assert!(names.contains(name), "{suite}/{case}: there is no case `{name}`"),
            Correspondence::NoMeaning(reason) => assert!(reason.len() > 20, "{suite}/{case}: {reason}"),
            other => panic!("{suite}/{case}: {other:?}"),
        }
    }
    let base: u32 =
        ["put", "put_writes", "get_tuple", "list", "delete_thread"].iter().map(|suite| counted[suite]).sum();
    let all: u32 = counted.values().sum();
    assert_eq!((base, all), (58, 58 + 31));
}

const BOTH: [Synchronous; 2] = [Synchronous::Normal, Synchronous::Full];

fn open(directory: &Path, synchronous: Synchronous) -> SqliteCheckpointer {
    let options = SqliteOptions::synchronous(synchronous);
    SqliteCheckpointer::open_with(directory.join("threads.db"), options).expect("a new file opens")
}

#[tokio::test]
async fn what_was_committed_is_there_after_reopening() {
    for synchronous in BOTH {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), synchronous);
        let lease = store.acquire("a").await.unwrap();
        let large = vec![3; 100_000];
        let fields = vec![record(1, None, RecordKind::Whole, &large)];
        store.commit(&lease, Commit { fields, ..first() }).await.unwrap();
        drop(store);
        assert!(!directory.path().join("threads.db.owners").exists(), "a closed checkpointer leaves no owner file");

        let store = open(directory.path(), synchronous);
        assert_eq!(store.checkpoint("a", "", None).await.unwrap(), Some(checkpoint(1)));
        assert_eq!(store.field("a", "", "log", 1).await.unwrap()[0].payload.bytes(), large);
        let next = store.acquire("a").await.unwrap();
        assert_eq!(next.epoch, 2, "the lease of the closed checkpointer has ended with it");
        store.commit(&next, step(2)).await.unwrap();
    }
}

/// The other half of the next test: runs in a process of its own, writes, and waits for its death.
#[tokio::test]
async fn child_that_owns_a_thread() {
    let Ok(directory) = std::env::var("CHECKPOINTERS_CHILD_DIRECTORY") else { return };
    let store = open(directory.as_ref(), Synchronous::Normal);
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, first()).await.unwrap();
    println!("the thread is owned");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    store.release(&lease);
}

#[tokio::test]
async fn a_killed_owner_is_taken_over_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "checkpointers::child_that_owns_a_thread", "--nocapture"])
        .env("CHECKPOINTERS_CHILD_DIRECTORY", directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the thread is owned")), "the child ended too early");

    let store = open(directory.path(), Synchronous::Normal);
    assert_busy(&store.acquire("a").await);
    assert_busy(&store.delete_thread("a").await);
    child.kill().unwrap();
    child.wait().unwrap();

    let lease = store.acquire("a").await.unwrap();
    assert_eq!(lease.epoch, 2);
    assert_eq!(store.checkpoint("a", "", None).await.unwrap(), Some(checkpoint(1)), "what it committed is there");
    store.commit(&lease, step(2)).await.unwrap();
    let owners = directory.path().join("threads.db.owners");
    assert_eq!(std::fs::read_dir(owners).unwrap().count(), 1, "the dead owner's file is removed");
}

#[tokio::test]
async fn two_checkpointers_on_one_file_keep_out_of_each_others_threads() {
    for synchronous in BOTH {
        let directory = tempfile::tempdir().unwrap();
        let (one, two) = (open(directory.path(), synchronous), open(directory.path(), synchronous));
        let lease = one.acquire("a").await.unwrap();
        // Nothing is written yet: both may ask, and the first commit decides.
        let late = two.acquire("a").await.unwrap();
        one.commit(&lease, first()).await.unwrap();
        assert_stale(&two.commit(&late, first()).await);
        two.release(&late);
        assert_busy(&two.acquire("a").await);

        one.release(&lease);
        // The owner is cleared on another thread; what is queued behind it finds it cleared.
        one.acquire("another").await.unwrap();
        let lease = two.acquire("a").await.unwrap();
        two.commit(&lease, step(2)).await.unwrap();
        assert_busy(&one.acquire("a").await);
        two.commit(&lease, Commit { release: true, ..step(3) }).await.unwrap();
        assert_eq!(one.acquire("a").await.unwrap().epoch, 3);
    }
}

#[tokio::test]
async fn an_owner_that_was_taken_for_dead_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (open(directory.path(), Synchronous::Normal), open(directory.path(), Synchronous::Normal));
    let lease = one.acquire("a").await.unwrap();
    one.commit(&lease, first()).await.unwrap();
    // Somebody cleans up what does not belong to them.
    std::fs::remove_dir_all(directory.path().join("threads.db.owners")).unwrap();
    let next = two.acquire("a").await.unwrap();
    one.commit(&lease, step(2)).await.unwrap();
    assert_stale(&two.commit(&next, Commit { expected_head: Some(1), ..step(3) }).await);
    two.commit(&next, step(3)).await.unwrap();
    assert_stale(&one.commit(&lease, step(4)).await);
    assert_eq!(two.checkpoint("a", "", None).await.unwrap().map(|head| head.number), Some(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn commits_that_share_a_transaction_have_their_own_answers() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(open(directory.path(), Synchronous::Full));
    let mut leases = Vec::new();
    for number in 0..32 {
        let lease = store.acquire(&format!("t{number}")).await.unwrap();
        store.commit(&lease, first()).await.unwrap();
        leases.push(lease);
    }
    // All are queued before the writer is through with the first.
    let commits = leases.iter().enumerate().map(|(number, lease)| {
        let expected_head = if number % 4 == 0 { Some(9) } else { Some(1) };
        store.commit(lease, Commit { expected_head, ..step(2) })
    });
    for (number, answer) in futures::future::join_all(commits).await.into_iter().enumerate() {
        let head = store.checkpoint(&format!("t{number}"), "", None).await.unwrap().map(|head| head.number);
        if number % 4 == 0 {
            assert_stale(&answer);
            assert_eq!(head, Some(1));
        } else {
            answer.unwrap();
            assert_eq!(head, Some(2));
        }
    }
}

#[tokio::test]
async fn another_programs_lock_is_told() {
    for synchronous in BOTH {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("threads.db");
        let options = SqliteOptions::synchronous(synchronous).busy_timeout(Duration::from_millis(20));
        let store = SqliteCheckpointer::open_with(&path, options).unwrap();
        let lease = store.acquire("a").await.unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let locked = store.commit(&lease, first()).await.unwrap_err();
        assert!(matches!(&locked, CheckpointError::Locked { path, .. } if path.ends_with("threads.db")), "{locked}");
        assert_eq!(store.thread("a").await.unwrap(), None, "readers do not wait");
        other.execute_batch("ROLLBACK").unwrap();
        store.commit(&lease, first()).await.unwrap();
    }
}

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_committed() {
    for synchronous in BOTH {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("threads.db");
        let options = SqliteOptions::synchronous(synchronous).max_bytes(400_000);
        let store = SqliteCheckpointer::open_with(&path, options).unwrap();
        let lease = store.acquire("a").await.unwrap();
        store.commit(&lease, first()).await.unwrap();
        let large = |bytes| vec![record(2, None, RecordKind::Whole, &vec![1; bytes])];
        let full = store.commit(&lease, Commit { fields: large(500_000), ..step(2) }).await.unwrap_err();
        assert!(matches!(&full, CheckpointError::Full { path, .. } if path.ends_with("threads.db")), "{full}");
        assert_eq!(store.checkpoint("a", "", None).await.unwrap(), Some(checkpoint(1)));
        store.commit(&lease, Commit { fields: large(100_000), ..step(2) }).await.unwrap();

        // One that is too large does not spoil those that it shares a transaction with.
        let other = store.acquire("b").await.unwrap();
        let both = futures::join!(
            store.commit(&lease, Commit { fields: large(500_000), ..step(3) }),
            store.commit(&other, first()),
        );
        assert!(matches!(both.0, Err(CheckpointError::Full { .. })), "{both:?}");
        both.1.unwrap();
    }
}

#[tokio::test]
async fn files_that_are_not_ours_are_refused_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.db");

    std::fs::write(&path, "These are notes, not a database. ".repeat(50)).unwrap();
    let notes = std::fs::read(&path).unwrap();
    let error = SqliteCheckpointer::open(&path).unwrap_err();
    assert!(matches!(&error, CheckpointError::Corrupt { place, .. } if place.contains("x.db")), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), notes);
    std::fs::remove_file(&path).unwrap();

    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (n INTEGER)").unwrap();
    let foreign = std::fs::read(&path).unwrap();
    let error = SqliteCheckpointer::open(&path).unwrap_err();
    assert!(matches!(&error, CheckpointError::Corrupt { place, .. } if place.contains("x.db")), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), foreign);
    std::fs::remove_file(&path).unwrap();

    drop(SqliteCheckpointer::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteCheckpointer::open(&path).unwrap_err();
    assert!(matches!(error, CheckpointError::NewerFormat { found: 99, known: 3, .. }), "{error}");

    for missing in ["no/such/directory/x.db", "", ":memory:"] {
        let error = SqliteCheckpointer::open(missing).unwrap_err();
        assert!(matches!(error, CheckpointError::Store { .. }), "{error}");
        assert!(error.to_string().contains(missing), "{error}");
    }
}

#[tokio::test]
async fn a_file_without_checksums_is_read_and_written_on() {
    const AS_FORMAT_2: &str = "ALTER TABLE threads DROP COLUMN sum; ALTER TABLE threads DROP COLUMN holder_sum;
        ALTER TABLE threads RENAME COLUMN holder TO owner; ALTER TABLE heads DROP COLUMN sum;
        ALTER TABLE names DROP COLUMN sum; ALTER TABLE journal DROP COLUMN sum; PRAGMA user_version = 2;";
    const AS_FORMAT_1: &str =
        "DROP INDEX open_records; ALTER TABLE checkpoints DROP COLUMN sum; ALTER TABLE fields DROP COLUMN sum;
        ALTER TABLE task_records DROP COLUMN sum; PRAGMA user_version = 1;";
    for (as_older, sums) in [(AS_FORMAT_2.to_owned(), 3), (format!("{AS_FORMAT_2} {AS_FORMAT_1}"), 2)] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), Synchronous::Normal);
        let lease = store.acquire("a").await.unwrap();
        let fields = vec![record(1, None, RecordKind::Whole, b"\xa3one")];
        store.commit(&lease, Commit { fields, ..first() }).await.unwrap();
        drop(store);
        let path = directory.path().join("threads.db");
        Connection::open(&path).unwrap().execute_batch(&as_older).unwrap();
        for number in 2..4 {
            let store = open(directory.path(), Synchronous::Normal);
            let lease = store.acquire("a").await.unwrap();
            assert_eq!(store.field("a", "", "log", 1).await.unwrap()[0].payload.bytes(), b"\xa3one");
            assert!(store.thread("a").await.unwrap().is_some());
            store.commit(&lease, step(number)).await.unwrap();
            assert_eq!(store.checkpoint("a", "", None).await.unwrap(), Some(checkpoint(number)));
            drop(store);
        }
        let file = Connection::open(&path).unwrap();
        let format: u32 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        let count = |what: &str| -> u32 { file.query_row(&format!("SELECT {what}"), [], |row| row.get(0)).unwrap() };
        assert_eq!((format, count("count(sum) FROM checkpoints")), (3, sums), "what is written has checksums");
        assert_eq!(count("count(sum) FROM heads"), 1, "a head that was moved has one");
        assert_eq!(count("count(holder_sum) FROM threads"), 1, "so has a thread that was taken");
        assert_eq!(count("count(sum) FROM threads"), 0, "the rest of its row was not written");
    }
}

/// A program of the version before has the file open while one of this version begins to use it.
#[tokio::test]
async fn an_older_program_writes_no_more() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), Synchronous::Normal);
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, first()).await.unwrap();
    let older = Connection::open(directory.path().join("threads.db")).unwrap();
    let moved = "UPDATE heads SET number = 2 WHERE EXISTS (SELECT 1 FROM threads WHERE epoch = 1 AND owner = '')";
    let refused = older.execute(moved, []).unwrap_err();
    assert!(refused.to_string().contains("no such column: owner"), "{refused}");
}

#[tokio::test]
async fn damaged_files_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), Synchronous::Normal);
    let lease = store.acquire("a").await.unwrap();
    let fields = vec![record(1, None, RecordKind::Whole, &vec![1; 100_000])];
    store.commit(&lease, Commit { fields, ..first() }).await.unwrap();
    drop(store);
    let path = directory.path().join("threads.db");

    // A large value that no longer is what its hash says.
    Connection::open(&path).unwrap().execute("UPDATE blobs SET bytes = zeroblob(100000)", []).unwrap();
    let store = open(directory.path(), Synchronous::Normal);
    let error = store.field("a", "", "log", 1).await.unwrap_err();
    assert!(matches!(&error, CheckpointError::Corrupt { place, .. } if place.contains("`a`")), "{error}");
    drop(store);

    // Columns that are not as they were written, of each table.
    let path_of_good = directory.path().join("good.db");
    std::fs::copy(&path, &path_of_good).unwrap();
    for (table, change) in [
        ("fields", "payload = x'a36f6464'"),
        ("fields", "previous = 1"),
        ("checkpoints", "step = step + 1"),
        ("checkpoints", "fields = x''"),
        ("task_records", "payload = x'93010203'"),
        ("task_records", "key = 'other'"),
    ] {
        std::fs::copy(&path_of_good, &path).unwrap();
        let store = open(directory.path(), Synchronous::Normal);
        let lease = store.acquire("b").await.unwrap();
        let task = TaskRecord {
            task: "t:1.0".into(),
            kind: TaskRecordKind::Once,
            key: "step".into(),
            payload: vec![0xc3].into(),
        };
        let frontier = FieldRecord { field: "#frontier".into(), ..record(1, None, RecordKind::Whole, b"\x90") };
        let fields = vec![record(1, None, RecordKind::Whole, b"\xa5small"), frontier];
        store.commit(&lease, Commit { fields, tasks: vec![task], ..first() }).await.unwrap();
        assert!(store.load("b", "", None, None).await.unwrap().is_some(), "it is in order");
        drop(store);
        let changed = format!("UPDATE {table} SET {change} WHERE head = (SELECT max(id) FROM heads)");
        Connection::open(&path).unwrap().execute(&changed, []).unwrap();
        let store = open(directory.path(), Synchronous::Normal);
        let error = match store.load("b", "", None, None).await {
            Ok(_) => store.task_records("b", "").await.unwrap_err(),
            Err(error) => error,
        };
        assert!(
            matches!(&error, CheckpointError::Corrupt { place, .. } if place.contains("`b`")),
            "{changed}: {error}"
        );
        drop(store);
    }

    // Pages overwritten by something else.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let result = match SqliteCheckpointer::open(&path) {
        Ok(store) => store.thread("a").await.map(drop),
        Err(error) => Err(error),
    };
    let error = result.unwrap_err();
    assert!(matches!(&error, CheckpointError::Corrupt { place, .. } if place.contains("threads.db")), "{error}");
    assert!(error.to_string().contains(".recover"), "{error}");
}
