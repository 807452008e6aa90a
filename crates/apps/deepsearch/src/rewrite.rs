//! Rewriting the sections that no model wrote.
//!
//! The run is forked before its team with the update of [`update_to_rewrite`]. The team then only writes those sections, from
//! the documents that were found for them; the plans and texts of all other sections stay. The nodes after the team follow as
//! in any run.

use std::collections::BTreeMap;

use crate::state::{SearchContext, SearchContextUpdate, Unwritten};
use crate::status::Notice;
use crate::team::{Job, Research, SectionResult, TeamStateUpdate, is_missing};

/// The update for a run before its team, in the state `before`: the results of the team from the state `after`, without the
/// notices and notes on the sections that are rewritten.
pub fn update_to_rewrite(before: &SearchContext, after: &SearchContext) -> SearchContextUpdate {
    let sections = after.current_outline.as_deref().map(|outline| outline.sections.as_slice()).unwrap_or_default();
    let mut untrue: Vec<&Notice> = after.unwritten.iter().flat_map(|section| &section.notices).collect();
    // The team reports missing sections again.
    let missing: Vec<String> = sections.iter().map(is_missing).collect();
    let mut undone: Vec<&String> = after.unwritten.iter().flat_map(|section| &section.notes).chain(&missing).collect();
    let notices = after.notices.iter().skip(before.notices.len()).filter(|notice| !remove_one(&mut untrue, notice));
    let notes = after.notes.iter().skip(before.notes.len()).filter(|note| !remove_one(&mut undone, note));
    SearchContext::update()
        .current_outline(after.current_outline.clone())
        .report(after.report.clone())
        .unwritten(after.unwritten.clone())
        .notices(notices.cloned().collect::<Vec<_>>())
        .notes(notes.cloned().collect::<Vec<_>>())
}

/// Removes the first element that equals `one`, and returns whether there was any. An element that is there twice is removed
/// once for each call.
fn remove_one<T: PartialEq>(list: &mut Vec<&T>, one: &T) -> bool {
    let at = list.iter().position(|other| *other == one);
    at.map(|at| list.swap_remove(at)).is_some()
}

/// Reduces the work of a team to the sections that no model wrote. A team that has no report yet keeps all of its work.
pub(crate) fn only_unwritten(update: TeamStateUpdate, state: &SearchContext) -> TeamStateUpdate {
    let (Some(outline), Some(report)) = (&state.current_outline, &state.report) else { return update };
    let again: BTreeMap<&str, &Unwritten> =
        state.unwritten.iter().map(|section| (section.section_id.as_str(), section)).collect();
    let (mut unchanged, mut research, mut finished) = (Vec::new(), Vec::new(), Vec::new());
    for section in &outline.sections {
        let (id, plans) = (section.id.clone(), section.plans.clone());
        finished.push(Job::reason(&id));
        match again.get(id.as_str()) {
            Some(unwritten) => {
                research.push((id, Research { plans, evidence: unwritten.documents.clone() }));
            }
            None => {
                let sub_report = report.sub_reports.iter().find(|report| report.section_id == id).cloned();
                finished.push(Job::write(&id));
                unchanged.push((id, SectionResult { plans, sub_report, ..SectionResult::default() }));
            }
        }
    }
    update.sections(unchanged).research(research).finished(finished)
}
