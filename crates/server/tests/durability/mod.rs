//! A server that is killed again and again, at any moment, loses nothing of what it had answered.
//!
//! | what clients do | where |
//! | --- | --- |
//! | runs that wait for each other on a thread | `queue.rs` |
//! | streams that are taken up again | `follower.rs` |
//! | questions and their answers | `asker.rs` |
//! | assistants, crons, items, threads | `editor.rs` |
//!
//! A client of each kind works until its connection breaks, and looks after the restart whether all is there. What it had
//! asked for when the connection broke may have been done or not, and never by half.

mod asker;
mod editor;
mod follower;
mod queue;

use std::time::{Duration, Instant};

use graphloom_test_support::times;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Error;

use crate::support::{Client, ServerProcess, seed};
use asker::Asker;
use editor::Editor;
use follower::Follower;
use queue::Queue;

/// How often the server is killed while clients work.
const KILLS: usize = 12;

pub(crate) enum Worker {
    Asker(Asker),
    Follower(Follower),
    Editor(Editor),
    Queue(Queue),
}

impl Worker {
    /// Workers of all kinds, each with random choices of its own.
    pub(crate) fn all(random: &mut StdRng) -> Vec<(Self, StdRng)> {
        let workers = [
            Self::Asker(Asker::default()),
            Self::Asker(Asker::default()),
            Self::Follower(Follower::default()),
            Self::Follower(Follower::default()),
            Self::Follower(Follower::default()),
            Self::Editor(Editor::default()),
            Self::Queue(Queue::default()),
            Self::Queue(Queue::default()),
        ];
        workers.into_iter().map(|worker| (worker, StdRng::seed_from_u64(random.random()))).collect()
    }

    /// Does its part until the connection breaks.
    pub(crate) async fn work(&mut self, client: &Client, random: &mut StdRng) -> Error {
        loop {
            let done = match self {
                Self::Asker(asker) => asker.work(client, random).await,
                Self::Follower(follower) => follower.work(client, random).await,
                Self::Editor(editor) => editor.work(client, random).await,
                Self::Queue(queue) => queue.work(client, random).await,
            };
            if let Err(error) = done {
                return error;
            }
        }
    }

    /// Looks whether all is there that the server had answered.
    pub(crate) async fn look(&mut self, client: &Client) -> Result<(), Error> {
        match self {
            Self::Asker(asker) => asker.look(client).await,
            Self::Follower(follower) => follower.look(client).await,
            Self::Editor(editor) => editor.look(client).await,
            Self::Queue(queue) => queue.look(client).await,
        }
    }

    /// Looks whether all has come to its end.
    pub(crate) async fn end(&mut self, client: &Client) -> Result<(), Error> {
        match self {
            Self::Asker(asker) => asker.look(client).await,
            Self::Follower(follower) => follower.end(client).await,
            Self::Editor(editor) => editor.look(client).await,
            Self::Queue(queue) => queue.end(client).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_answered_is_lost_when_the_server_is_killed_at_any_moment() {
    let seed = seed();
    eprintln!("GRAPHLOOM_SEED={seed}");
    let directory = tempfile::tempdir().unwrap();
    let mut random = StdRng::seed_from_u64(seed);
    let mut workers = Worker::all(&mut random);
    for kill in 0..times(KILLS) {
        if random.random_ratio(1, 3) {
            // Killed while it takes up what the one before left.
            let mut early = ServerProcess::spawn(directory.path());
            tokio::time::sleep(Duration::from_millis(random.random_range(0..200))).await;
            early.kill().unwrap();
            early.wait().unwrap();
        }
        let mut server = ServerProcess::start(directory.path()).await;
        for (worker, _) in &mut workers {
            worker.look(&server.client).await.unwrap();
        }
        let mut tasks = Vec::new();
        for (mut worker, mut random) in workers {
            let client = server.client.clone();
            tasks.push(tokio::spawn(async move {
                worker.work(&client, &mut random).await;
                (worker, random)
            }));
        }
        let life = Duration::from_millis(random.random_range(30..500));
        tokio::time::sleep(life).await;
        server.kill();
        workers = Vec::new();
        for task in tasks {
            let worker = task.await.unwrap_or_else(|error| panic!("seed {seed}, after kill {kill}: {error}"));
            workers.push(worker);
        }
    }
    let server = ServerProcess::start(directory.path()).await;
    for (worker, _) in &mut workers {
        worker.end(&server.client).await.unwrap();
    }
    let busy = server.client.post("/threads/search", serde_json::json!({"status": "busy"})).await.unwrap().ok();
    assert_eq!(busy, serde_json::json!([]), "no thread is busy when all has ended");
}

/// Waits until something holds, and says now and then what it waits for.
#[expect(clippy::print_stderr, reason = "a test that is ended for its time has said what it waited for")]
pub(crate) async fn until(holds: impl AsyncFn() -> bool, otherwise: &str) {
    let mut said = Instant::now();
    while !holds().await {
        if said.elapsed() > Duration::from_secs(30) {
            eprintln!("still: {otherwise}");
            said = Instant::now();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Of a run without a thread only the log is left when it has ended.
#[tokio::test]
async fn the_stream_of_a_run_without_a_thread_is_the_same_after_its_end() {
    let (running, client) = crate::support::demo_server().await;
    let body = serde_json::json!({
        "assistant_id": "nested", "input": {"text": "x"}, "stream_mode": ["updates", "tasks"], "stream_subgraphs": true,
    });
    let mut stream = client.post_stream("/runs/stream", body).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = stream.next().await.unwrap() {
        seen.push(event);
    }
    assert!(seen.iter().any(|event| event.name.starts_with("updates|child:")), "{seen:?}");
    // Its record is deleted a moment after its end is told.
    let run = format!("/threads/{0}/runs/{0}", stream.location.trim_start_matches("/runs/"));
    until(async || client.get(&run).await.unwrap().status == 404, "the record stays").await;
    for from in [0, 3, seen.len() - 1] {
        let last = from.checked_sub(1).map_or("-1", |last| seen[last].id.as_str());
        let mut again = client.take_up(&format!("{}/stream", stream.location), last).await.unwrap();
        for event in &seen[from..] {
            assert_eq!(again.next().await.unwrap().as_ref(), Some(event));
        }
        assert_eq!(again.next().await.unwrap(), None);
    }
    running.stop().await;
}
