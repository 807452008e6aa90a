//! Writing again the sections that no model wrote.
//!
//! A run goes back to before its team ([`again`] is the update there), which then has nothing left to do but to write those
//! sections: from the documents that were found for them, with the plans and texts of all other sections as they are. What
//! follows a team, from the assembly of the report to its check, follows as in any run.

use std::collections::BTreeMap;

use crate::state::{SearchContext, SearchContextUpdate, Unwritten};
use crate::status::Notice;
use crate::team::{Job, Research, SectionResult, TeamStateUpdate, is_missing};

/// What a run that stands before its team, in the state `before`, has to know of what the team made of it, in the state
/// `after`. What was told of the sections that are written again is left out.
pub fn again(before: &SearchContext, after: &SearchContext) -> SearchContextUpdate {
    let sections = after.current_outline.as_deref().map(|outline| outline.sections.as_slice()).unwrap_or_default();
    let mut untrue: Vec<&Notice> = after.unwritten.iter().flat_map(|section| &section.notices).collect();
    // The team tells anew what is missing.
    let missing: Vec<String> = sections.iter().map(is_missing).collect();
    let mut undone: Vec<&String> = after.unwritten.iter().flat_map(|section| &section.notes).chain(&missing).collect();
    let notices = after.notices.iter().skip(before.notices.len()).filter(|notice| !took(&mut untrue, notice));
    let notes = after.notes.iter().skip(before.notes.len()).filter(|note| !took(&mut undone, note));
    SearchContext::update()
        .current_outline(after.current_outline.clone())
        .report(after.report.clone())
        .unwritten(after.unwritten.clone())
        .notices(notices.cloned().collect::<Vec<_>>())
        .notes(notes.cloned().collect::<Vec<_>>())
}

/// Takes one of a list, so that what was told twice is left out once for each time.
fn took<T: PartialEq>(list: &mut Vec<&T>, one: &T) -> bool {
    let at = list.iter().position(|other| *other == one);
    at.map(|at| list.swap_remove(at)).is_some()
}

/// Leaves a team only the sections to write that no model wrote; all of its work where it begins.
pub(crate) fn only_unwritten(update: TeamStateUpdate, state: &SearchContext) -> TeamStateUpdate {
    let (Some(outline), Some(report)) = (&state.current_outline, &state.report) else { return update };
    let again: BTreeMap<&str, &Unwritten> =
        state.unwritten.iter().map(|section| (section.section_id.as_str(), section)).collect();
    let (mut kept, mut research, mut finished) = (Vec::new(), Vec::new(), Vec::new());
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
                kept.push((id, SectionResult { plans, sub_report, ..SectionResult::default() }));
            }
        }
    }
    update.sections(kept).research(research).finished(finished)
}
