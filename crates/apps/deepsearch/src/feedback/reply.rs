//! What the person is told about a change.

use std::collections::BTreeSet;

use graphloom_citations::{checked_ids, unresolved};
use serde::Serialize;

use super::apply::Change;
use crate::markup::Unit;
use crate::state::FinalResult;

/// The reply to a change. Offsets count in the unit of the payload.
#[derive(Clone, Debug, Serialize)]
pub struct Reply {
    /// What stood there.
    pub original_text: String,
    /// Where it began.
    pub original_start_offset: usize,
    /// Where it ended.
    pub original_end_offset: usize,
    /// What stands there now.
    pub rewritten_text: String,
    /// Where it begins.
    pub rewritten_start_offset: usize,
    /// Where it ends.
    pub rewritten_end_offset: usize,
    /// The kind of change.
    pub action_category: String,
    /// The change.
    pub action_subcategory: String,
    /// How many changes were asked for, this one included.
    pub feedback_interaction_count: u32,
    /// The result.
    pub final_result: FinalResult,
    /// Ours: what the offsets count.
    pub offset_unit: Unit,
    /// Ours: the citation marks and links of conclusions that the change has taken out.
    pub lost_markers: Vec<String>,
    /// Ours: ids of citations that no mark of the report leads to any more.
    pub unmarked_citations: Vec<u64>,
}

impl Reply {
    /// The offsets and texts of a change.
    pub(super) fn of(change: &Change, old_report: &str, unit: Unit) -> Self {
        Self {
            original_text: change.old_text.clone(),
            original_start_offset: unit.offset(old_report, change.old.start),
            original_end_offset: unit.offset(old_report, change.old.end),
            rewritten_text: change.new_text.clone(),
            rewritten_start_offset: unit.offset(&change.report, change.new.start),
            rewritten_end_offset: unit.offset(&change.report, change.new.end),
            action_category: String::new(),
            action_subcategory: String::new(),
            feedback_interaction_count: 0,
            final_result: FinalResult::default(),
            offset_unit: unit,
            lost_markers: Vec::new(),
            unmarked_citations: Vec::new(),
        }
    }
}

/// Ids of citations that marks of the old report lead to and none of the new one, and ids that marks of the new report
/// have without a citation.
pub fn lost_marks(old: &str, new: &str, result: &FinalResult) -> (Vec<u64>, Vec<u64>) {
    let known: BTreeSet<u64> = result.citation_messages.data.iter().map(|one| u64::from(one.id)).collect();
    let left = checked_ids(new);
    let gone = checked_ids(old).into_iter().filter(|id| !left.contains(id)).collect();
    (gone, unresolved(new, &known).into_iter().map(|(_, id)| id).collect())
}
