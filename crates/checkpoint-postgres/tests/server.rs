//! The checkpointer and the store on a real server: conformance, taking over, formats, whole runs.

use std::fmt::Debug;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions, PostgresStore};
use graphloom_core_graph::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Commit, FieldPayload, FieldRecord, FieldVersions, JournalRow,
    RecordKind, Source, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus,
};
use graphloom_core_graph::conformance;
use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Namespace, PutOptions, Query, Signal, Signals, Store,
};
use graphloom_postgres_server::{Server, Wire};
use sqlx::Connection;

fn row() -> ThreadRow {
    ThreadRow {
        thread: "".into(),
        graph: "g".to_owned(),
        graph_version: 1,
        status: ThreadStatus::Running,
        detail: "with \0 in it".to_owned(),
        created: 1,
        updated: 2,
        epoch: 0,
        owner: String::new(),
    }
}

fn step(number: u64) -> Commit {
    let before = number.checked_sub(1).filter(|number| *number > 0);
    let checkpoint = CheckpointRow {
        number,
        parent: before,
        id: format!("id-{number}").into(),
        step: number,
        source: Source::Step,
        time: 1,
        executed: number,
        fields: FieldVersions::default(),
        state_version: 1,
    };
    Commit { expected_head: before, checkpoint: Some(checkpoint), thread: (number == 1).then(row), ..Commit::default() }
}

const HOUR: Duration = Duration::from_secs(3600);

/// Beats often, and is taken for dead only when a test says so with [`expire`], however busy the machine is.
fn beating() -> PostgresOptions {
    PostgresOptions::default().heartbeat(Duration::from_millis(100), HOUR)
}

/// The same without a heartbeat after the first: as good as cut off.
fn silent() -> PostgresOptions {
    PostgresOptions::default().heartbeat(HOUR, HOUR * 2)
}

/// Lets the time run out that the owner of a thread has after its last heartbeat. Time is the database's.
async fn expire(server: &Server, thread: &str) {
    let mut connection = sqlx::PgConnection::connect(&server.url()).await.expect("a connection");
    let expire = "UPDATE graphloom.owners SET expires = clock_timestamp() - interval '1 second'
        WHERE instance = (SELECT split_part(holder, '/', 1) FROM graphloom.threads WHERE thread = $1)";
    let expired = sqlx::query(expire).bind(thread).execute(&mut connection).await.expect("an update");
    assert_eq!(expired.rows_affected(), 1, "the thread has an owner");
}

/// Work on a store, which is tried again where the database was too busy to do it in time.
async fn in_time<T, E: Debug>(mut work: impl AsyncFnMut() -> Result<T, E>) -> T {
    loop {
        match work().await {
            Ok(done) => return done,
            Err(late) => assert!(format!("{late:?}").contains("statement timeout"), "{late:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_does_what_every_store_must() {
    let server = Server::start();
    let number = AtomicU64::new(0);
    let schema =
        || PostgresOptions::schema(format!("case_{}", number.fetch_add(1, Ordering::Relaxed))).max_connections(6);
    let report =
        conformance::run(async || PostgresCheckpointer::connect_with(&server.url(), &schema()).await.unwrap()).await;
    assert_eq!(report.passed(), report.cases.len(), "{report}");
    let own = conformance::run_memory(async |clock| {
        PostgresStore::connect_with(&server.url(), &schema()).await.unwrap().with_clock(clock)
    })
    .await;
    assert!(own.is_green() && own.passed() > 0, "{own}");
}

/// The other half of the next test: runs in a process of its own, writes, and waits for its death.
#[tokio::test]
async fn child_that_owns_a_thread() {
    let Ok(url) = std::env::var("POSTGRES_CHILD_URL") else { return };
    let store = PostgresCheckpointer::connect_with(&url, &beating()).await.unwrap();
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, step(1)).await.unwrap();
    println!("the thread is owned");
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()).unwrap()).await.unwrap();
    store.release(&lease);
}

