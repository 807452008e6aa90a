//! A wide state: fifteen fields of about 300 letters, six nodes of which two run beside each other, 100 rounds of five
//! super-steps. Every field is written once a round.

use std::collections::BTreeMap;

use graphloom_core_graph::{App, CompileErrors, END, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{filled, once, stored};
use crate::Failure;
use crate::measure::{Floor, Measurements, Shape, Store};

const ROUNDS: u64 = 100;
const ONE: Node = Node::named("one");
const TWO: Node = Node::named("two");
const THREE: Node = Node::named("three");
const FOUR: Node = Node::named("four");
const FIVE: Node = Node::named("five");
const SIX: Node = Node::named("six");

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Wide {
    round: u64,
    messages: Vec<String>,
    trigger_events: Vec<String>,
    primary_issue_medium: String,
    autoresponse: String,
    issue: String,
    relevant_rules: String,
    memory_docs: Vec<String>,
    categorizations: Vec<String>,
    responses: Vec<String>,
    user_info: BTreeMap<String, String>,
    crm_info: BTreeMap<String, String>,
    email_thread_id: String,
    slack_participants: BTreeMap<String, String>,
    bot_id: String,
    notified_assignees: BTreeMap<String, String>,
}

/// 300 letters that are others in every round.
fn text(round: u64) -> String {
    filled("", round, 300)
}

fn list(round: u64) -> Vec<String> {
    ["0", "1", "2"].map(|at| filled(at, round, 100)).to_vec()
}

fn map(round: u64) -> BTreeMap<String, String> {
    (0..5).map(|at| (filled("", at, 10), filled("", round, 50))).collect()
}

async fn one(wide: Snapshot<Wide>) -> Result<WideUpdate, NodeError> {
    let round = wide.round + wide.messages.len().min(1) as u64;
    Ok(Wide::update().round(round).trigger_events(list(round)).primary_issue_medium(text(round)))
}

async fn two(wide: Snapshot<Wide>) -> Result<WideUpdate, NodeError> {
    Ok(Wide::update().autoresponse(text(wide.round)).issue(text(wide.round)))
}

async fn three(wide: Snapshot<Wide>) -> Result<WideUpdate, NodeError> {
    Ok(Wide::update().relevant_rules(text(wide.round)))
}

async fn four(wide: Snapshot<Wide>) -> Result<WideUpdate, NodeError> {
    let round = wide.round;
    Ok(Wide::update().categorizations(list(round)).responses(list(round)).memory_docs(list(round)))
}

async fn five(wide: Snapshot<Wide>) -> Result<WideUpdate, NodeError> {
    let round = wide.round;
    let update = Wide::update().user_info(map(round)).crm_info(map(round)).email_thread_id(text(round));
    Ok(update.slack_participants(map(round)).bot_id(text(round)).notified_assignees(map(round)))
}

async fn six(wide: Snapshot<Wide>) -> Result<WideUpdate, NodeError> {
    Ok(Wide::update().messages(list(wide.round)))
}

fn graph() -> Result<App<Wide>, CompileErrors> {
    let mut graph = StateGraph::<Wide>::new("wide");
    graph.add_node(ONE, one);
    graph.add_node(TWO, two);
    graph.add_node(THREE, three);
    graph.add_node(FOUR, four);
    graph.add_node(FIVE, five);
    graph.add_node(SIX, six);
    graph.add_edge(START, ONE).add_edge(ONE, TWO).add_edge(TWO, THREE).add_edge(TWO, FOUR);
    graph.add_join((THREE, FOUR), FIVE);
    graph.add_edge(FIVE, SIX);
    graph.add_conditional_edges(SIX, (ONE, END), |wide: &Wide| if wide.round + 1 < ROUNDS { ONE } else { END });
    Ok(graph.compile()?.with_context(()))
}

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let shape = Shape { name: "wide100", unit: "super-step", units: 5 * ROUNDS };
    let right = |wide: &Wide| wide.round + 1 == ROUNDS;
    bench.transient(shape, Floor::None, once(graph()?, right)).await?;
    let on_store = stored(graph()?, right);
    for store in Store::DURABLE {
        bench.durable(shape, store, store != Store::Full, Floor::None, &on_store).await?;
    }
    Ok(())
}
