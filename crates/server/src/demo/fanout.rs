//! `fanout`: a task for every name, and a node behind all of them.

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, Log, Node, NodeError, Packet, START, Snapshot, State, StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::answer_text;

/// Names, whether a person is asked about each, and a result for each.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Fanout {
    pub(crate) names: Option<Vec<String>>,
    pub(crate) ask: Option<bool>,
    #[state(append)]
    pub(crate) results: Log<String>,
}

/// What a task is sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Assignment {
    name: String,
    ask: bool,
}

const SPLIT: Node = Node::named("split");
const WORKER: Task<Assignment> = Task::named("worker");
const JOIN: Node = Node::named("join");

/// The place in the list is the key, so results are in the order of the names, and a name may be there twice.
fn assignments(fanout: &Fanout) -> Vec<Packet> {
    let ask = fanout.ask.unwrap_or(false);
    let names = fanout.names.iter().flatten().enumerate();
    names.map(|(place, name)| WORKER.send(place, Assignment { name: name.clone(), ask })).collect()
}

async fn worker(assignment: Assignment, _: Snapshot<Fanout>, context: Context) -> Result<FanoutUpdate, NodeError> {
    let Assignment { name, ask } = assignment;
    let suffix =
        if ask { answer_text(&context.ask::<Value>("name", &json!({ "name": name })).await?) } else { "ok".to_owned() };
    Ok(Fanout::update().results([format!("{name}:{suffix}")]))
}

async fn join(fanout: Snapshot<Fanout>) -> Result<FanoutUpdate, NodeError> {
    Ok(Fanout::update().results([format!("total:{}", fanout.results.len())]))
}

pub(crate) fn graph() -> Result<Compiled<Fanout>, CompileErrors> {
    let mut graph = StateGraph::new("fanout");
    graph.add_node(SPLIT, async |_: Snapshot<Fanout>| Ok(()));
    graph.add_task(WORKER, worker).asks::<Value>("name");
    graph.add_node(JOIN, join);
    graph.add_edge(START, SPLIT);
    graph.add_sends(SPLIT, WORKER, assignments);
    // An edge and not a join: without names nothing is sent, and nothing comes behind.
    graph.add_edge(WORKER, JOIN);
    graph.compile()
}
