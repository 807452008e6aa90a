//! Carrying out the newest plan of a section as a subgraph: what goes in, what comes out.
//! Source: openJiuwen DeepSearch, `InfoCollectorNode` and `DependencyInfoCollectorNode`.

use graphloom_core_graph::{ChildOutcome, NodeError, State};

use super::{SectionState, SectionStateUpdate};
use crate::collector::{CollectLimits, CollectRequest};
use crate::state::{ChatTurn, Plan, Step};
use crate::status::{Notice, StatusCode};
use crate::steps::{StepOrder, StepsState};

/// The steps of the newest plan. In the parallel method they are carried out one after the other.
pub(crate) fn collect(state: &SectionState) -> <StepsState as State>::Update {
    let brief = &state.brief;
    let (number, plan) = state.plans.last().map(|(number, plan)| (*number, plan.clone())).unwrap_or_default();
    let request = CollectRequest {
        section_id: brief.section.id.clone(),
        section_title: brief.section.title.clone(),
        plan_idx: number.to_string(),
        query: brief.query.clone(),
        language: brief.language,
        today: brief.today.clone(),
        limits: CollectLimits::from(&brief.config),
        ..CollectRequest::default()
    };
    let order = if brief.is_dependent() { StepOrder::Dependencies } else { StepOrder::Sequential };
    let background = if brief.is_dependent() { state.step_notes() } else { Vec::new() };
    StepsState::update().plan(plan).order(order).request(request).background(background)
}

/// The plan with its results. Each step becomes a message, so that the next planning round sees it. Whatever happened to
/// the steps, the section goes on with what they found.
pub(crate) fn collected(outcome: ChildOutcome<StepsState>) -> Result<SectionStateUpdate, NodeError> {
    let (state, failure) = match outcome {
        ChildOutcome::Done(state) => (state, None),
        ChildOutcome::Failed { state, error } => (state, Some(error)),
        _ => return Err(NodeError::terminal("the steps of a plan ended in an unknown way")),
    };
    let plan = state.finished_plan();
    let mut notices: Vec<Notice> = state.notices.iter().cloned().collect();
    if let Some(error) = failure {
        let message = format!("the steps of plan `{}` failed: {error}", plan.id);
        let notice = Notice::warning(StatusCode::StepNoDocuments, message);
        notices.push(notice.in_section(&state.request.section_id));
    }
    let messages: Vec<ChatTurn> = plan.steps.iter().filter_map(message_of_step).collect();
    let number = number_of(&plan);
    Ok(SectionState::update()
        .plans([(number, plan)])
        .evidence(state.evidence.iter().map(|(id, found)| (id.clone(), found.clone())).collect::<Vec<_>>())
        .messages(messages)
        .notices(notices)
        .notes(state.notes.iter().cloned().collect::<Vec<_>>()))
}

/// The number of a plan: the last part of its id.
fn number_of(plan: &Plan) -> u32 {
    plan.id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(1)
}

fn message_of_step(step: &Step) -> Option<ChatTurn> {
    let result = step.step_result.as_deref()?;
    let mut text = format!("Step `{}`: {}\n{}\n", step.id, step.title, step.description);
    text.push_str(if result.is_empty() { "Nothing was found." } else { result });
    if !step.evaluation.is_empty() {
        text.push_str(&format!("\n{}", step.evaluation));
    }
    Some(ChatTurn::assistant("info_collector", text))
}
