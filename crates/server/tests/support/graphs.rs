//! Graphs of the servers that run in a process of their own, beside the demo graphs.

use std::time::Duration;

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, Log, Node, NodeError, START, Snapshot, State, StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A line of three steps, each of which takes a while and leaves a trace.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct Line {
    name: Option<String>,
    delay_ms: Option<u64>,
    #[state(append)]
    trace: Log<String>,
}

const FIRST: Node = Node::named("first");
const SECOND: Node = Node::named("second");
const THIRD: Node = Node::named("third");

async fn step(line: Snapshot<Line>, which: &str) -> Result<LineUpdate, NodeError> {
    tokio::time::sleep(Duration::from_millis(line.delay_ms.unwrap_or_default())).await;
    let name = line.name.as_deref().unwrap_or_default();
    Ok(Line::update().trace([format!("{which}:{name}")]))
}

pub(super) fn line() -> Result<Compiled<Line>, CompileErrors> {
    let mut graph = StateGraph::new("line");
    graph.add_node(FIRST, async |line: Snapshot<Line>| step(line, "first").await);
    graph.add_node(SECOND, async |line: Snapshot<Line>| step(line, "second").await);
    graph.add_node(THIRD, async |line: Snapshot<Line>| step(line, "third").await);
    graph.add_edge(START, FIRST).add_edge(FIRST, SECOND).add_edge(SECOND, THIRD);
    graph.compile()
}

/// How many events a node tells, and how large they are.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct Flood {
    events: Option<u64>,
    bytes: Option<usize>,
    told: Option<u64>,
}

const TELL: Node = Node::named("tell");

async fn tell(flood: Snapshot<Flood>, context: Context) -> Result<FloodUpdate, NodeError> {
    let (events, bytes) = (flood.events.unwrap_or_default(), flood.bytes.unwrap_or_default());
    let text = "x".repeat(bytes);
    for event in 0..events {
        context.emit("", json!({ "event": event, "text": text })).await;
        if event % 16 == 0 {
            tokio::task::yield_now().await;
        }
    }
    Ok(Flood::update().told(events))
}

pub(super) fn flood() -> Result<Compiled<Flood>, CompileErrors> {
    let mut graph = StateGraph::new("flood");
    graph.add_node(TELL, tell);
    graph.add_edge(START, TELL);
    graph.compile()
}
