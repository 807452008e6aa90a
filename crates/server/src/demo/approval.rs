//! `approval`: a draft that a person approves or not, and a node that goes where the answer leads.

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, Log, Node, NodeError, START, Snapshot, State, StateGraph, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::required;

/// A request, its draft, and what was decided.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Approval {
    pub(crate) request: Option<String>,
    pub(crate) draft: Option<String>,
    pub(crate) decision: Option<String>,
    #[state(append)]
    pub(crate) log: Log<String>,
}

const DRAFT: Node = Node::named("draft");
const REVIEW: Node = Node::named("review");
const PUBLISH: Node = Node::named("publish");
const DISCARD: Node = Node::named("discard");

async fn draft(approval: Snapshot<Approval>) -> Result<ApprovalUpdate, NodeError> {
    let request = required(approval.request.as_ref(), "request")?;
    Ok(Approval::update().draft(format!("Draft for {request}")).log(["draft"]))
}

async fn review(approval: Snapshot<Approval>, context: Context) -> Result<Step<Approval>, NodeError> {
    let draft = required(approval.draft.as_ref(), "draft")?;
    let answer: Value = context.ask("approve", &json!({ "question": "Approve?", "draft": draft })).await?;
    let decision = decision(&answer);
    let next = if decision == "approve" { PUBLISH } else { DISCARD };
    let log = [format!("review:{decision}")];
    Ok(Step::goto(next).with(Approval::update().decision(decision.to_owned()).log(log)))
}

/// A text, or the text under `decision`; what says nothing rejects.
fn decision(answer: &Value) -> &str {
    answer.as_str().or_else(|| answer.get("decision")?.as_str()).unwrap_or("reject")
}

pub(crate) fn graph() -> Result<Compiled<Approval>, CompileErrors> {
    let mut graph = StateGraph::new("approval");
    graph.add_node(DRAFT, draft);
    graph.add_node(REVIEW, review).asks::<Value>("approve").may_goto((PUBLISH, DISCARD));
    graph.add_node(PUBLISH, async |_: Snapshot<Approval>| Ok(Approval::update().log(["publish"])));
    graph.add_node(DISCARD, async |_: Snapshot<Approval>| Ok(Approval::update().log(["discard"])));
    graph.add_edge(START, DRAFT).add_edge(DRAFT, REVIEW);
    graph.compile()
}
