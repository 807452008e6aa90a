//! Every rule over real sockets of loopback.

mod browsers;
mod keys;
mod limits;
mod openapi;
mod requests;
mod streams;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Extension;
use axum::http::StatusCode;
use axum::response::Response;
use futures::StreamExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

use super::{
    Caller, Frame, Guard, Json, Path, Problem, Query, Routes, RunUuid, Scope, Security, ThreadUuid, bind, events,
    late_json, serve,
};
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;

/// A client, with the provider of cryptography that all clients of the house have.
fn client() -> reqwest::Client {
    graphloom_http::unproxied("test").build().expect("a client")
}

/// A server at a free port of loopback.
struct Served {
    address: SocketAddr,
    guard: Guard,
    stop: oneshot::Sender<()>,
    task: JoinHandle<usize>,
    /// Lets `/late` answer.
    late: Arc<Semaphore>,
}

impl Served {
    /// With the settings as they are, save what `change` changes.
    async fn start(change: impl FnOnce(&mut Security)) -> Self {
        // Sees to it that the process has its cryptography, without which no client is made.
        drop(graphloom_http::unproxied("test"));
        let mut security = Security::at(([127, 0, 0, 1], 0).into());
        change(&mut security);
        let guard = Guard::new(&security).expect("settings to start with");
        let listener = bind(security.address).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let late = Arc::new(Semaphore::new(0));
        let router = guard.protect(routes(&guard)).layer(Extension(Arc::clone(&late)));
        let task = tokio::spawn({
            let guard = guard.clone();
            async move { serve(&guard, listener, router, async { drop(stopped.await) }).await }
        });
        Self { address, guard, stop, task, late }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", path, headers, "").await
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<reqwest::Body>) -> Answer {
        let method = method.parse().expect("a method");
        let mut request = client().request(method, self.url(path)).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.expect("a whole body");
        Answer { status, headers, text }
    }

    /// Sends bytes as they are, and reads until the connection is closed.
    async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        // The server may close before it has read everything.
        drop(stream.write_all(bytes).await);
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer).await);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Sends bytes as they are, and reads no more than the status.
    async fn raw_status(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        stream.write_all(bytes).await.expect("a server that reads");
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.expect("a status");
        String::from_utf8_lossy(&status).into_owned()
    }

    /// Lets an answer of `/late` end.
    fn answer_late(&self) {
        self.late.add_permits(1);
    }

    async fn stop(self) -> usize {
        self.stop.send(()).expect("a server that runs");
        self.task.await.expect("a server that ends")
    }
}

struct Answer {
    status: u16,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    fn detail(&self) -> String {
        let body: Value = serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text));
        body["detail"].as_str().expect("a detail").to_owned()
    }
}

#[derive(Debug, Deserialize, JsonSchema, Serialize)]
struct Search {
    /// At most so many.
    limit: Option<u32>,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
struct Modes {
    stream_mode: Vec<String>,
    wait: bool,
}

/// Routes of which each does one thing.
fn routes(guard: &Guard) -> Routes<()> {
    Routes::new("Samples")
        .get("/ok", "Whether it runs", ok)
        .open()
        .get("/who", "Who calls", who)
        .post("/search", "Searches", search)
        .answers::<Search>()
        .post("/optional", "Takes a body or none", optional)
        .delete("/items", "Deletes, with a body", search)
        .needs(Scope::Admin)
        .get("/modes", "Reads a query", modes)
        .get("/threads/{thread_id}", "Reads an id", thread)
        .get("/threads/{thread_id}/runs/{run_id}", "Reads two ids", thread_and_run)
        .get("/names/{name}", "Reads a segment", name)
        .get("/panic", "Panics", panics)
        .get("/socket", "Upgrades", socket)
        .needs(Scope::Run)
        .get("/flood", "Events without an end", flood)
        .streams()
        .get("/silent", "No events, without an end", silent)
        .streams()
        .get("/late", "JSON after a while", late)
        .with_state(guard)
        .and(
            Routes::new("Other").post("/other", "Refusals of another form", search).problems_as(render).with_state(&()),
        )
}

fn render(problem: &Problem) -> Value {
    json!({ "error": { "message": problem.detail, "code": problem.code, "param": problem.param } })
}

async fn ok() -> Json<Value> {
    Json(json!({ "ok": true }))
}

async fn who(caller: Caller) -> Json<String> {
    Json(caller.name.to_string())
}

async fn search(Json(search): Json<Search>) -> Json<Search> {
    Json(search)
}

async fn optional(Json(search): Json<Option<Search>>) -> Json<bool> {
    Json(search.is_some())
}

async fn modes(Query(modes): Query<Modes>) -> Json<Modes> {
    Json(modes)
}

async fn thread(Path(thread): Path<ThreadUuid>) -> Json<String> {
    Json(thread.0.to_string())
}

async fn thread_and_run(Path((thread, run)): Path<(ThreadUuid, RunUuid)>) -> Json<[String; 2]> {
    Json([thread.0.to_string(), run.0.to_string()])
}

async fn name(Path(name): Path<String>) -> Json<String> {
    Json(name)
}

async fn panics() -> StatusCode {
    panic!("a secret of the handler")
}

async fn socket(State(guard): State<Guard>, upgrade: WebSocketUpgrade) -> Result<Response, Problem> {
    let permit = guard.capacity().stream()?;
    Ok(upgrade.on_upgrade(async move |mut socket| {
        tokio::select! {
            () = guard.draining() => {}
            _ = socket.recv() => {}
        }
        drop((socket, permit));
    }))
}

async fn flood(State(guard): State<Guard>) -> Result<Response, Problem> {
    let frames = futures::stream::unfold(0_u64, |n| async move {
        streams::FLOODED.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let data = json!({ "n": n, "text": "x".repeat(1000) });
        Some((Frame::encoded("values", &data.to_string(), Some(&n.to_string())), n + 1))
    });
    Ok(events(&guard, guard.capacity().stream()?, frames))
}

async fn silent(State(guard): State<Guard>) -> Result<Response, Problem> {
    let first = Frame::encoded("metadata", &json!({ "run_id": "r" }).to_string(), None);
    let frames = futures::stream::iter([first]).chain(futures::stream::pending());
    Ok(events(&guard, guard.capacity().stream()?, frames))
}

async fn late(Extension(may_end): Extension<Arc<Semaphore>>) -> Response {
    late_json(async move {
        may_end.acquire().await.expect("a semaphore that is not closed").forget();
        json!({ "done": true })
    })
}
