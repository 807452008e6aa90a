//! Node `plan_reasoning` of a section.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, Node, NodeError, Snapshot, Step};
use serde_json::{Value, json};

use crate::ask::{Ask, AskFailure};
use crate::names::DEPENDENCY_INFO_COLLECTOR;
use crate::names::{INFO_COLLECTOR, PLAN_REASONING, SECTION_END_NODE, SUB_REPORTER};
use crate::resources::{Resources, Slot, Stage};
use crate::section::SectionState;
use crate::section::plan::PlanRules;
use crate::state::{Plan, SectionBrief};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};

/// The tool whose call is the plan.
const TOOL: &str = "generate_plan";

/// Plans what has to be found next. In: the brief, earlier plans and what they found. Out: a plan, on the stream too.
/// Failure: with documents, a warning (211801) and on to writing; without, an exception (211801) and the end of the
/// section. No plan left and no documents: a warning (211901) and the end.
///
/// Source: openJiuwen DeepSearch, `ResearchPlanReasoningNode`, `DependencyPlanReasoningNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn plan_reasoning(
    state: Snapshot<SectionState>,
    cx: Context<Resources>,
) -> Result<Step<SectionState>, NodeError> {
    let brief = &*state.brief;
    let config = &brief.config;
    let section = &brief.section;
    let executed = u32::try_from(state.plans.len()).unwrap_or(u32::MAX);
    let has_documents = !state.evidence.is_empty();
    let place = |notice: Notice| notice.in_section(&section.id);
    if brief.researched || executed >= config.workflow_max_plan_executed_num {
        return Ok(settle(&state, Vec::new()));
    }
    if executed > 0 && is_late(&state, cx.now()) {
        let message = format!(
            "no further plan after {} seconds; the section is written from what was found",
            config.workflow_sub_graph_execution_timeout
        );
        return Ok(settle(&state, vec![place(Notice::warning(StatusCode::TimeOut, message))]));
    }
    let number = executed + 1;
    if !cx.resources().may_spend(Stage::Research) {
        let message = "research has spent its share of the budget".to_owned();
        let notices = vec![place(Notice::warning(StatusCode::BudgetReached, message))];
        if has_documents || executed > 0 {
            return Ok(settle(&state, notices));
        }
        // Searching costs no call: the section itself is looked up, so that there is something to write from.
        let plan = section_itself(brief, number);
        return Ok(Step::goto(collector(brief)).with(SectionState::update().plans([(number, plan)]).notices(notices)));
    }
    let rules = PlanRules {
        section: &section.id,
        number,
        most_steps: config.planner_max_step_num.max(1) as usize,
        has_documents,
        dependent: brief.is_dependent(),
    };
    match ask(&cx, &state, rules).await? {
        Ok((plan, notes)) => {
            let plan_json = serde_json::to_string(&plan).unwrap_or_default();
            let place = Place::section(&section.id).plan(number.to_string());
            stream::emit_whole(&cx, PLAN_REASONING.as_str(), place, plan_json).await;
            let completed = plan.is_research_completed;
            let update = SectionState::update().plans([(number, plan)]).notes(notes);
            Ok(if completed {
                Step::goto(after_research(brief)).with(update)
            } else {
                Step::goto(collector(brief)).with(update)
            })
        }
        Err(failure) if failure.is_budget() && !has_documents && executed == 0 => {
            let notices = [place(Notice::warning(StatusCode::BudgetReached, failure.to_string()))];
            let plan = section_itself(brief, number);
            Ok(Step::goto(collector(brief)).with(SectionState::update().plans([(number, plan)]).notices(notices)))
        }
        Err(failure) => {
            let message = format!("plan {number}: {failure}");
            let (notice, next) = if has_documents {
                (Notice::warning(StatusCode::Plan, message), after_research(brief))
            } else {
                (Notice::exception(StatusCode::Plan, message), SECTION_END_NODE)
            };
            Ok(Step::goto(next).with(SectionState::update().notices([place(notice)])))
        }
    }
}

/// What carries out a plan.
fn collector(brief: &SectionBrief) -> Node {
    if brief.is_dependent() { DEPENDENCY_INFO_COLLECTOR } else { INFO_COLLECTOR }
}

/// Where a section goes when nothing more is to be found: to writing, which in the dependency-driven team is a graph of
/// its own.
fn after_research(brief: &SectionBrief) -> Node {
    if brief.is_dependent() { SECTION_END_NODE } else { SUB_REPORTER }
}

/// No further plan: on to writing with documents, else a warning and the end.
fn settle(state: &SectionState, mut notices: Vec<Notice>) -> Step<SectionState> {
    let mut next = after_research(&state.brief);
    if state.evidence.is_empty() {
        let section = &state.brief.section;
        let message = format!("nothing was found for `{}`", section.title);
        notices.push(Notice::warning(StatusCode::SectionNoDocuments, message).in_section(&section.id));
        next = SECTION_END_NODE;
    }
    Step::goto(next).with(SectionState::update().notices(notices))
}

fn is_late(state: &SectionState, now: u64) -> bool {
    let limit = state.brief.config.workflow_sub_graph_execution_timeout.saturating_mul(1000);
    now.saturating_sub(state.started_at) >= limit
}

/// A plan of one step: the section as it stands in the outline.
fn section_itself(brief: &SectionBrief, number: u32) -> Plan {
    let id = format!("{}-{number}", brief.section.id);
    let step = crate::state::Step {
        id: format!("{id}-1"),
        title: brief.section.title.clone(),
        description: brief.section.description.clone(),
        ..crate::state::Step::default()
    };
    Plan { id, title: brief.section.title.clone(), steps: vec![step], ..Plan::default() }
}

async fn ask(
    cx: &Context<Resources>,
    state: &SectionState,
    rules: PlanRules<'_>,
) -> Result<Result<(Plan, Vec<String>), AskFailure>, NodeError> {
    let slot = Slot::PlanUnderstanding.or_named(&state.brief.config.planner_specified_llm);
    match cx.resources().strategy(slot) {
        Strategy::Free => free::plan(cx, state, rules, slot).await,
        Strategy::Guided => guided::plan(cx, state, rules, slot).await,
    }
}

/// The request for a plan with a prompt, before its conversation is added.
fn planner_ask(state: &SectionState, prompt: &str, slot: Slot) -> Ask {
    Ask::new("plan", prompt).slot(slot).tries(state.brief.config.planner_max_retry_num).small_tokens(90).tool(TOOL)
}

/// What the prompt is told.
fn args(state: &SectionState, rules: PlanRules<'_>) -> Value {
    let brief = &*state.brief;
    let known: Vec<_> = if brief.is_dependent() { state.step_notes() } else { Vec::new() };
    json!({
        "language": brief.language.as_str(),
        "today": brief.today,
        "max_step_num": rules.most_steps,
        "section_idx": rules.section,
        "plan_executed_num": rules.number,
        "max_plan_num": brief.config.workflow_max_plan_executed_num,
        "query": brief.query,
        "report_title": brief.report_title,
        "section_title": brief.section.title,
        "section_description": brief.section.description,
        "plan_background_knowledge": known,
    })
}
