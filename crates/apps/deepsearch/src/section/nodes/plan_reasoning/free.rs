//! Planning by a model that describes its steps and says when enough is known.

use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{Message, fence};

use super::{args, planner_ask};
use crate::ask::{AskFailure, value};
use crate::resources::{Resources, Slot};
use crate::section::SectionState;
use crate::section::plan::{PlanReply, PlanRules, read_plan};
use crate::state::{ChatTurn, Plan};

/// The plan, made in view of what was said in the section so far.
pub(super) async fn plan(
    cx: &Context<Resources>,
    state: &SectionState,
    rules: PlanRules<'_>,
    slot: Slot,
) -> Result<Result<(Plan, Vec<String>), AskFailure>, NodeError> {
    let prompt = if state.brief.is_dependent() { "dep_driving_planner" } else { "planner" };
    let ask = planner_ask(state, prompt, slot).conversation(state.messages.iter().map(message).collect());
    value(cx, &ask, &args(state, rules), |given: PlanReply| read_plan(given, rules)).await
}

/// A message of the section as the planner reads it. What steps found is text from outside, whoever summed it up.
fn message(turn: &ChatTurn) -> Message {
    if turn.role == "assistant" {
        return Message::user(fence::fenced(&turn.content, "what a step found"));
    }
    Message::user(turn.content.clone())
}
