//! Documents through a socket: kept by a node, listed by the state, downloaded, copied and deleted with their thread.

use graphloom_core_graph::{Compiled, Context, Node, NodeError, START, Snapshot, State, StateGraph};
use reqwest::{Client, Method, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Artifact, keep};
use crate::builder::Server;
use crate::running::Running;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Letter {
    name: Option<String>,
    text: Option<String>,
    artifacts: Vec<Artifact>,
}

const WRITE: Node = Node::named("write");

/// Asks for the text where the input has none.
async fn write(letter: Snapshot<Letter>, context: Context) -> Result<LetterUpdate, NodeError> {
    let text = match &letter.text {
        Some(text) => text.clone(),
        None => context.ask::<String>("text/1", &json!("What shall it say?")).await?,
    };
    let name = letter.name.clone().unwrap_or_else(|| "letter.html".to_owned());
    let kept = keep(&context, &name, "text/html; charset=utf-8", text).await?;
    Ok(Letter::update().artifacts(vec![kept]))
}

fn graph() -> Compiled<Letter> {
    let mut graph = StateGraph::<Letter>::new("letter");
    graph.add_node(WRITE, write).asks::<String>("text");
    graph.add_edge(START, WRITE);
    graph.compile().expect("a graph")
}

struct LetterClient {
    server: Running,
}

impl LetterClient {
    async fn new() -> Self {
        let server =
            Server::new().graph("letter", graph(), ()).answers("letter", [("text", json!({ "type": "string" }))]);
        Self { server: server.start(std::net::SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a server") }
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        let mut request = Client::new().request(method, format!("http://{}{path}", self.server.address()));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        request.send().await.expect("an answer")
    }

    async fn json(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let text = self.send(method, path, body).await.text().await.expect("a body");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}: {text}"))
    }

    async fn thread(&self) -> String {
        let thread = self.json(Method::POST, "/threads", Some(json!({}))).await;
        thread["thread_id"].as_str().expect("an id").to_owned()
    }

    async fn run(&self, thread: &str, mut order: Value) -> Value {
        order["assistant_id"] = json!("letter");
        self.json(Method::POST, &format!("/threads/{thread}/runs/wait"), Some(order)).await
    }

    async fn download(&self, thread: &str, name: &str) -> Response {
        self.send(Method::GET, &format!("/threads/{thread}/artifacts/{name}"), None).await
    }
}

#[tokio::test]
async fn a_document_is_downloaded_by_its_name_and_nothing_else_is() {
    let client = LetterClient::new().await;
    let thread = client.thread().await;
    let values = client.run(&thread, json!({ "input": { "text": "<b>Dear Ada</b>", "name": "Bär & Co.html" } })).await;
    let listed = &values["artifacts"][0];
    assert_eq!(listed["path"], "artifacts/B%C3%A4r%20%26%20Co.html", "{values}");
    assert_eq!((&listed["size"], &listed["media_type"]), (&json!(15), &json!("text/html; charset=utf-8")));

    let got = client.download(&thread, "B%C3%A4r%20%26%20Co.html").await;
    assert_eq!(got.status(), 200);
    let header = |name: &str| got.headers()[name].to_str().expect("a text").to_owned();
    assert_eq!(header("content-type"), "text/html; charset=utf-8");
    assert!(header("content-disposition").starts_with("attachment; filename=\"B_r & Co.html\""));
    assert!(header("content-security-policy").starts_with("sandbox"));
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(got.text().await.expect("a body"), "<b>Dear Ada</b>");

    let elsewhere = client.thread().await;
    for (thread, name) in [
        (&thread, "other.html"),
        (&thread, listed["hash"].as_str().expect("a hash")),
        (&thread, "..%2F..%2Fetc%2Fpasswd"),
        (&thread, "%2e%2e"),
        (&elsewhere, "B%C3%A4r%20%26%20Co.html"),
    ] {
        let status = client.download(thread, name).await.status();
        assert!(status.is_client_error(), "{name}: {status}");
    }
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_fails_the_run() {
    let client = LetterClient::new().await;
    let thread = client.thread().await;
    let values = client.run(&thread, json!({ "input": { "text": "x", "name": "../letter.html" } })).await;
    assert!(values.to_string().contains("is no name of a document"), "{values}");
}

#[tokio::test]
async fn a_copy_keeps_the_documents_of_a_thread_that_is_deleted() {
    let client = LetterClient::new().await;
    let thread = client.thread().await;
    client.run(&thread, json!({ "input": { "text": "Dear Ada" } })).await;
    let copy = client.json(Method::POST, &format!("/threads/{thread}/copy"), Some(json!({}))).await;
    let copy = copy["thread_id"].as_str().expect("an id");
    assert!(client.send(Method::DELETE, &format!("/threads/{thread}"), None).await.status().is_success());
    assert_eq!(client.download(&thread, "letter.html").await.status(), 404);
    assert_eq!(client.download(copy, "letter.html").await.text().await.expect("a body"), "Dear Ada");
}

#[tokio::test]
async fn a_question_comes_with_the_schema_of_its_answer() {
    let client = LetterClient::new().await;
    let thread = client.thread().await;
    let told = client.run(&thread, json!({ "input": {} })).await;
    let schema = json!({ "type": "string" });
    let shown = client.json(Method::GET, &format!("/threads/{thread}"), None).await;
    let asked = shown["interrupts"].as_object().and_then(|tasks| tasks.values().next()).expect("a task");
    assert_eq!(asked[0]["response_schema"], schema, "{shown}, {told}");
    let values = client.run(&thread, json!({ "command": { "resume": "Dear Bea" } })).await;
    assert_eq!(values["artifacts"][0]["name"], "letter.html", "{values}");
}
