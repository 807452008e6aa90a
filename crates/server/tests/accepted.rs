//! What was accepted can be read again: a value of any depth, size and characters is refused when it is given, or is there for ever,
//! as state, question, answer, metadata and item, also in the next process.

use std::cell::RefCell;
use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_core_graph::{Compiled, Context, Log, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_server::{Running, Server};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::Client;

/// A value of a client, and what was done with it.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Deposit {
    value: Value,
    #[state(append)]
    kept: Log<Value>,
}

const KEEP: Node = Node::named("keep");

/// Keeps the value as the result of a durable step, tells it, asks about it, and keeps the answer.
async fn keep(deposit: Snapshot<Deposit>, context: Context) -> Result<DepositUpdate, NodeError> {
    let value = deposit.value.clone();
    let stored: Value = context.once("value", async { Ok(value) }).await?;
    context.emit("value", stored.clone()).await;
    let answer: Value = context.ask("go", &stored).await?;
    Ok(Deposit::update().kept([stored, answer]))
}

fn deposits() -> Compiled<Deposit> {
    let mut graph = StateGraph::new("deposits");
    graph.add_node(KEEP, keep).asks::<Value>("go");
    graph.add_edge(START, KEEP);
    graph.compile().unwrap()
}

/// Where a server keeps what it is given.
enum StoreKind {
    Memory(Arc<MemoryCheckpointer>, Arc<MemoryStore>),
    Sqlite(tempfile::TempDir),
}

impl StoreKind {
    /// A process that begins with what was kept.
    async fn served(&self) -> (Running, Client) {
        let (checkpoints, store): (Arc<dyn Checkpointer>, Arc<dyn Store>) = match self {
            Self::Memory(checkpoints, store) => (Arc::clone(checkpoints) as _, Arc::clone(store) as _),
            Self::Sqlite(folder) => {
                let checkpoints = SqliteCheckpointer::open(folder.path().join("threads.sqlite")).unwrap();
                let store = checkpoints.store();
                (Arc::new(checkpoints), Arc::new(store))
            }
        };
        let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
        let server = Server::new().graph("deposits", deposits(), ()).checkpointer(checkpoints).store(store);
        let running = server.start(address).await.unwrap();
        let client = Client::new(&format!("http://{}", running.address()));
        (running, client)
    }
}

/// A value as it is written, and as it is meant where it can be.
#[derive(Clone)]
struct Given {
    text: String,
    value: Option<Value>,
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text.chars().take(400).collect::<String>())
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        Just("\u{0}".to_owned()),
        Just("a\u{0}b\u{7f}\u{85}\u{2028}".to_owned()),
        Just("\u{fffe}\u{ffff}\u{10ffff}\u{feff}".to_owned()),
        Just("e\u{301}\u{200d}\u{202e}\"\\/<>&'%_".to_owned()),
        (1_usize..80_000).prop_map(|length| "y".repeat(length)),
    ]
}

/// Whether a number is read as it was written: the reader of JSON misses some of the longest by their last digit.
fn is_read_exactly(number: &Value) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(&number.to_string()).as_ref() == Some(number)
}

fn leaf() -> impl Strategy<Value = Value> {
    let numbers = [
        json!(0),
        json!(-0.0),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(f64::MAX),
        json!(f64::MIN_POSITIVE),
        json!(5e-324),
        json!(0.1),
        json!(-1e-7),
        json!(1e21),
    ];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(numbers.into_iter().filter(is_read_exactly).collect::<Vec<_>>()),
        any::<f64>().prop_map(Value::from).prop_filter("it is read exactly", is_read_exactly),
        text().prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A value of any depth; some as no program can hold it.
fn given() -> impl Strategy<Value = Given> {
    let levels =
        prop_oneof![3 => Just(0_usize), 1 => 1_usize..60, 3 => 85_usize..105, 1 => 105_usize..140, 1 => Just(1_000)];
    let nested = (value(), levels, any::<bool>()).prop_map(|(value, levels, in_objects)| {
        let (open, close) = if in_objects { ("{\"k\":", "}") } else { ("[1,", "]") };
        let text = format!("{}{value}{}", open.repeat(levels), close.repeat(levels));
        // What is nested more deeply is refused, and nobody reads it.
        let value = (levels < 120).then(|| {
            (0..levels).fold(value, |value, _| if in_objects { json!({ "k": value }) } else { json!([1, value]) })
        });
        Given { text, value }
    });
    let odd = ["\"\\ud800\"", "\"\\udc00x\"", "1e400", "-1e999", "NaN", "123456789012345678901234567890", "\"\u{0}\""];
    let odd = prop::sample::select(odd.to_vec()).prop_map(|text| Given { text: text.to_owned(), value: None });
    prop_oneof![8 => nested, 1 => odd]
}

/// An answer that must be there in every later process.
struct Accepted {
    path: String,
    answer: Value,
}

struct RoundTrip<'c> {
    client: &'c Client,
    accepted: &'c RefCell<Vec<Accepted>>,
}

