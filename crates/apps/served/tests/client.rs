//! A client of a server in this process.

use graphloom_core_graph::simulate::LocalExecutor;
use graphloom_server::{Running, Server};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

/// A client with a thread of its own.
pub(crate) struct ThreadClient {
    base: String,
    graph: &'static str,
    pub(crate) id: String,
    _server: Option<Running>,
}

impl ThreadClient {
    /// The server executes tasks here, or with `GRAPHLOOM_ELSEWHERE=1` by workers of this process that get them as bytes.
    pub(crate) async fn new(server: Server, graph: &'static str) -> Self {
        let server = match std::env::var_os("GRAPHLOOM_ELSEWHERE") {
            Some(_) => {
                let workers = LocalExecutor::performed_by(server.performers());
                server.executed_by(workers)
            }
            None => server,
        };
        let server = server.start(std::net::SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let base = format!("http://{}", server.address());
        let mut client = Self { base, graph, id: String::new(), _server: Some(server) };
        client.id = client.post("/threads", &json!({})).await["thread_id"].as_str().unwrap().to_owned();
        client
    }

    /// A client of another thread of the same server.
    pub(crate) fn of_thread(&self, id: &str) -> Self {
        Self { base: self.base.clone(), graph: self.graph, id: id.to_owned(), _server: None }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let (status, body) = self.try_post(path, body).await;
        assert!(status.is_success(), "{path}: {status}: {body}");
        body
    }

    pub(crate) async fn try_post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let response = self.send(path, body).await;
        (response.status(), serde_json::from_str(&response.text().await.unwrap()).unwrap())
    }

    /// Posts a body, and returns the response as it begins.
    pub(crate) async fn send(&self, path: &str, body: &Value) -> Response {
        let request = http().post(format!("{}{path}", self.base)).header("content-type", "application/json");
        request.body(body.to_string()).send().await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        http().get(format!("{}{path}", self.base)).send().await.unwrap()
    }

    /// Runs with an order beside the assistant, and returns the values at the end.
    pub(crate) async fn run(&self, order: Value) -> Value {
        let mut body = json!({ "assistant_id": self.graph });
        body.as_object_mut().unwrap().extend(order.as_object().unwrap().clone());
        self.post(&format!("/threads/{}/runs/wait", self.id), &body).await
    }

    /// Says something, and returns the values at the end.
    pub(crate) async fn say(&self, text: &str) -> Value {
        self.run(json!({ "input": { "messages": [{ "role": "user", "content": text }] } })).await
    }

    pub(crate) async fn answer(&self, answer: Value) -> Value {
        self.run(json!({ "command": { "resume": answer } })).await
    }

    /// The question of the thread.
    pub(crate) async fn question(&self) -> Value {
        let thread = self.get(&format!("/threads/{}", self.id)).await.json_value().await;
        let asked = thread["interrupts"].as_object().unwrap().values().flat_map(|asked| asked.as_array().unwrap());
        let asked: Vec<&Value> = asked.collect();
        assert_eq!(asked.len(), 1, "{thread}");
        asked[0].clone()
    }

    /// What is said of the graph, at a path below its own.
    pub(crate) async fn of_graph(&self, path: &str) -> Value {
        self.get(&format!("/assistants/{}/{path}", self.graph)).await.json_value().await
    }

    /// Downloads a document of the values.
    pub(crate) async fn download(&self, name: &str) -> Response {
        self.get(&format!("/threads/{}/artifacts/{name}", self.id)).await
    }
}

/// A client that no proxy of the environment comes between.
pub(crate) fn http() -> Client {
    graphloom_http::unproxied("tests").build().unwrap()
}

/// What a response holds.
pub(crate) trait JsonValue {
    async fn json_value(self) -> Value;
}

impl JsonValue for Response {
    async fn json_value(self) -> Value {
        serde_json::from_str(&self.text().await.unwrap()).unwrap()
    }
}

/// The text of the last message.
pub(crate) fn last_text(values: &Value) -> String {
    let last = values["messages"].as_array().and_then(|messages| messages.last()).unwrap_or(&Value::Null);
    assert_eq!(last["type"], "ai", "{values}");
    last["content"].as_str().unwrap_or_default().to_owned()
}
