//! Clients that do not read, that are many, and that go away.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Client, ServerProcess, demo_server};

async fn new_thread(client: &Client) -> String {
    client.post("/threads", json!({})).await.unwrap().ok()["thread_id"].as_str().unwrap().to_owned()
}

/// Opens a stream with a request in plain text, and reads no more than the first bytes of its answer.
async fn unread(authority: &str, request: &str) -> TcpStream {
    let mut connection = TcpStream::connect(authority).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    connection.read_exact(&mut first).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&first), "HTTP/1.1 200");
    connection
}

/// Clients that take nothing of a stream.
const NOT_READING: usize = 24;
/// What a run tells, each of [`EVENT`] bytes.
const EVENTS: u64 = 2_000;
const EVENT: usize = 16 << 10;

/// Each run tells 32 MB. A client that does not read holds what the server had ready for it when its socket was full; the test
/// says how much that is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_never_read_do_not_block_a_run() {
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let body = json!({
        "assistant_id": "flood", "input": {"events": EVENTS, "bytes": EVENT}, "stream_mode": ["custom"],
    });
    let run = async |thread: &str| {
        let began = Instant::now();
        let values = server.client.post(&format!("/threads/{thread}/runs/wait"), body.clone()).await.unwrap().ok();
        assert_eq!(values["told"], EVENTS, "{values}");
        began.elapsed()
    };
    let (quiet, thread) = (new_thread(&server.client).await, new_thread(&server.client).await);
    // So that what a run itself needs is not counted.
    run(&quiet).await;
    let alone = run(&quiet).await;
    run(&thread).await;
    let before = server.resident();
    let mut connections = Vec::new();
    for from in ["-", ""].into_iter().cycle().take(NOT_READING) {
        let request = format!(
            "GET /threads/{thread}/stream HTTP/1.1\r\nHost: {}\r\nLast-Event-ID: {from}\r\n\r\n",
            server.authority
        );
        connections.push(unread(&server.authority, &request).await);
    }
    // The sockets are full after this one.
    run(&thread).await;
    let watched = run(&thread).await;
    let cost = server.resident().saturating_sub(before);
    eprintln!("{NOT_READING} clients that do not read: {} KB; a run in {watched:?}, alone in {alone:?}", cost >> 10);
    drop(connections);
    // One that reads gets all of it.
    let mut stream = server.client.take_up(&format!("/threads/{thread}/stream"), "-").await.unwrap();
    for next in 0..3 * EVENTS {
        let event = loop {
            let event = stream.next().await.unwrap().unwrap();
            if event.name == "custom" {
                break event;
            }
        };
        assert_eq!(event.data["event"], next % EVENTS);
    }
}

/// What they cost is said here, and has its bar in the bench.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_open_streams_are_all_told() {
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let thread = new_thread(&server.client).await;
    server
        .client
        .post(&format!("/threads/{thread}/runs/wait"), json!({"assistant_id": "pipeline", "input": {"topic": "x"}}))
        .await
        .unwrap()
        .ok();
    let before = server.resident();
    let mut connections = Vec::new();
    for _ in 0..1_000 {
        let request = format!("GET /threads/{thread}/stream HTTP/1.1\r\nHost: {}\r\n\r\n", server.authority);
        connections.push(unread(&server.authority, &request).await);
    }
    let cost = server.resident().saturating_sub(before);
    eprintln!("1000 open streams: {} KB", cost >> 10);
    server
        .client
        .post(&format!("/threads/{thread}/runs/wait"), json!({"assistant_id": "pipeline", "input": {"topic": "y"}}))
        .await
        .unwrap()
        .ok();
    for connection in &mut connections {
        let mut read = Vec::new();
        while !String::from_utf8_lossy(&read).contains("run_done") {
            let mut buffer = [0; 4096];
            let count = connection.read(&mut buffer).await.unwrap();
            assert!(count > 0, "a stream ended early");
            read.extend_from_slice(&buffer[..count]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_away_ends_its_run_only_if_it_said_so() {
    let (running, client) = demo_server().await;
    let input = json!({"n": 30, "delay_ms": 20});
    for (on_disconnect, status, thread_status) in [
        (json!("cancel"), "interrupted", "interrupted"),
        (json!("continue"), "success", "idle"),
        (Value::Null, "success", "idle"),
    ] {
        for how in ["stream", "wait"] {
            let thread = new_thread(&client).await;
            let mut body = json!({"assistant_id": "ticker", "input": input, "stream_mode": ["custom"]});
            if !on_disconnect.is_null() {
                body["on_disconnect"] = on_disconnect.clone();
            }
            let mut stream = client.post_stream(&format!("/threads/{thread}/runs/{how}"), body).await.unwrap();
            let run = stream.location.clone();
            if how == "stream" {
                while stream.next().await.unwrap().unwrap().name != "custom" {}
            }
            drop(stream);
            let ended = loop {
                let record = client.get(&run).await.unwrap().ok();
                if record["status"] != "running" && record["status"] != "pending" {
                    break record;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            };
            assert_eq!(ended["status"], status, "{how} {on_disconnect}");
            // The record of a thread follows that of its run.
            let record = loop {
                let record = client.get(&format!("/threads/{thread}")).await.unwrap().ok();
                if record["status"] != "busy" {
                    break record;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            };
            assert_eq!(record["status"], thread_status, "{how} {on_disconnect}");
            let count = record["values"]["ticks"].as_array().map_or(0, Vec::len);
            assert_eq!(count == 30, status == "success", "{how} {on_disconnect}: {count} ticks");
        }
    }
    running.stop().await;
}
