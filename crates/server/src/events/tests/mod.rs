//! The protocol over real sockets of loopback, with the demo graphs.

mod commands;
mod sockets;
mod streams;

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{Keys, Running, Security, Server};

/// Stores that outlive the servers over them.
#[derive(Clone, Default)]
struct Machine {
    checkpoints: Arc<MemoryCheckpointer>,
    store: Arc<MemoryStore>,
}

impl Machine {
    async fn start(&self) -> Served {
        self.start_with(Keys::default()).await
    }

    async fn start_with(&self, keys: Keys) -> Served {
        let (checkpoints, store) = (Arc::clone(&self.checkpoints), Arc::clone(&self.store));
        let server = Server::new().demo().expect("graphs").checkpointer(checkpoints).store(store);
        let mut security = Security::at(([127, 0, 0, 1], 0).into());
        security.keys = keys;
        Served { running: server.start(security).await.expect("a server"), http: reqwest::Client::new() }
    }
}

struct Served {
    running: Running,
    http: reqwest::Client,
}

impl Served {
    async fn start() -> Self {
        Machine::default().start().await
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address())
    }

    async fn post(&self, path: &str, key: &str, body: &Value) -> reqwest::Response {
        let request = self.http.post(self.url(path)).header("x-api-key", key).body(body.to_string());
        request.send().await.expect("an answer")
    }

    /// The answer to a command, whole.
    async fn command(&self, thread: Uuid, method: &str, params: Value) -> Value {
        let body = json!({ "id": 5, "method": method, "params": params });
        let answer = self.post(&format!("/threads/{thread}/commands"), "", &body).await;
        assert_eq!(answer.status(), 200);
        let answer: Value = serde_json::from_str(&answer.text().await.expect("a body")).expect("JSON");
        assert_eq!(answer["id"], 5);
        answer
    }

    /// The result of a command that succeeds.
    async fn result(&self, thread: Uuid, method: &str, params: Value) -> Value {
        let mut answer = self.command(thread, method, params).await;
        assert_eq!(answer["type"], "success", "{answer}");
        answer["result"].take()
    }

    /// The code of an error.
    async fn error(&self, thread: Uuid, method: &str, params: Value) -> String {
        let answer = self.command(thread, method, params).await;
        assert_eq!(answer["type"], "error", "{answer}");
        assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()));
        answer["error"].as_str().expect("a code").to_owned()
    }

    async fn run(&self, thread: Uuid, graph: &str, input: Value) -> String {
        let result = self.result(thread, "run.start", json!({ "assistant_id": graph, "input": input })).await;
        result["run_id"].as_str().expect("an id").to_owned()
    }

    /// The events of a stream until so many runs have ended. The channels must have `lifecycle`.
    async fn events(&self, thread: Uuid, request: Value, ends: usize) -> Vec<Value> {
        let path = format!("/threads/{thread}/stream/events");
        let mut answer = self.post(&path, "", &request).await;
        assert_eq!(answer.status(), 200);
        let (mut text, mut events) = (String::new(), Vec::new());
        while let Some(chunk) = answer.chunk().await.expect("a chunk") {
            text.push_str(std::str::from_utf8(&chunk).expect("text"));
            while let Some((frame, rest)) = text.split_once("\r\n\r\n") {
                events.extend(frame.lines().find_map(|line| line.strip_prefix("data: ")).map(parsed));
                text = rest.to_owned();
                if events.iter().filter(|event| is_end(event)).count() == ends {
                    return events;
                }
            }
        }
        events
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn is_end(event: &Value) -> bool {
    let params = &event["params"];
    event["method"] == "lifecycle" && params["namespace"] == json!([]) && params["data"]["event"] != "running"
}

/// The data of the events of a method.
fn data<'e>(events: &'e [Value], method: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["method"] == method).map(|event| &event["params"]["data"]).collect()
}
