//! Workers and drivers in processes of their own, which are killed, stopped and continued.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_core_graph::Outcome;
use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};
use graphloom_postgres_server::Server;
use graphloom_worker::{QueueOptions, TaskQueue, Worker};
use sqlx::Connection;

use crate::pages::{Notes, Page, Pause, app, drafted, graph, lines, noted, until};

/// Beats often, so that a test need not wait long until a process is taken for dead. Where a machine is so busy that a living one is,
/// too, its tasks are executed once more: no test counts on that it is not.
fn quick() -> QueueOptions {
    QueueOptions::default().heartbeat(Duration::from_secs(1)).max_connections(6)
}

/// A process of these tests. It is killed when this is dropped.
struct Process(Child);

impl Process {
    /// Runs the test below that is a program.
    fn worker(url: &str, notes: &Path, pause: &Pause) -> Self {
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "processes::worker_program", "--nocapture"])
            .env("PAGES_URL", url)
            .env("PAGES_NOTES", notes)
            .env("PAGES_PAUSE", word(pause))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("a process starts");
        Self(child)
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal by its name.
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.id().to_string()]).status().expect("kill runs");
        assert!(sent.success(), "the process is there");
    }

    fn kill(&mut self) {
        self.0.kill().expect("it is killed");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A pause in the environment of a process.
fn word(pause: &Pause) -> String {
    match pause {
        Pause::None => "none".to_owned(),
        Pause::Until(file) => file.display().to_string(),
        Pause::Forever => "forever".to_owned(),
    }
}

/// What a process of these tests was told.
fn told() -> Option<(String, PathBuf, Pause)> {
    let url = std::env::var("PAGES_URL").ok()?;
    let notes = std::env::var_os("PAGES_NOTES")?.into();
    let pause = match &*std::env::var("PAGES_PAUSE").ok()? {
        "none" => Pause::None,
        "forever" => Pause::Forever,
        file => Pause::Until(file.into()),
    };
    Some((url, notes, pause))
}

/// The file in which processes note that they do something.
fn life(notes: &Path) -> PathBuf {
    notes.with_extension("life")
}

/// Notes again and again that this process does something.
async fn live(notes: PathBuf) {
    let notes = Notes { file: life(&notes), pause: Pause::None };
    loop {
        notes.note("lives", u64::from(std::process::id()));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A process that executes tasks; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_program() {
    let Some((url, notes, pause)) = told() else { return };
    tokio::spawn(live(notes.clone()));
    let worker = Worker::connect(&url, &quick()).await.expect("a worker").serve(app(&notes, pause)).concurrency(8);
    worker.run(std::future::pending()).await.expect("it works");
}

/// Drives threads until each waits for its title, whatever was done of them before.
async fn drive(url: &str, notes: &Path, threads: &[String]) {
    let options = PostgresOptions::default().patience(Duration::from_secs(600));
    let store = PostgresCheckpointer::connect_with(url, &options).await.expect("a store");
    let queue = TaskQueue::connect(url, &quick()).await.expect("a queue");
    let driven = graph().executed_by(queue).expect("the state is stored");
    let driven = driven.with_context(Notes { file: notes.to_owned(), pause: Pause::None });
    let driven = driven.with_checkpointer(store.clone());
    let run = |name: &String| {
        let (thread, store) = (driven.thread(name.as_str()), store.clone());
        async move {
            let row = store.thread(thread.id()).await.expect("the store reads");
            let outcome = match row.map(|row| row.status) {
                None => thread.run(Page::update().parts(PARTS)).await,
                Some(ThreadStatus::Waiting) => return,
                Some(_) => thread.continue_().await,
            };
            assert!(matches!(outcome, Ok(Outcome::Waiting(_))), "{outcome:?}");
        }
    };
    futures::future::join_all(threads.iter().map(run)).await;
    store.close().await.expect("the threads are given back");
}

/// Parts of each page of these tests.
const PARTS: u64 = 6;

/// Whether each part was noted.
fn all_noted(notes: &Path, what: &str) -> bool {
    (0..PARTS).all(|part| noted(notes, what, part) > 0)
}

/// Whether a part was begun again.
fn is_begun_again(notes: &Path) -> bool {
    (0..PARTS).any(|part| noted(notes, "began", part) > 1)
}

async fn tables(url: &str) -> (i64, i64) {
    let mut connection = sqlx::PgConnection::connect(url).await.expect("a connection");
    let count = "SELECT (SELECT count(*) FROM graphloom_work.tasks), (SELECT count(*) FROM graphloom_work.letters)";
    sqlx::query_as(count).fetch_one(&mut connection).await.expect("they are counted")
}

/// The lines of a page, from its store.
async fn page(url: &str, thread: &str) -> Vec<String> {
    let options = PostgresOptions::default().patience(Duration::from_secs(20));
    let store = PostgresCheckpointer::connect_with(url, &options).await.expect("a store");
    let unused = Notes { file: PathBuf::new(), pause: Pause::None };
    let state = graph().with_context(unused).with_checkpointer(store).thread(thread).state().await.expect("a state");
    state.state.lines.iter().cloned().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_killed_is_replaced_and_its_durable_steps_are_kept() {
    let server = Server::start();
    let (url, folder) = (server.url(), tempfile::tempdir().expect("a folder"));
    let notes = folder.path().join("notes");
    let mut first = Process::worker(&url, &notes, &Pause::Forever);
    let driving = {
        let (url, notes) = (url.clone(), notes.clone());
        tokio::spawn(async move { drive(&url, &notes, &["page".to_owned()]).await })
    };
    until(|| all_noted(&notes, "kept")).await;
    first.kill();
    let _second = Process::worker(&url, &notes, &Pause::None);
    driving.await.expect("the run ends");
    assert_eq!(page(&url, "page").await, drafted(PARTS));
    for part in 0..PARTS {
        let of = |what| noted(&notes, what, part);
        let (began, drafts, ended) = (of("began"), of("draft"), of("ended"));
        assert!(began > 1 && drafts == 1 && ended > 0, "part {part}: {:?}", lines(&notes));
    }
    assert_eq!(tables(&url).await.0, 0, "tasks are left");
}

/// Transactions of other processes that nobody goes on with.
async fn idle_transactions(connection: &mut sqlx::PgConnection) -> i64 {
    let count = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
    sqlx::query_scalar(count).fetch_one(connection).await.expect("they are counted")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locks_of_a_worker_that_stands_still_are_freed() {
    let server = Server::start();
    let (url, folder) = (server.url(), tempfile::tempdir().expect("a folder"));
    let notes = folder.path().join("notes");
    let worker = Process::worker(&url, &notes, &Pause::None);
    let mut connection = sqlx::PgConnection::connect(&url).await.expect("a connection");
    // The tables are there, and the worker is among those who execute tasks.
    let _queue = TaskQueue::connect(&url, &quick()).await.expect("a queue");
    let workers = "SELECT count(*) FROM graphloom_jobs._private_workers";
    while sqlx::query_scalar::<_, i64>(workers).fetch_one(&mut connection).await.expect("they are counted") == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // In the middle of one of the transactions in which it looks for workers that are gone, each with a lock: it waits there for a
    // table that is locked, and is stopped before it hears that it has waited long enough.
    let mut other = sqlx::PgConnection::connect(&url).await.expect("a connection");
    let mut table = other.begin().await.expect("a transaction");
    let lock = "LOCK TABLE graphloom_jobs._private_workers IN ACCESS EXCLUSIVE MODE";
    sqlx::query(lock).execute(&mut *table).await.expect("the table is locked");
    let waits = "SELECT count(*) FROM pg_locks held JOIN pg_stat_activity waiting USING (pid)
        WHERE held.locktype = 'advisory' AND held.granted AND waiting.wait_event_type = 'Lock'";
    while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut connection).await.expect("they are counted") == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.signal("STOP");
    table.rollback().await.expect("the table is free");
    while idle_transactions(&mut connection).await == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The transaction of a worker that stands still does not stay.
    while idle_transactions(&mut connection).await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _other = Process::worker(&url, &notes, &Pause::None);
    drive(&url, &notes, &["page".to_owned()]).await;
    worker.signal("CONT");
    assert_eq!(page(&url, "page").await, drafted(PARTS));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_was_taken_for_dead_and_comes_back_changes_nothing() {
    let server = Server::start();
    let (url, folder) = (server.url(), tempfile::tempdir().expect("a folder"));
    let notes = folder.path().join("notes");
    let gates = ["first", "second"].map(|name| folder.path().join(name));
    let first = Process::worker(&url, &notes, &Pause::Until(gates[0].clone()));
    let driving = {
        let (url, notes) = (url.clone(), notes.clone());
        tokio::spawn(async move { drive(&url, &notes, &["page".to_owned()]).await })
    };
    until(|| all_noted(&notes, "kept")).await;
    first.signal("STOP");
    let _second = Process::worker(&url, &notes, &Pause::Until(gates[1].clone()));
    until(|| is_begun_again(&notes)).await;
    // It ends its parts while the other one is at them.
    std::fs::write(&gates[0], "").expect("the gate opens");
    let lives = || noted(&life(&notes), "lives", u64::from(first.id()));
    let before = lives();
    first.signal("CONT");
    until(|| lives() > before + 3).await;
    std::fs::write(&gates[1], "").expect("the gate opens");
    driving.await.expect("the run ends");
    assert_eq!(page(&url, "page").await, drafted(PARTS));
    for part in 0..PARTS {
        assert_eq!(noted(&notes, "draft", part), 1, "part {part}: {:?}", lines(&notes));
    }
    // Both work on.
    drive(&url, &notes, &["another".to_owned()]).await;
    assert_eq!(page(&url, "another").await, drafted(PARTS));
    assert_eq!(tables(&url).await.0, 0, "tasks are left");
}
