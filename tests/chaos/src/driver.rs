//! What a process was told by the test that began it, and how it brings threads to their ends.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, ThreadStatus};
use graphloom_core_graph::remote::Executor;
use graphloom_core_graph::{App, Clock, EventKind, Run, SystemClock, Thread};
use tokio::time::sleep;

use crate::book::{Book, PARTS, QUESTION, graph, title};
use crate::notes::Notes;

/// How long a part of a book takes.
const PAUSE: Duration = Duration::from_millis(300);

/// What a process was told by the test that began it.
#[derive(Debug)]
pub struct ProgramSettings {
    notes: Notes,
}

impl ProgramSettings {
    /// What this process was told; none where it is an ordinary test. A process that was told something ends with the test that
    /// began it.
    pub fn here() -> Option<Self> {
        let file: PathBuf = std::env::var_os("CHAOS_NOTES")?.into();
        std::thread::spawn(|| {
            // Nothing is written to it: it is closed when the test ends, however it does.
            let _ = std::io::stdin().read(&mut [0]);
            std::process::exit(1);
        });
        Some(Self { notes: Notes { file, pause: PAUSE } })
    }

    /// A variable of the environment.
    ///
    /// # Panics
    /// Where it was not told.
    pub fn variable(&self, name: &str) -> String {
        std::env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The graph with the notes of this process.
    pub fn app(&self) -> App<Book, Arc<Notes>> {
        graph().with_context(Arc::new(self.notes.clone()))
    }

    /// Writes down what failed, and waits a moment before it is tried again.
    pub async fn failed(&self, error: &str) {
        self.notes.note("error", "", error);
        sleep(Duration::from_millis(200)).await;
    }

    /// Drives the threads of this process to their ends, with their tasks executed as `connect` says. What cannot be reached is
    /// waited for.
    ///
    /// # Panics
    /// Where this process was not told what a driver is told.
    pub async fn drive<E: Executor>(&self, connect: impl AsyncFn() -> Result<E, String>) {
        let threads = self.variable("CHAOS_OF");
        let ahead = self.variable("CHAOS_CLOCK").parse().expect("milliseconds");
        let store = self.store().await;
        let executor = loop {
            match connect().await {
                Ok(executor) => break executor,
                Err(error) => self.failed(&error).await,
            }
        };
        let app = graph().executed_by(executor).expect("the state is stored");
        let app = app.with_context(Arc::new(self.notes.clone())).with_checkpointer(store.clone());
        let app = app.with_clock(Arc::new(Ahead(ahead)));
        let driven = threads.split(' ').map(|name| drive(app.thread(name), &store, &self.notes));
        futures::future::join_all(driven).await;
        drop(store.close().await);
    }

    async fn store(&self) -> PostgresCheckpointer {
        let options = PostgresOptions::default()
            .heartbeat(Duration::from_millis(250), Duration::from_millis(1500))
            .max_connections(4)
            .statement_timeout(Duration::from_secs(2))
            .patience(Duration::from_secs(5));
        let url = self.variable("CHAOS_STORE");
        loop {
            match PostgresCheckpointer::connect_with(&url, &options).await {
                Ok(store) => return store,
                Err(error) => self.failed(&error.to_string()).await,
            }
        }
    }
}

/// A clock that is ahead of the machine's, by milliseconds.
struct Ahead(i64);

impl Clock for Ahead {
    fn now(&self) -> u64 {
        SystemClock.now().saturating_add_signed(self.0)
    }
}

/// Drives a thread to its end. Whatever fails is tried again: what was acknowledged is there.
async fn drive(thread: Thread<Book, Arc<Notes>>, store: &PostgresCheckpointer, notes: &Notes) {
    let name = thread.id().to_owned();
    loop {
        // Another process may have what it stores acknowledged while this one reads.
        notes.note("looks", &name, "");
        let seen = async {
            let row = store.thread(&name).await?;
            let head = store.checkpoint(&name, "", None).await?;
            Ok::<_, CheckpointError>((row, head.map_or(0, |head| head.number)))
        };
        let ended = match seen.await {
            Ok((row, head)) => {
                notes.note("seen", &name, &head.to_string());
                match row.map(|row| row.status) {
                    None => told_of(thread.run(Book::update().parts(PARTS)), &name, notes).await,
                    Some(ThreadStatus::Done) => return,
                    Some(ThreadStatus::Waiting) => answer(&thread, &name, notes).await,
                    Some(_) => told_of(thread.continue_(), &name, notes).await,
                }
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = ended {
            notes.note("error", &name, &error);
            sleep(Duration::from_millis(300)).await;
        }
    }
}

/// Answers the question of a thread with its title.
async fn answer(thread: &Thread<Book, Arc<Notes>>, name: &str, notes: &Notes) -> Result<(), String> {
    let questions = thread.questions().await.map_err(|error| error.to_string())?;
    let question = questions.iter().find(|question| question.key == QUESTION).ok_or("there is no question")?;
    let answers = questions.answer(&question.id, title(name)).map_err(|error| error.to_string())?;
    told_of(thread.resume(answers), name, notes).await
}

/// Runs to the end, and notes each checkpoint that is acknowledged on the way.
async fn told_of(mut run: Run<Book>, name: &str, notes: &Notes) -> Result<(), String> {
    while let Some(event) = run.next().await {
        if let (EventKind::Committed { checkpoint, .. }, "") = (&event.kind, &*event.ns) {
            notes.note("acknowledged", name, &checkpoint.to_string());
        }
    }
    run.await.map(drop).map_err(|error| error.to_string())
}
