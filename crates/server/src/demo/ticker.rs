//! `ticker`: a loop that takes its time, one super-step a tick.

use std::time::Duration;

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, END, Log, Node, NodeError, START, Snapshot, State, StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::CUSTOM;

/// How many ticks there are to be, how far apart, and those that were.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Ticker {
    pub(crate) n: Option<u64>,
    pub(crate) delay_ms: Option<u64>,
    #[state(append)]
    pub(crate) ticks: Log<u64>,
}

/// Milliseconds before a tick, unless the input says how many.
const DELAY_MS: u64 = 50;

const TICK: Node = Node::named("tick");

async fn tick(ticker: Snapshot<Ticker>, context: Context) -> Result<TickerUpdate, NodeError> {
    let delay = ticker.delay_ms.unwrap_or(DELAY_MS);
    if delay > 0 {
        // A timer waits for a millisecond at least.
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    let tick = ticker.ticks.len() as u64 + 1;
    context.emit(CUSTOM, json!({ "tick": tick })).await;
    Ok(Ticker::update().ticks([tick]))
}

/// Without `n` one tick is enough.
fn again(ticker: &Ticker) -> Node {
    if (ticker.ticks.len() as u64) < ticker.n.unwrap_or_default() { TICK } else { END }
}

pub(crate) fn graph() -> Result<Compiled<Ticker>, CompileErrors> {
    let mut graph = StateGraph::new("ticker");
    graph.add_node(TICK, tick);
    graph.add_edge(START, TICK);
    graph.add_conditional_edges(TICK, (TICK, END), again);
    graph.compile()
}