impl RoundTrip<'_> {
    /// Sends a body; none where it is refused, as one whose value is wrong.
    async fn send(&self, method: &str, path: &str, body: String) -> Option<Value> {
        let request = self.client.request(method.parse().unwrap(), path).header("content-type", "application/json");
        let answer = request.body(body).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        if status == 422 {
            assert!(text.contains("\"detail\""), "{path}: {text}");
            return None;
        }
        assert!(
            (200..300).contains(&status),
            "{method} {path}: {status} {}",
            text.chars().take(500).collect::<String>()
        );
        Some(serde_json::from_str(&text).unwrap_or_default())
    }

    /// What a place answers now must be what it answers ever after.
    async fn keep(&self, path: String) -> Value {
        let answer = self.client.get(&path).await.unwrap().ok();
        self.accepted.borrow_mut().push(Accepted { path, answer: answer.clone() });
        answer
    }

    /// Gives all of it, and reads it.
    async fn all(&self, [input, answer, metadata, item]: &[Given; 4], key: &str) {
        let body = format!("{{\"metadata\": {{\"m\": {}}}}}", metadata.text);
        let made = self.send("POST", "/threads", body).await;
        if let (Some(made), Some(value)) = (&made, &metadata.value) {
            assert_eq!(made["metadata"]["m"], *value);
        }
        let made = match made {
            Some(made) => made,
            None => self.send("POST", "/threads", "{}".to_owned()).await.unwrap(),
        };
        let thread = format!("/threads/{}", made["thread_id"].as_str().unwrap());
        let run = |what: String| format!("{{\"assistant_id\": \"deposits\", {what}}}");
        let runs = format!("{thread}/runs/wait");
        let asked = self.send("POST", &runs, run(format!("\"input\": {{\"value\": {}}}", input.text))).await;
        if let Some(asked) = &asked {
            assert!(asked.get("__error__").is_none(), "{input:?}: {asked}");
            let state = self.client.get(&format!("{thread}/state")).await.unwrap().ok();
            assert_eq!(state["interrupts"][0]["value"], state["values"]["value"]);
            if let Some(value) = &input.value {
                assert_eq!((&state["values"]["value"], &asked["__interrupt__"][0]["value"]), (value, value));
            }
            let done = self.send("POST", &runs, run(format!("\"command\": {{\"resume\": {}}}", answer.text))).await;
            let state = self.client.get(&format!("{thread}/state")).await.unwrap().ok();
            if let (Some(_), Some(value)) = (done, answer.value.as_ref().filter(|value| !value.is_null())) {
                assert_eq!(state["values"]["kept"], json!([state["values"]["value"], value]));
            }
        }
        let body = |key: &str| {
            format!("{{\"namespace\": [\"n\"], \"key\": {}, \"value\": {{\"v\": {}}}}}", json!(key), item.text)
        };
        if self.send("PUT", "/store/items", body(key)).await.is_some() {
            let key: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
            let found = self.keep(format!("/store/items?namespace=n&key={key}")).await;
            item.value.iter().for_each(|value| assert_eq!(found["value"]["v"], *value));
        }
        for place in ["", "/state", "/history?limit=100", "/runs"] {
            self.keep(format!("{thread}{place}")).await;
        }
    }
}

fn drawn(kept: &StoreKind) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let accepted = RefCell::default();
    let (running, client) = runtime.block_on(kept.served());
    let config = ProptestConfig {
        cases: graphloom_test_support::draws(),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(given in [given(), given(), given(), given()], key in text())| {
        runtime.block_on(RoundTrip { client: &client, accepted: &accepted }.all(&given, &key));
    });
    runtime.block_on(running.stop());
    // The next process has it all. An item may have been put again since.
    let (running, client) = runtime.block_on(kept.served());
    let accepted = accepted.into_inner();
    assert!(accepted.len() > 100, "{}", accepted.len());
    let mut seen = std::collections::BTreeSet::new();
    for Accepted { path, answer } in accepted.into_iter().rev().filter(|one| seen.insert(one.path.clone())) {
        let again = runtime.block_on(client.get(&path)).unwrap();
        assert_eq!((again.status, &again.body), (200, &answer), "{path}");
    }
    runtime.block_on(running.stop());
}

#[test]
fn drawn_values_that_were_accepted_in_memory_are_read_again() {
    drawn(&StoreKind::Memory(Arc::new(MemoryCheckpointer::new()), Arc::new(MemoryStore::new())));
}

#[test]
fn drawn_values_that_were_accepted_in_a_file_are_read_again() {
    drawn(&StoreKind::Sqlite(tempfile::tempdir().unwrap()));
}
