//! Posts to a receiver on this machine.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::store::MemoryStore;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use uuid::Uuid;

use super::*;

/// Answers one request with a status, and returns its body.
async fn answer(listener: &TcpListener, status: &str) -> Value {
    let (mut stream, _) = listener.accept().await.unwrap();
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).await.unwrap();
        read.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&read);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() < length.parse().unwrap() {
            continue;
        }
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\nlocation: /again\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.unwrap();
        return serde_json::from_str(body).unwrap();
    }
}

fn run(url: &str) -> RunRecord {
    let mut run = RunRecord::new(Uuid::now_v7(), Uuid::now_v7(), "g", 0);
    run.webhook = Some(url.to_owned());
    run
}

async fn emptied(webhooks: &Webhooks) {
    while !webhooks.outbox.all().await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_post_is_sent_again_until_it_is_taken_and_then_forgotten() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let run = run(&format!("http://{}/hook", listener.local_addr().unwrap()));
    let webhooks = Webhooks::new(Arc::new(MemoryStore::new()), WebhookTargets::Any);
    webhooks.prepare(&run, json!({"run_id": run.run_id, "status": "success"})).await.unwrap();
    webhooks.deliver(&run);
    let first = answer(&listener, "503 Busy").await;
    assert_eq!((&first["status"], first["webhook_sent_at"].is_string()), (&json!("success"), true));
    assert_eq!(answer(&listener, "204 No Content").await["run_id"], json!(run.run_id));
    emptied(&webhooks).await;
}

#[tokio::test]
async fn what_a_process_left_is_sent_by_the_next_but_for_runs_that_go_on() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (ended, goes_on) = (run(&url), run(&url));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let before = Webhooks::new(Arc::clone(&store), WebhookTargets::Any);
    for run in [&ended, &goes_on] {
        before.prepare(run, json!({"run_id": run.run_id})).await.unwrap();
    }
    drop(before);
    let next = Webhooks::new(store, WebhookTargets::Any);
    next.recover(&[goes_on.run_id]).await.unwrap();
    // A redirect is not followed: it is an answer that no attempt mends.
    assert_eq!(answer(&listener, "307 Elsewhere").await["run_id"], json!(ended.run_id));
    while next.outbox.all().await.unwrap().len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(next.outbox.all().await.unwrap()[0].run, goes_on.run_id);
}

/// A name server that leads everything to this machine.
struct Rebinding;

#[async_trait]
impl ResolveHost for Rebinding {
    async fn addresses(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![[127, 0, 0, 1].into()])
    }
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_given_up_before_a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let webhooks = Webhooks::with_names(Arc::new(MemoryStore::new()), WebhookTargets::Public, Arc::new(Rebinding));
    let run = run(&format!("https://hooks.example.org:{port}/"));
    webhooks.check(run.webhook.as_deref().unwrap()).unwrap();
    webhooks.prepare(&run, json!({})).await.unwrap();
    let post = webhooks.outbox.get(run.run_id).await.unwrap().unwrap();
    let error = webhooks.delivery.post(&post).await.unwrap_err();
    assert!(error.contains("127.0.0.1"), "{error}");
    let connected = tokio::time::timeout(std::time::Duration::from_millis(50), listener.accept()).await;
    assert!(connected.is_err(), "nothing is connected to");
}
