//! What a team is given and what becomes of its result. In: `current_outline`, messages, language, config. Out:
//! `current_outline` with plans, report with the sections' reports, notices.
//! Failure: a team that failed ends the run (211500 no outline, 211501 no sections or no order, 211502 no section has a
//! text).
//! Source: openJiuwen DeepSearch, `EditorTeamNode`, `DependencyEditorTeamNode`.

use std::sync::Arc;

use graphloom_core_graph::{ChildOutcome, NodeError, Step};

use crate::names::{FINISH, REPORTER};
use crate::rewrite;
use crate::state::{Report, SearchContext};
use crate::status::Notice;
use crate::team::{TeamState, TeamStateUpdate};

/// What the team is given.
pub(crate) fn team_input(state: &SearchContext) -> TeamStateUpdate {
    let outline = state.current_outline.clone().unwrap_or_default();
    let update = TeamState::update()
        .outline(outline)
        .query(state.query.clone())
        .language(state.language)
        .messages(state.messages.iter().cloned().collect::<Vec<_>>())
        .report_template(state.report_template.clone())
        .config(state.config.clone())
        .today(state.request.today.clone());
    rewrite::only_unwritten(update, state)
}

/// What the team's result comes to.
pub(crate) fn team_result(outcome: ChildOutcome<TeamState>) -> Result<Step<SearchContext>, NodeError> {
    let team: Arc<TeamState> = outcome.done()?;
    let outline = team.planned_outline();
    let mut sub_reports = team.sub_reports();
    sub_reports.retain(|report| !report.content.text.trim().is_empty());
    let mut update = SearchContext::update()
        .notices(team.notices.iter().cloned().collect::<Vec<_>>())
        .notes(team.notes.iter().cloned().collect::<Vec<_>>());
    // The team has checked the outline and what came of it (211500, 211501, 211502).
    if team.notices.iter().any(Notice::is_fatal) {
        return Ok(Step::goto(FINISH).with(update));
    }
    let report = Report { report_task: outline.title.clone(), sub_reports, ..Report::default() };
    update = update.current_outline(Some(outline.into())).report(Some(report.into())).unwritten(team.unwritten());
    Ok(Step::goto(REPORTER).with(update))
}
