//! Workers and drivers in processes of their own, which are killed, stopped and continued.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_core_graph::Outcome;
use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};
use graphloom_postgres_server::Server;
use graphloom_worker::{QueueOptions, TaskQueue, Worker};
use sqlx::Connection;

use crate::pages::{Notes, Page, app, drafted, graph, lines, noted};

/// Beats often, so that a test need not wait long, and not so often that a busy machine makes processes look dead.
fn quick() -> QueueOptions {
    QueueOptions::default().heartbeat(Duration::from_secs(1)).max_connections(6)
}

/// A process of these tests. It is killed when this is dropped.
struct Process(Child);

impl Process {
    /// Runs the test below that is a program.
    fn worker(url: &str, notes: &Path, pause: Duration) -> Self {
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "processes::worker_program", "--nocapture"])
            .env("PAGES_URL", url)
            .env("PAGES_NOTES", notes)
            .env("PAGES_PAUSE", pause.as_millis().to_string())
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

/// What a process of these tests was told.
fn told() -> Option<(String, PathBuf, Duration)> {
    let url = std::env::var("PAGES_URL").ok()?;
    let notes = std::env::var_os("PAGES_NOTES")?.into();
    let pause = std::env::var("PAGES_PAUSE").ok()?.parse().ok()?;
    Some((url, notes, Duration::from_millis(pause)))
}

/// A process that executes tasks; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_program() {
    let Some((url, notes, pause)) = told() else { return };
    let worker = Worker::connect(&url, &quick()).await.expect("a worker").serve(app(&notes, pause)).concurrency(8);
    worker.run(std::future::pending()).await.expect("it works");
}

/// Drives threads until each waits for its title, whatever was done of them before.
async fn drive(url: &str, notes: &Path, pause: Duration, threads: &[String]) {
    let options = PostgresOptions::default().heartbeat(Duration::from_millis(250), Duration::from_millis(1500));
    let store =
        PostgresCheckpointer::connect_with(url, &options.patience(Duration::from_secs(20))).await.expect("a store");
    let queue = TaskQueue::connect(url, &quick()).await.expect("a queue");
    let driven = graph().executed_by(queue).expect("the state is stored");
    let driven = driven.with_context(Notes { file: notes.to_owned(), pause }).with_checkpointer(store.clone());
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

/// Waits until something holds.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
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
    let unused = Notes { file: PathBuf::new(), pause: Duration::ZERO };
    let state = graph().with_context(unused).with_checkpointer(store).thread(thread).state().await.expect("a state");
    state.state.lines.iter().cloned().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_killed_is_replaced_and_its_durable_steps_are_kept() {
    let server = Server::start();
    let (url, folder) = (server.url(), tempfile::tempdir().expect("a folder"));
    let notes = folder.path().join("notes");
    let pause = Duration::from_secs(2);
    let mut first = Process::worker(&url, &notes, pause);
    let driving = {
        let (url, notes) = (url.clone(), notes.clone());
        tokio::spawn(async move { drive(&url, &notes, Duration::ZERO, &["page".to_owned()]).await })
    };
    until("all parts are drafted", || (0..PARTS).all(|part| noted(&notes, "draft", part) == 1)).await;
    // The results of the steps are on their way to the store for a moment.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let _second = Process::worker(&url, &notes, Duration::from_millis(100));
    first.kill();
    let killed = Instant::now();
    until("a part is begun again", || (0..PARTS).any(|part| noted(&notes, "began", part) == 2)).await;
    println!("taken over after {} ms", killed.elapsed().as_millis());
    driving.await.expect("the run ends");
    assert_eq!(page(&url, "page").await, drafted(PARTS));
    for part in 0..PARTS {
        let of = |what| noted(&notes, what, part);
        assert_eq!((of("began"), of("draft"), of("ended")), (2, 1, 1), "part {part}: {:?}", lines(&notes));
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
    let worker = Process::worker(&url, &notes, Duration::ZERO);
    let mut connection = sqlx::PgConnection::connect(&url).await.expect("a connection");
    // It has made its tables, and is among those who execute tasks.
    let _queue = TaskQueue::connect(&url, &quick()).await.expect("a queue");
    let members = "SELECT count(*) FROM graphloom_work.members";
    while sqlx::query_scalar::<_, i64>(members).fetch_one(&mut connection).await.expect("they are counted") < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // In the middle of one of the transactions in which it looks for workers that are gone, each with a lock.
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < Duration::from_secs(60), "it was never in a transaction when it was stopped");
        worker.signal("STOP");
        tokio::time::sleep(Duration::from_millis(5)).await;
        if idle_transactions(&mut connection).await > 0 {
            break;
        }
        worker.signal("CONT");
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
    let stopped = Instant::now();
    while idle_transactions(&mut connection).await > 0 {
        assert!(stopped.elapsed() < Duration::from_secs(10), "the transaction of a worker that stands still stays");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _other = Process::worker(&url, &notes, Duration::ZERO);
    drive(&url, &notes, Duration::ZERO, &["page".to_owned()]).await;
    worker.signal("CONT");
    assert_eq!(page(&url, "page").await, drafted(PARTS));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_was_taken_for_dead_and_comes_back_changes_nothing() {
    let server = Server::start();
    let (url, folder) = (server.url(), tempfile::tempdir().expect("a folder"));
    let notes = folder.path().join("notes");
    let first = Process::worker(&url, &notes, Duration::from_secs(3));
    let driving = {
        let (url, notes) = (url.clone(), notes.clone());
        tokio::spawn(async move { drive(&url, &notes, Duration::ZERO, &["page".to_owned()]).await })
    };
    until("all parts are drafted", || (0..PARTS).all(|part| noted(&notes, "draft", part) == 1)).await;
    first.signal("STOP");
    let _second = Process::worker(&url, &notes, Duration::from_secs(4));
    until("a part is begun again", || (0..PARTS).any(|part| noted(&notes, "began", part) == 2)).await;
    // It ends its parts while the other one is at them.
    first.signal("CONT");
    driving.await.expect("the run ends");
    assert_eq!(page(&url, "page").await, drafted(PARTS));
    for part in 0..PARTS {
        assert_eq!(noted(&notes, "draft", part), 1, "part {part}: {:?}", lines(&notes));
    }
    until("the worker that came back works on", || first.id() > 0).await;
    drive(&url, &notes, Duration::ZERO, &["another".to_owned()]).await;
    assert_eq!(page(&url, "another").await, drafted(PARTS));
    assert_eq!(tables(&url).await.0, 0, "tasks are left");
}
