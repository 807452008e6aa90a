//! What a team is given and what becomes of its result. In: current_outline, messages, language, config. Out:
//! current_outline with plans, report with the sections' reports, notices.
//! Failure: 211500 no outline, 211501 no sections, 211502 no section has a text.
//! Source: seed, `EditorTeamNode`, `DependencyEditorTeamNode`; study, section 1.2.

use std::sync::Arc;

use graphloom_core_graph::{ChildOutcome, NodeError, Step};

use super::fail;
use crate::graph::REPORTER;
use crate::state::{Report, SearchContext, SubReport};
use crate::status::{Notice, StatusCode};
use crate::team::{TeamState, TeamStateUpdate};

/// What the team is given.
pub(crate) fn team_input(state: &SearchContext) -> TeamStateUpdate {
    let outline = state.current_outline.clone().unwrap_or_default();
    TeamState::update()
        .outline(outline)
        .query(state.query.clone())
        .language(state.language)
        .messages(state.messages.iter().cloned().collect::<Vec<_>>())
        .report_template(state.report_template.clone())
        .config(state.config.clone())
        .today(state.request.today.clone())
}

/// What the team's result comes to.
pub(crate) fn team_result(outcome: ChildOutcome<TeamState>) -> Result<Step<SearchContext>, NodeError> {
    let team: Arc<TeamState> = outcome.done()?;
    let mut outline = (*team.outline).clone();
    let mut sub_reports: Vec<SubReport> = Vec::new();
    for section in &mut outline.sections {
        if let Some(result) = team.sections.get(&section.id) {
            section.plans.clone_from(&result.plans);
            sub_reports.extend(result.sub_report.clone().filter(|report| !report.content.text.trim().is_empty()));
        }
    }
    let mut update = SearchContext::update()
        .notices(team.notices.iter().cloned().collect::<Vec<_>>())
        .notes(team.notes.iter().cloned().collect::<Vec<_>>());
    let failure = if team.notices.iter().any(Notice::is_fatal) {
        return Ok(Step::goto(crate::graph::FINISH).with(update));
    } else if outline.id.is_empty() {
        Some(Notice::fatal(StatusCode::TeamNoOutline, "the current outline is empty"))
    } else if outline.sections.is_empty() {
        Some(Notice::fatal(StatusCode::TeamNoSections, "the current outline has no sections"))
    } else if sub_reports.is_empty() {
        Some(Notice::fatal(StatusCode::TeamAllEmpty, "all sub reports are empty"))
    } else {
        None
    };
    if let Some(notice) = failure {
        let mut step = fail(notice.clone());
        step = step.with(update.notices([notice]));
        return Ok(step);
    }
    let report = Report { report_task: outline.title.clone(), sub_reports, ..Report::default() };
    update = update.current_outline(Some(outline.into())).report(Some(report.into()));
    Ok(Step::goto(REPORTER).with(update))
}
