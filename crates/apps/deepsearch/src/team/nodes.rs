//! What both teams begin and end with.

use graphloom_core_graph::{ChildOutcome, Node, NodeError, RunError, Snapshot};

use super::order::layers;
use super::{Research, TeamState, TeamStateUpdate};
use crate::config::ExecutionMethod;
use crate::section::{SectionState, SectionStateUpdate};
use crate::state::Section;
use crate::state::SectionBrief;
use crate::status::{Notice, StatusCode};

use std::sync::Arc;

/// Checks the outline.
pub const TEAM_BEGIN: Node = Node::named("begin");
/// Checks the outcome of the sections.
pub const TEAM_MERGE: Node = Node::named("merge");

/// In: the outline. Failure: no outline (211500), no sections or sections that wait for one another (211501), which are
/// fatal. Source: openJiuwen DeepSearch.
pub(super) async fn begin(state: Snapshot<TeamState>) -> Result<TeamStateUpdate, NodeError> {
    let outline = &state.outline;
    let fatal = if outline.sections.is_empty() && outline.id.is_empty() && outline.title.is_empty() {
        Some(Notice::fatal(StatusCode::TeamNoOutline, "there is no outline to work on"))
    } else if outline.sections.is_empty() {
        Some(Notice::fatal(StatusCode::TeamNoSections, "the outline has no sections"))
    } else {
        None
    };
    Ok(TeamState::update().notices(fatal))
}

/// The same for sections that build on one another: their dependencies must be an order.
pub(super) async fn begin_dependent(state: Snapshot<TeamState>) -> Result<TeamStateUpdate, NodeError> {
    let circle = layers(&state.outline.sections).err();
    let notice =
        circle.map(|circle| Notice::fatal(StatusCode::TeamNoSections, format!("Invalid dependency graph: {circle}")));
    match notice {
        Some(notice) => Ok(TeamState::update().notices([notice])),
        None => begin(state).await,
    }
}

/// In: the sections' results. Failure: all are empty (211502), which is fatal. Missing ones are tolerated and noted.
pub(super) async fn merge(state: Snapshot<TeamState>) -> Result<TeamStateUpdate, NodeError> {
    if has_failed(&state) {
        return Ok(TeamState::update());
    }
    let missing: Vec<&Section> =
        state.outline.sections.iter().filter(|section| !has_text(&state, &section.id)).collect();
    if missing.len() == state.outline.sections.len() {
        let notice = Notice::fatal(StatusCode::TeamAllEmpty, "no section has a text");
        return Ok(TeamState::update().notices([notice]));
    }
    Ok(TeamState::update().notes(missing.into_iter().map(is_missing).collect::<Vec<_>>()))
}

/// The note on a section without a text.
pub(crate) fn is_missing(section: &Section) -> String {
    format!("section {} ({}) is missing from the report", section.id, section.title)
}

fn has_text(state: &TeamState, section: &str) -> bool {
    let report = state.sections.get(section).and_then(|result| result.sub_report.as_ref());
    report.is_some_and(|report| !report.content.text.trim().is_empty())
}

/// Whether the team has nothing to do.
pub(super) fn has_failed(state: &TeamState) -> bool {
    state.notices.iter().any(Notice::is_fatal)
}

/// The brief of a section, without what it builds on.
pub(super) fn brief(state: &TeamState, section: &str, method: ExecutionMethod) -> SectionBrief {
    SectionBrief {
        section: state.outline.section(section).cloned().unwrap_or_default(),
        report_title: state.outline.title.clone(),
        query: state.query.clone(),
        language: state.language,
        messages: state.messages.clone(),
        report_template: state.report_template.clone(),
        config: state.config.as_ref().clone(),
        today: state.today.clone(),
        method,
        ..SectionBrief::default()
    }
}

/// What a section is given whose research is done.
pub(super) fn researched(research: &Research, brief: SectionBrief) -> SectionStateUpdate {
    let found = research.evidence.iter().map(|found| (found.id.as_str().to_owned(), found.clone()));
    SectionState::update()
        .brief(brief)
        .plans((1..).zip(research.plans.iter().cloned()).collect::<Vec<(u32, _)>>())
        .evidence(found.collect::<Vec<_>>())
}

/// The outcome of a section's graph: its state, its notices, one more when it failed.
pub(super) fn ended(outcome: ChildOutcome<SectionState>) -> Result<(Arc<SectionState>, Vec<Notice>), NodeError> {
    let (state, failure): (_, Option<RunError>) = match outcome {
        ChildOutcome::Done(state) => (state, None),
        ChildOutcome::Failed { state, error } => (state, Some(error)),
        _ => return Err(NodeError::terminal("a section ended in an unknown way")),
    };
    let mut notices: Vec<Notice> = state.notices.iter().cloned().collect();
    if let Some(error) = failure {
        let section = &state.brief.section;
        let title = &section.title;
        let notice = match error {
            RunError::StepLimit { limit, .. } => {
                let message = format!("`{title}` took {limit} steps; raise `workflow_recursion_limit`");
                Notice::exception(StatusCode::StepLimit, message)
            }
            error => Notice::exception(StatusCode::SubReport, format!("`{title}` failed: {error}")),
        };
        notices.push(notice.in_section(&section.id));
    }
    Ok((state, notices))
}
