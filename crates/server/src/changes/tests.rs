//! What is told of changes, by the counts and over a real socket of loopback.

use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::*;
use crate::records::RESERVED;
use crate::{Cluster, Running, Security, Server};

const QUIET: Duration = Duration::from_millis(400);

#[tokio::test(start_paused = true)]
async fn changes_that_come_together_are_told_together() {
    let changes = Changes::new();
    let mut listener = changes.listen();
    changes.note(Kind::Threads);
    changes.hear(Kind::Runs);
    changes.note(Kind::Runs);
    assert_eq!(listener.changed().await, Some(vec![Kind::Runs, Kind::Threads]));
    assert!(timeout(QUIET, listener.changed()).await.is_err(), "nothing changed since");
    changes.note(Kind::Crons);
    assert_eq!(listener.changed().await, Some(vec![Kind::Crons]));
    drop(changes);
    assert_eq!(listener.changed().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_only_goes_on_is_told_each_second() {
    let changes = Changes::new();
    let mut listener = changes.listen();
    let began = tokio::time::Instant::now();
    for _ in 0..3 {
        changes.note_progress();
        assert_eq!(listener.changed().await, Some(vec![Kind::Runs]));
    }
    assert_eq!(began.elapsed().as_secs(), 2, "the first at once");
    changes.note_progress();
    changes.note(Kind::Runs);
    assert_eq!(listener.changed().await, Some(vec![Kind::Runs]));
    assert_eq!(began.elapsed().as_millis(), 2_100, "a record is told sooner, and what went on with it");
    assert!(timeout(Duration::from_secs(9), listener.changed()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn what_others_changed_is_not_told_to_them_again() {
    let changes = Changes::new();
    let mut listener = changes.listen();
    changes.hear(Kind::Runs);
    assert!(timeout(QUIET, listener.changed_here()).await.is_err());
    changes.note(Kind::Store);
    assert_eq!(listener.changed_here().await, Some(vec![Kind::Store]));
}

#[tokio::test]
async fn what_is_put_into_a_store_or_deleted_is_noted() {
    let changes = Changes::new();
    let store = observed(Arc::new(MemoryStore::new()), &changes);
    let place = |segments: &[&str]| Namespace::new(segments.iter().copied()).unwrap();
    let put = async |namespace: &Namespace| store.put(namespace, "a", json!(1), PutOptions::default()).await.unwrap();
    let mut listener = changes.listen();
    put(&place(&[RESERVED, "log", "t"])).await;
    assert!(timeout(QUIET, listener.changed()).await.is_err(), "event logs are in no list");
    put(&place(&[RESERVED, "runs", "t"])).await;
    assert_eq!(listener.changed().await, Some(vec![Kind::Runs]));
    let memories = place(&["memories", "ada"]);
    put(&memories).await;
    assert_eq!(listener.changed().await, Some(vec![Kind::Store]));
    assert!(store.delete(&memories, "a").await.unwrap());
    assert_eq!(listener.changed().await, Some(vec![Kind::Store]));
    assert!(!store.delete(&memories, "a").await.unwrap());
    assert!(timeout(QUIET, listener.changed()).await.is_err(), "it was not there");
    assert_eq!(Kind::of(&place(&[RESERVED, "store"])), None);
}

async fn start(server: Server) -> Running {
    Box::pin(server.demo().unwrap().start(Security::at(([127, 0, 0, 1], 0).into()))).await.unwrap()
}

/// The kinds that each event of a stream tells.
async fn told(server: &Running, query: &str) -> impl Stream<Item = Vec<String>> + Unpin + use<> {
    let answer = reqwest::get(format!("http://{}/changes{query}", server.address())).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream; charset=utf-8");
    let lines = answer.bytes_stream().flat_map(|chunk| {
        let text = String::from_utf8(chunk.unwrap().to_vec()).unwrap();
        futures::stream::iter(text.lines().map(str::to_owned).collect::<Vec<_>>())
    });
    Box::pin(lines.filter_map(async |line| {
        let data: Value = serde_json::from_str(line.strip_prefix("data: ")?).unwrap();
        Some(serde_json::from_value(data["of"].clone()).unwrap())
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tells_all_that_it_is_asked_for_and_then_what_changes() {
    let server = start(Server::new()).await;
    let mut runs = told(&server, "?of=runs,threads").await;
    let mut crons = told(&server, "?of=crons").await;
    let mut all = told(&server, "").await;
    assert_eq!(runs.next().await.unwrap(), ["runs", "threads"]);
    assert_eq!(crons.next().await.unwrap(), ["crons"]);
    assert_eq!(all.next().await.unwrap().len(), Kind::ALL.len());
    let run = json!({ "assistant_id": "pipeline", "input": { "topic": "tea" } });
    let url = format!("http://{}", server.address());
    let send = async |path: &str, body: &Value| {
        let request = reqwest::Client::new().post(format!("{url}{path}")).body(body.to_string());
        assert!(request.send().await.unwrap().status().is_success());
    };
    send("/runs/wait", &run).await;
    let first = runs.next().await.unwrap();
    assert!(first.iter().all(|kind| ["runs", "threads"].contains(&kind.as_str())), "{first:?}");
    assert!(timeout(QUIET, crons.next()).await.is_err());
    let cron = json!({ "assistant_id": "pipeline", "schedule": "0 9 * * *", "input": { "topic": "tea" } });
    send("/runs/crons", &cron).await;
    assert_eq!(crons.next().await.unwrap(), ["crons"]);
    let refused = reqwest::get(format!("{url}/changes?of=runs,moons")).await.unwrap();
    assert_eq!(refused.status(), 422);
    assert!(refused.text().await.unwrap().contains("There is no kind `moons`; the kinds are assistants, crons, runs"));
    server.stop().await;
    while all.next().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_changes_is_found_without_signals() {
    let (store, checkpoints) = (Arc::new(MemoryStore::new()), Arc::new(MemoryCheckpointer::new()));
    let process = || {
        let cluster = Cluster::new().heartbeat(Duration::from_millis(200), Duration::from_secs(3600));
        let server = Server::new().store(Arc::<MemoryStore>::clone(&store));
        start(server.checkpointer(Arc::<MemoryCheckpointer>::clone(&checkpoints)).cluster(cluster))
    };
    let alone = process().await;
    let mut threads = told(&alone, "?of=threads").await;
    assert_eq!(threads.next().await.unwrap(), ["threads"]);
    assert!(timeout(QUIET, threads.next()).await.is_err(), "nobody else can have changed anything");
    let other = process().await;
    assert_eq!(threads.next().await.unwrap(), ["threads"]);
    other.stop().await;
    alone.stop().await;
}
