//! What a program left that its next version cannot read, or its next start: a graph that changed, a log that is damaged.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::{MemoryStore, PutOptions, Query, Store};
use graphloom_core_graph::{Compiled, Context, Log, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_server::{Running, Server};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::Client;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Letter {
    text: Option<String>,
    #[state(append)]
    log: Log<String>,
}

/// The letter as another version of the program has it.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Numbered {
    text: Option<u64>,
    #[state(append)]
    log: Log<String>,
}

const WRITE: Node = Node::named("write");
const COMPOSE: Node = Node::named("compose");
const ASK: Node = Node::named("ask");
const CONFIRM: Node = Node::named("confirm");

async fn write(letter: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
    if letter.text.as_deref() == Some("slow") {
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
    Ok(Letter::update().log(["written".to_owned()]))
}

async fn ask(_letter: Snapshot<Letter>, context: Context) -> Result<LetterUpdate, NodeError> {
    let answer: String = context.ask("send", "Send?").await?;
    Ok(Letter::update().log([answer]))
}

async fn number(_letter: Snapshot<Numbered>) -> Result<NumberedUpdate, NodeError> {
    Ok(Numbered::update().text(1))
}

fn letter(writes: Node, asks: Node) -> Compiled<Letter> {
    let mut graph = StateGraph::new("letter");
    graph.add_node(writes.clone(), write);
    graph.add_node(asks.clone(), ask).asks::<String>("send");
    graph.add_edge(START, writes.clone()).add_edge(writes, asks);
    graph.compile().unwrap()
}

fn numbered() -> Compiled<Numbered> {
    let mut graph = StateGraph::new("letter");
    graph.add_node(WRITE, number);
    graph.add_node(ASK, number);
    graph.add_edge(START, WRITE).add_edge(WRITE, ASK);
    graph.compile().unwrap()
}

/// What a version of the program serves.
#[derive(Clone, Copy, Debug)]
enum Version {
    First,
    /// The node that asks has another name.
    OtherAsk,
    /// The node that writes has another name.
    OtherWrite,
    /// A field of the state has another type.
    OtherShape,
    /// The graph has another name.
    OtherGraph,
}

impl Version {
    fn served(self, server: Server) -> Server {
        match self {
            Self::First => server.graph("letter", letter(WRITE, ASK), ()),
            Self::OtherAsk => server.graph("letter", letter(WRITE, CONFIRM), ()),
            Self::OtherWrite => server.graph("letter", letter(COMPOSE, ASK), ()),
            Self::OtherShape => server.graph("letter", numbered(), ()),
            Self::OtherGraph => server.graph("other", letter(WRITE, ASK), ()),
        }
    }
}

/// What outlives a process.
#[derive(Default)]
struct Machine {
    checkpoints: Arc<MemoryCheckpointer>,
    store: Arc<MemoryStore>,
}

impl Machine {
    async fn start(&self, version: Version) -> (Running, Client) {
        let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
        let (checkpoints, store) = (Arc::clone(&self.checkpoints), Arc::clone(&self.store));
        let server = version.served(Server::new().checkpointer(checkpoints).store(store));
        let running = server.start(address).await.unwrap();
        let client = Client::new(&format!("http://{}", running.address()));
        (running, client)
    }

    /// A process that dies when a letter is being written; its run and thread.
    async fn dies_while_it_writes(self: &Arc<Self>) -> (String, String) {
        let process = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let machine = Arc::clone(self);
        let (_running, client) = process.spawn(async move { machine.start(Version::First).await }).await.unwrap();
        let thread = new_thread(&client).await;
        let run = client.post(&format!("{thread}/runs"), order(json!({"input": {"text": "slow"}}))).await.unwrap().ok();
        let run = format!("{thread}/runs/{}", run["run_id"].as_str().unwrap());
        while client.get(&format!("{thread}/state")).await.unwrap().ok()["next"] != json!(["write"]) {
            tokio::task::yield_now().await;
        }
        process.shutdown_background();
        (thread, run)
    }
}

fn order(more: Value) -> Value {
    let Value::Object(more) = more else { panic!("an order is an object, not {more}") };
    let named = [("assistant_id".to_owned(), json!("letter"))];
    named.into_iter().chain(more).collect()
}

/// The path of a new thread.
async fn new_thread(client: &Client) -> String {
    let thread = client.post("/threads", json!({})).await.unwrap().ok();
    format!("/threads/{}", thread["thread_id"].as_str().unwrap())
}

#[tokio::test]
async fn a_thread_that_does_not_fit_its_graph_is_refused_and_stays_as_it_is() {
    let gone = "a task waits at node `ask`, which the graph no longer has";
    for (version, status, part, kind) in [
        (Version::OtherAsk, 409, gone, "GraphMismatchError"),
        (Version::OtherShape, 409, "`text`", "StoreError"),
        (Version::OtherGraph, 400, "is of the graph 'letter', which is not served here: other", ""),
    ] {
        let machine = Machine::default();
        let (running, client) = machine.start(Version::First).await;
        let thread = new_thread(&client).await;
        let asked = client.post(&format!("{thread}/runs/wait"), order(json!({"input": {"text": "a"}}))).await.unwrap();
        assert_eq!(asked.ok()["__interrupt__"][0]["value"], "Send?");
        let state = client.get(&format!("{thread}/state")).await.unwrap().ok();
        let seen = client.get(&thread).await.unwrap().ok();
        running.stop().await;

        let (running, client) = machine.start(version).await;
        for (method, path, body) in [
            ("GET", "state", json!(null)),
            ("POST", "history", json!({"limit": 3})),
            ("POST", "state", json!({"values": {"log": ["x"]}, "as_node": "write"})),
        ] {
            let refused = client.call(method.parse().unwrap(), &format!("{thread}/{path}"), &body).await.unwrap();
            assert_eq!(refused.status, status, "{version:?} {method} {path}: {}", refused.body);
            let detail = refused.body["detail"].as_str().unwrap();
            assert!(detail.contains(part), "{version:?} {method} {path}: {detail}");
        }
        let answer = order(json!({"command": {"resume": "yes"}}));
        let answered = client.post(&format!("{thread}/runs/wait"), answer.clone()).await.unwrap();
        if matches!(version, Version::OtherGraph) {
            assert_eq!(answered.status, 422, "{}", answered.body);
        } else {
            let failure = answered.ok()["__error__"].clone();
            assert_eq!(failure["error"], kind, "{failure}");
            assert!(failure["message"].as_str().unwrap().contains(part), "{failure}");
        }
        let mut now = client.get(&thread).await.unwrap().ok();
        now["updated_at"] = seen["updated_at"].clone();
        now["state_updated_at"] = seen["state_updated_at"].clone();
        assert_eq!(now, seen, "{version:?}");
        running.stop().await;

        let (running, client) = machine.start(Version::First).await;
        assert_eq!(client.get(&format!("{thread}/state")).await.unwrap().ok(), state, "{version:?}");
        let done = client.post(&format!("{thread}/runs/wait"), answer).await.unwrap().ok();
        assert_eq!(done["log"], json!(["written", "yes"]));
        running.stop().await;
    }
}

#[tokio::test]
async fn a_run_that_cannot_go_on_fails_by_itself_and_the_server_starts() {
    for (version, part) in [
        (Version::OtherWrite, "a task waits at node `write`, which the graph no longer has"),
        (Version::OtherShape, "`text`"),
        (Version::OtherGraph, "graph `letter` is not served here; graphs: other"),
    ] {
        let machine = Arc::new(Machine::default());
        let (thread, run) = machine.dies_while_it_writes().await;
        let (running, client) = machine.start(version).await;
        let joined = client.get(&format!("{run}/join")).await.unwrap().ok();
        let message = joined["__error__"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{version:?}: {joined}");
        assert_eq!(client.get(&run).await.unwrap().ok()["status"], "error");
        assert_eq!(client.get(&thread).await.unwrap().ok()["status"], "error");
        running.stop().await;

        // The version before finds the thread as its process left it.
        let (running, client) = machine.start(Version::First).await;
        assert_eq!(client.get(&format!("{thread}/state")).await.unwrap().ok()["next"], json!(["write"]), "{version:?}");
        running.stop().await;
    }
}

#[tokio::test]
async fn a_damaged_log_fails_its_run_and_its_streams_and_nothing_else() {
    let machine = Arc::new(Machine::default());
    let (thread, run) = machine.dies_while_it_writes().await;
    let items = machine.store.query(&Query::default().limit(1_000)).await.unwrap();
    let mut damaged = 0;
    for item in items.into_iter().filter(|item| item.namespace.segments().get(1).is_some_and(|part| part == "log")) {
        let mut value = item.value;
        value["entries"] = value["entries"].as_str().unwrap().replace("run_started", "run_st").into();
        machine.store.put(&item.namespace, &item.key, value, PutOptions::default()).await.unwrap();
        damaged += 1;
    }
    assert!(damaged > 0);

    let (running, client) = machine.start(Version::First).await;
    let joined = client.get(&format!("{run}/join")).await.unwrap().ok();
    let message = joined["__error__"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("the run cannot go on after its process died: stored data of the event log"),
        "{joined}"
    );
    let stream = client.get(&format!("{run}/stream")).await.unwrap();
    assert_eq!(stream.status, 200);
    assert_eq!(client.get(&format!("{thread}/state")).await.unwrap().ok()["next"], json!(["write"]));
    let other = new_thread(&client).await;
    let asked = client.post(&format!("{other}/runs/wait"), order(json!({"input": {"text": "a"}}))).await.unwrap().ok();
    assert_eq!(asked["__interrupt__"][0]["value"], "Send?");
    running.stop().await;
}
