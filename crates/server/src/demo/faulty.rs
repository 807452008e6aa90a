//! `faulty`: a node that fails when it is told to.

use graphloom_core_graph::{CompileErrors, Compiled, Log, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to happen, and the nodes that did their work.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Faulty {
    pub(crate) mode: Option<String>,
    #[state(append)]
    pub(crate) log: Log<String>,
}

const BEFORE: Node = Node::named("before");
const BOOM: Node = Node::named("boom");

async fn boom(faulty: Snapshot<Faulty>) -> Result<FaultyUpdate, NodeError> {
    match faulty.mode.as_deref() {
        Some(mode @ "fail") => Err(NodeError::terminal(format!("boom: mode={mode}"))),
        _ => Ok(Faulty::update().log(["boom"])),
    }
}

pub(crate) fn graph() -> Result<Compiled<Faulty>, CompileErrors> {
    let mut graph = StateGraph::new("faulty");
    graph.add_node(BEFORE, async |_: Snapshot<Faulty>| Ok(Faulty::update().log(["before"])));
    graph.add_node(BOOM, boom);
    graph.add_edge(START, BEFORE).add_edge(BEFORE, BOOM);
    graph.compile()
}
