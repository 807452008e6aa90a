//! Planning by a small model: it names the steps.

use graphloom_core_graph::{Context, NodeError};

use super::{args, planner_ask};
use crate::ask::{AskFailure, value};
use crate::resources::{Resources, Slot};
use crate::section::SectionState;
use crate::section::plan::{PlanReply, PlanRules, ShortPlan, StepReply, read_plan};
use crate::state::Plan;

/// The plan; each step is described by the section that it is for.
pub(super) async fn plan(
    cx: &Context<Resources>,
    state: &SectionState,
    rules: PlanRules<'_>,
    slot: Slot,
) -> Result<Result<(Plan, Vec<String>), AskFailure>, NodeError> {
    let section = &state.brief.section.title;
    let take = |given: ShortPlan| {
        let describe =
            |title: String| StepReply { description: format!("{section}: {title}"), title, ..StepReply::default() };
        let steps = given.steps.into_iter().map(describe).collect();
        read_plan(PlanReply { steps, ..PlanReply::default() }, rules)
    };
    value(cx, &planner_ask(state, "planner", slot), &args(state, rules), take).await
}