#[tokio::test]
async fn a_killed_writer_is_taken_over_after_its_expiry() {
    let server = Server::start();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_owns_a_thread", "--nocapture"])
        .env("POSTGRES_CHILD_URL", server.url())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the thread is owned")), "the child ended too early");

    let store = PostgresCheckpointer::connect_with(&server.url(), &silent()).await.unwrap();
    let busy = async || {
        let busy = store.acquire("a").await.unwrap_err();
        assert!(matches!(busy, CheckpointError::ThreadBusy { .. }), "{busy}");
    };
    // While it beats it is left alone: what it has of its time is always renewed.
    let mut connection = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    let expires = "SELECT max(extract(epoch FROM expires))::float8 FROM graphloom.owners o JOIN graphloom.threads t
        ON split_part(t.holder, '/', 1) = o.instance";
    let mut read = async || sqlx::query_scalar::<_, f64>(expires).fetch_one(&mut connection).await.unwrap();
    for _ in 0..3 {
        let before = read().await;
        while read().await <= before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        busy().await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    busy().await;
    expire(&server, "a").await;
    let lease = store.acquire("a").await.unwrap();
    assert_eq!(lease.epoch, 2);
    assert_eq!(store.checkpoint("a", "", None).await.unwrap().map(|head| head.number), Some(1), "its commit is there");
    store.commit(&lease, step(2)).await.unwrap();
}

#[tokio::test]
async fn a_writer_that_was_cut_off_is_refused_by_its_epoch() {
    let server = Server::start();
    let one = PostgresCheckpointer::connect_with(&server.url(), &silent()).await.unwrap();
    let lease = one.acquire("a").await.unwrap();
    one.commit(&lease, step(1)).await.unwrap();
    let two = PostgresCheckpointer::connect_with(&server.url(), &silent()).await.unwrap();
    expire(&server, "a").await;
    let next = two.acquire("a").await.unwrap();
    // Who takes over reads the thread before it writes: from here on what it has read stays as it is.
    let refused = one.commit(&lease, step(2)).await.unwrap_err();
    assert!(matches!(refused, CheckpointError::StaleHead { .. }), "{refused}");
    two.commit(&next, step(2)).await.unwrap();
    let refused = one.commit(&lease, step(3)).await.unwrap_err();
    assert!(matches!(refused, CheckpointError::StaleHead { .. }), "{refused}");
    let (detail, epoch) = two.thread("a").await.unwrap().map(|row| (row.detail, row.epoch)).unwrap();
    assert_eq!((detail.as_str(), epoch), ("with \0 in it", 2));
}

#[tokio::test]
async fn a_statement_that_waits_for_a_lock_ends_and_the_thread_goes_on() {
    let server = Server::start();
    // The tables are made without haste.
    PostgresCheckpointer::connect(&server.url()).await.unwrap().close().await.unwrap();
    let options = silent().statement_timeout(Duration::from_millis(300));
    let store = in_time(async || PostgresCheckpointer::connect_with(&server.url(), &options).await).await;
    let lease = in_time(async || store.acquire("a").await).await;
    in_time(async || store.commit(&lease, step(1)).await).await;
    let mut other = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    let mut lock = other.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM graphloom.threads WHERE thread = 'a' FOR UPDATE").execute(&mut *lock).await.unwrap();
    let refused = store.commit(&lease, step(2)).await.unwrap_err();
    assert!(format!("{refused:?}").contains("statement timeout"), "{refused:?}");
    // Upkeep takes as long as it takes.
    let mut watching = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    sqlx::query("LOCK TABLE graphloom.blobs").execute(&mut *lock).await.unwrap();
    let upkeep = tokio::spawn({
        let store = store.clone();
        async move { store.compact().await }
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND query_start < clock_timestamp() - interval '1 second'";
    while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut watching).await.unwrap() == 0 {
        assert!(!upkeep.is_finished(), "{:?}", upkeep.await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    lock.rollback().await.unwrap();
    upkeep.await.unwrap().unwrap();
    in_time(async || store.commit(&lease, step(2)).await).await;
}

/// Virtual time until this is dropped, which stands still while databases answer: they have a clock of their own.
struct StoppedClock(#[expect(dead_code, reason = "its end is noticed")] std::sync::mpsc::Sender<()>);

impl StoppedClock {
    fn new() -> Self {
        // While work of this kind is under way, tokio does not move paused time by itself.
        let (held, ended) = std::sync::mpsc::channel();
        tokio::task::spawn_blocking(move || ended.recv());
        Self(held)
    }
}

#[tokio::test(start_paused = true)]
async fn a_database_that_does_not_answer_is_told_and_what_it_was_sent_changes_nothing_for_others() {
    let mut clock = StoppedClock::new();
    let server = Server::start();
    let (wire, mut options) = (Wire::to(&server), silent().statement_timeout(Duration::from_secs(30)));
    options.connect_timeout = Duration::from_secs(50);
    let one = PostgresCheckpointer::connect_with(&wire.url(), &options.max_connections(1)).await.unwrap();
    let lease = one.acquire("a").await.unwrap();
    one.commit(&lease, step(1)).await.unwrap();
    let mut turns = 1;
    let late = loop {
        wire.cut();
        // Nobody answers from here on, so that time passes.
        drop(clock);
        let late = one.commit(&lease, step(2)).await.unwrap_err();
        if !format!("{late:?}").contains("pool timed out") {
            break late;
        }
        // Nothing was sent, for the one connection was not back from its use before: next time it has more turns to come back.
        clock = StoppedClock::new();
        wire.mend();
        one.thread("a").await.unwrap();
        turns *= 2;
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    };
    assert!(format!("{late:?}").contains("has not answered for 110 s"), "{late:?}");
    // What is asked then waits for a connection that does not come.
    one.thread("a").await.unwrap_err();
    one.store().get(&Namespace::root(), "a").await.unwrap_err();

    // Another one takes the thread over and goes on, and then all that was sent arrives.
    let _clock = StoppedClock::new();
    let two = PostgresCheckpointer::connect_with(&server.url(), &silent()).await.unwrap();
    expire(&server, "a").await;
    let next = two.acquire("a").await.unwrap();
    two.commit(&next, step(2)).await.unwrap();
    two.commit(&next, step(3)).await.unwrap();
    wire.mend();
    // It has one connection, which it has again when all that was sent over it is answered.
    let refused = one.commit(&lease, step(4)).await.unwrap_err();
    assert!(matches!(refused, CheckpointError::StaleHead { .. }), "{refused}");
    let head = two.checkpoint("a", "", None).await.unwrap().unwrap();
    assert_eq!((head.number, two.thread("a").await.unwrap().unwrap().epoch), (3, 2));
    two.commit(&next, step(4)).await.unwrap();
}

#[tokio::test]
async fn an_orderly_end_lets_others_take_over_at_once() {
    let server = Server::start();
    let one = PostgresCheckpointer::connect(&server.url()).await.unwrap();
    let two = PostgresCheckpointer::connect(&server.url()).await.unwrap();
    let lease = one.acquire("a").await.unwrap();
    one.commit(&lease, step(1)).await.unwrap();
    assert!(matches!(two.acquire("a").await, Err(CheckpointError::ThreadBusy { .. })));
    one.close().await.unwrap();
    assert_eq!(two.acquire("a").await.unwrap().epoch, 2);
    let closed = one.commit(&lease, step(2)).await.unwrap_err();
    assert!(matches!(closed, CheckpointError::Store { .. }), "{closed}");
}

/// Each time a commit is under way when its caller goes away and the lease is given back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_given_back_beside_a_commit_is_free_after_it() {
    let server = Server::start();
    let one = PostgresCheckpointer::connect(&server.url()).await.unwrap();
    let two = PostgresCheckpointer::connect(&server.url()).await.unwrap();
    for round in 0..50 {
        let thread = format!("t{round}");
        let lease = one.acquire(&thread).await.unwrap();
        one.commit(&lease, Commit { release: true, ..step(1) }).await.unwrap();
        let lease = one.acquire(&thread).await.unwrap();
        {
            let commit = one.commit(&lease, step(2));
            tokio::pin!(commit);
            // So far and no further.
            let _ = tokio::time::timeout(Duration::from_micros(round * 40), commit).await;
        }
        one.release(&lease);
        while let Err(error) = next_step(&two, &thread).await {
            let expected = matches!(error, CheckpointError::ThreadBusy { .. } | CheckpointError::StaleHead { .. });
            assert!(expected, "round {round}: {error}");
        }
    }
}

/// Takes a thread over for one commit. Another writer's first commit may come between.
async fn next_step(store: &PostgresCheckpointer, thread: &str) -> Result<(), CheckpointError> {
    let lease = store.acquire(thread).await?;
    let head = store.checkpoint(thread, "", None).await?.map_or(0, |head| head.number);
    let written = store.commit(&lease, step(head + 1)).await;
    store.release(&lease);
    written
}

#[tokio::test]
async fn formats_settings_and_servers_are_checked() {
    let server = Server::start();
    let schema = |name: &str| PostgresOptions::schema(name);
    let (url, together) = (server.url(), schema("together"));
    for _ in 0..2 {
        assert!(!PostgresCheckpointer::is_there(&url, &together).await.unwrap(), "asking makes nothing");
    }
    let both = futures::join!(
        PostgresCheckpointer::connect_with(&url, &together),
        PostgresCheckpointer::connect_with(&url, &together),
    );
    assert!(both.0.is_ok() && both.1.is_ok(), "two may make the tables at one time: {both:?}");
    assert!(PostgresCheckpointer::is_there(&url, &together).await.unwrap());
    let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
    sqlx::query("UPDATE together.format SET version = 99").execute(&mut connection).await.unwrap();
    let newer = PostgresCheckpointer::connect_with(&url, &together).await.unwrap_err();
    assert!(matches!(newer, CheckpointError::NewerFormat { found: 99, known: 2, .. }), "{newer}");

    for bad in ["", "Big", "a b", "x; DROP TABLE threads", "1a", "pg_mine", &"a".repeat(64)] {
        let error = PostgresCheckpointer::connect_with(&server.url(), &schema(bad)).await.unwrap_err();
        assert!(error.to_string().contains("cannot be the schema's name"), "{error}");
    }
    let never = PostgresOptions::default().heartbeat(Duration::from_secs(9), Duration::from_secs(3));
    assert!(PostgresCheckpointer::connect_with(&server.url(), &never).await.is_err());
    for url in ["nonsense", "postgres://secret-user:secret@localhost/x?host=/nowhere/at/all"] {
        let error = PostgresCheckpointer::connect(url).await.unwrap_err();
        assert!(matches!(error, CheckpointError::Store { .. }), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

/// A step that writes a row of every kind.
fn full(number: u64) -> Commit {
    let version = [("x", number)].into();
    let payload = FieldPayload::new(format!("value {number}").into_bytes());
    let task = |kind, key: &str| TaskRecord { task: "t".into(), kind, key: key.into(), payload: b"p"[..].into() };
    let commit = step(number);
    Commit {
        checkpoint: commit.checkpoint.map(|row| CheckpointRow { fields: version, ..row }),
        fields: vec![FieldRecord {
            field: "x".into(),
            version: number,
            previous: None,
            kind: RecordKind::Whole,
            payload,
        }],
        tasks: vec![task(TaskRecordKind::Once, "k"), task(TaskRecordKind::Attempt, "")],
        journal: vec![JournalRow { seq: number, event: b"e".to_vec().into() }],
        ..commit
    }
}

/// Reads all of the thread `a`.
async fn whole(store: &PostgresCheckpointer) -> Result<(), CheckpointError> {
    store.load("a", "", None, None).await?;
    store.task_records("a", "").await?;
    store.thread("a").await?;
    store.threads(&Default::default()).await?;
    store.last_seq("a").await?;
    store.journal("a", 0, 9).await?;
    store.namespaces("a").await.map(drop)
}

#[tokio::test]
async fn damaged_rows_are_told() {
    let server = Server::start();
    let mut connection = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    for (turn, damage) in [
        "threads SET graph = 'h'",
        "threads SET graph_version = 2",
        "threads SET status = 'done'",
        "threads SET detail = 'other'",
        "threads SET created = 9",
        "threads SET updated = 9",
        "threads SET epoch = 9",
        "threads SET holder = 'x'",
        "heads SET number = 1",
        "checkpoints SET number = 3 WHERE number = 2",
        "checkpoints SET parent = NULL WHERE number = 2",
        "checkpoints SET id = 'x'",
        "checkpoints SET step = 9",
        "checkpoints SET source = 'fork'",
        "checkpoints SET time = 9",
        "checkpoints SET executed = 9",
        "checkpoints SET fields = ARRAY['y']",
        "checkpoints SET versions = ARRAY[1]",
        "checkpoints SET state_version = 9",
        "fields SET payload = 'other'",
        "fields SET previous = 1 WHERE version = 2",
        "fields SET whole = false",
        "fields SET version = 3 WHERE version = 2",
        "task_records SET task = 'u'",
        "task_records SET kind = 'answer' WHERE kind = 'attempt'",
        "task_records SET key = 'l' WHERE kind = 'once'",
        "task_records SET payload = 'other' WHERE kind = 'attempt'",
        "journal SET seq = seq + 5",
        "journal SET event = 'other' WHERE seq = 1",
    ]
    .into_iter()
    .enumerate()
    {
        let schema = format!("damage_{turn}");
        let store = PostgresCheckpointer::connect_with(&server.url(), &PostgresOptions::schema(&schema)).await.unwrap();
        let lease = store.acquire("a").await.unwrap();
        store.commit(&lease, full(1)).await.unwrap();
        store.commit(&lease, full(2)).await.unwrap();
        whole(&store).await.unwrap();
        let statement = sqlx::AssertSqlSafe(format!("UPDATE {schema}.{damage}"));
        assert!(sqlx::query(statement).execute(&mut connection).await.unwrap().rows_affected() > 0, "{damage}");
        let error = whole(&store).await.expect_err(damage);
        let CheckpointError::Corrupt { place, .. } = &error else { panic!("{damage}: {error}") };
        assert!(place.contains("`a`"), "{damage}: {error}");
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn tables_of_the_format_before_are_read_and_written_on() {
    let server = Server::start();
    let options = PostgresOptions::schema("older");
    let connect = async || PostgresCheckpointer::connect_with(&server.url(), &options).await.unwrap();
    let store = connect().await;
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, Commit { release: true, ..full(1) }).await.unwrap();
    store.close().await.unwrap();
    let mut connection = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    let tables = ["threads", "heads", "checkpoints", "fields", "task_records", "journal"];
    let without_sums: String = tables.iter().map(|table| format!("ALTER TABLE {table} DROP COLUMN sum; ")).collect();
    let functions = include_str!("../src/database/schema_1.sql").split_once("-- Checks owner and epoch").unwrap().1;
    let as_format_1 = format!(
        "SET search_path = older; {without_sums} ALTER TABLE threads DROP COLUMN holder_sum;
        ALTER TABLE threads RENAME COLUMN holder TO owner; DROP INDEX open_records;
        DROP FUNCTION commit_thread; DROP FUNCTION claim; UPDATE format SET version = 1; --{functions}"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(as_format_1)).execute(&mut connection).await.unwrap();

    let store = connect().await;
    whole(&store).await.unwrap();
    let lease = store.acquire("a").await.unwrap();
    store.commit(&lease, Commit { thread: None, ..full(2) }).await.unwrap();
    whole(&store).await.unwrap();
    for (what, expected) in [
        ("count(holder_sum) FROM threads", 1),
        ("count(sum) FROM threads", 0),
        ("count(sum) FROM heads", 1),
        ("count(sum) FROM checkpoints", 1),
        ("count(sum) FROM fields", 1),
        ("count(sum) FROM task_records", 2),
        ("count(sum) FROM journal", 1),
    ] {
        let count = sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(format!("SELECT {what}")));
        assert_eq!(count.fetch_one(&mut connection).await.unwrap(), expected, "{what}");
    }
}

#[tokio::test]
async fn a_connection_can_be_over_tls_and_proves_whom_it_talks_to() {
    let server = Server::start_with_tls();
    let root = server.root_certificate().unwrap().display().to_string();
    let connect = async |rest: String| PostgresCheckpointer::connect(&format!("{}?{rest}", server.url())).await;
    // The server refuses whoever comes without TLS, so a thread that is written was written over TLS.
    for rest in
        ["sslmode=require".to_owned(), "sslmode=prefer".to_owned(), format!("sslmode=verify-full&sslrootcert={root}")]
    {
        let store = connect(rest.clone()).await.unwrap_or_else(|error| panic!("{rest}: {error}"));
        let name = rest.split('&').next().unwrap();
        let lease = store.acquire(name).await.unwrap();
        store.commit(&lease, step(1)).await.unwrap();
        assert!(store.thread(name).await.unwrap().is_some(), "{rest}");
        store.close().await.unwrap();
    }
    let refused = connect("sslmode=disable".to_owned()).await.unwrap_err();
    assert!(format!("{refused:?}").contains("no encryption"), "{refused:?}");
    // Another authority's certificate, and none that this machine trusts, are no proof.
    let other = Server::start_with_tls();
    let foreign = other.root_certificate().unwrap().display().to_string();
    for rest in [format!("sslmode=verify-full&sslrootcert={foreign}"), "sslmode=verify-full".to_owned()] {
        let refused = connect(rest.clone()).await.unwrap_err();
        assert!(format!("{refused:?}").to_lowercase().contains("certificate"), "{rest}: {refused:?}");
    }
}

#[tokio::test]
async fn a_thread_that_is_given_back_is_waited_for() {
    let server = Server::start();
    let one = PostgresCheckpointer::connect_with(&server.url(), &silent()).await.unwrap();
    let patient = silent().patience(HOUR);
    let two = PostgresCheckpointer::connect_with(&server.url(), &patient).await.unwrap();
    let lease = one.acquire("a").await.unwrap();
    one.commit(&lease, step(1)).await.unwrap();
    let mut next = Box::pin(two.acquire("a"));
    let early = tokio::time::timeout(Duration::from_millis(300), &mut next).await;
    assert!(early.is_err(), "it is held: {early:?}");
    one.release(&lease);
    let next = next.await.unwrap();
    two.commit(&next, step(2)).await.unwrap();
    // Who has no patience is told at once.
    let busy = one.acquire("a").await.unwrap_err();
    assert!(matches!(busy, CheckpointError::ThreadBusy { .. }), "{busy}");
}

#[tokio::test]
async fn of_many_who_put_at_once_with_the_same_expectation_one_does() {
    let server = Server::start();
    let store = PostgresStore::connect_with(&server.url(), &PostgresOptions::default()).await.unwrap();
    let place = Namespace::new(["races"]).unwrap();
    let ended = PutOptions::ttl(Duration::ZERO);
    for round in 0..20 {
        let absent = Expected::Absent;
        let put = async |expected: &Expected, value: u64| {
            let tasks = (0..8).map(|_| {
                let (store, place, expected) = (store.clone(), place.clone(), expected.clone());
                let value = serde_json::json!({"round": value});
                tokio::spawn(async move {
                    store.put_if(&place, "a", value, PutOptions::default(), &expected).await.unwrap()
                })
            });
            let all = futures::future::join_all(tasks).await;
            all.into_iter().filter(|put| *put.as_ref().unwrap()).count()
        };
        assert_eq!(put(&absent, 2 * round).await, 1, "of those who put where nothing is");
        let holds = Expected::Holds(Condition::new("round", Comparison::Eq, 2 * round));
        assert_eq!(put(&holds, 2 * round + 1).await, 1, "of those who put over the same");
        assert_eq!(put(&absent, 7).await, 0, "where something is");
        assert!(
            store
                .put_if(&place, "a", 0.into(), ended, &Expected::Holds(Condition::new("round", Comparison::Gte, 0)))
                .await
                .unwrap()
        );
        assert!(store.get(&place, "a").await.unwrap().is_none(), "what has no time to live is not there");
    }
    for key in ["b", "c", "d"] {
        store.put(&place, key, key.into(), PutOptions::default()).await.unwrap();
    }
    let some = store.query(&Query::below(place).limit(1).offset(1)).await.unwrap();
    assert_eq!(some.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(), ["c"]);
}

#[tokio::test]
async fn signals_are_heard_by_all_of_a_schema_and_again_after_their_connection_is_lost() {
    let server = Server::start();
    let connect = async |schema: &str| {
        let options = PostgresOptions::schema(schema);
        PostgresStore::connect_with(&server.url(), &options).await.unwrap().signals()
    };
    let (one, two, other) = (connect("shared").await, connect("shared").await, connect("other").await);
    let (mut heard, mut elsewhere) = (two.subscribe(), other.subscribe());
    assert_eq!(heard.next().await, Some(Signal::Missed));
    let mut hear = async |topic: &str, payload: &str| {
        loop {
            one.publish(topic, payload);
            let next = tokio::time::timeout(Duration::from_millis(200), heard.next()).await;
            match next {
                Ok(Some(Signal::Heard { topic: of, payload: what })) if of == topic => break what,
                Ok(None) => panic!("the subscription ended"),
                _ => {}
            }
        }
    };
    assert_eq!(hear("log/1", "7 \u{1f} seven").await, "7 \u{1f} seven");
    let mut admin = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    let listening = "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ILIKE 'listen%'";
    while sqlx::query_scalar::<_, i64>(listening).fetch_one(&mut admin).await.unwrap() < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ILIKE 'listen%'";
    let count: i64 = sqlx::query_scalar(cut).fetch_one(&mut admin).await.unwrap();
    assert!(count >= 3, "three listen, {count} were cut");
    assert_eq!(hear("log/2", "8").await, "8");
    // Of another schema nothing is heard but that its connection was new, and lost.
    while let Ok(signal) = tokio::time::timeout(Duration::from_millis(100), elsewhere.next()).await {
        assert_eq!(signal, Some(Signal::Missed));
    }
}
