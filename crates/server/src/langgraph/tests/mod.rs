//! The wire over a real socket, with the demo graphs.

mod assistants;
mod branches;
mod crons;
mod drawings;
mod edits;
mod history;
mod orders;
mod runs;
mod states;
mod store;
mod threads;

use serde_json::{Value, json};

use crate::builder::Server;
use crate::running::Running;

/// A server of the demo graphs, and a client of it.
struct Served {
    running: Running,
    client: reqwest::Client,
}

/// A status, and JSON; `null` for an answer without a body.
type Answer = (u16, Value);

impl Served {
    async fn start() -> Self {
        Self::of(Server::new().demo().unwrap()).await
    }

    async fn of(server: Server) -> Self {
        let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
        let running = server.start(address).await.unwrap();
        Self { running, client: reqwest::Client::new() }
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let url = format!("http://{}{path}", self.running.address());
        let mut request = self.client.request(method.parse().unwrap(), url);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.send("GET", path, &Value::Null).await;
        assert_eq!(status, 200, "GET {path}: {answer}");
        answer
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send("POST", path, &body).await;
        assert_eq!(status, 200, "POST {path} {body}: {answer}");
        answer
    }

    /// The status and the text of a refusal.
    async fn refused(&self, method: &str, path: &str, body: Value) -> (u16, String) {
        let (status, answer) = self.send(method, path, &body).await;
        (status, answer["detail"].as_str().unwrap_or_default().to_owned())
    }

    /// The path of a new thread.
    async fn thread(&self) -> String {
        let thread = self.post("/threads", json!({})).await;
        format!("/threads/{}", thread["thread_id"].as_str().unwrap())
    }

    /// The path of a thread after a run.
    async fn ran(&self, graph: &str, input: Value) -> String {
        let thread = self.thread().await;
        self.run(&thread, graph, json!({ "input": input })).await;
        thread
    }

    async fn run(&self, thread: &str, graph: &str, mut body: Value) -> Value {
        body["assistant_id"] = graph.into();
        self.post(&format!("{thread}/runs/wait"), body).await
    }
}

/// One field of each element of a list.
fn each(list: &Value, pointer: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|one| one.pointer(pointer).cloned().unwrap_or_default()).collect()
}
