//! Putting a change into the report, and remembering it.

use std::ops::Range;

use crate::markup::Cleaned;
use crate::markup::Unit;
use crate::state::RewriteRecord;

/// How many records of `sync` are kept.
const MOST_SYNCS: usize = 10;

/// A report with a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The report.
    pub report: String,
    /// The bytes that were replaced, in the old report.
    pub old: Range<usize>,
    /// What stood there.
    pub old_text: String,
    /// The bytes of the new text, in the new report.
    pub new: Range<usize>,
    /// The new text.
    pub new_text: String,
}

/// Replaces a cleaned selection. Everything outside of its hull stays byte for byte. White space at the ends of the old
/// text is kept.
pub fn apply(report: &str, cleaned: &Cleaned, rewritten: &str) -> Change {
    let lead = &cleaned.text[..cleaned.text.len() - cleaned.text.trim_start().len()];
    let tail = &cleaned.text[cleaned.text.trim_end().len()..];
    let new_text = if cleaned.text.trim().is_empty() {
        rewritten.to_owned()
    } else {
        format!("{}{lead}{}{tail}{}", cleaned.before, rewritten.trim(), cleaned.after)
    };
    let old = cleaned.hull.clone();
    let (head, rest) = (&report[..old.start], &report[old.end..]);
    Change {
        report: format!("{head}{new_text}{rest}"),
        new: old.start..old.start + new_text.len(),
        old_text: report[old.clone()].to_owned(),
        old,
        new_text,
    }
}

impl Change {
    /// The record of the change. Its offsets count code points.
    pub(super) fn record(&self, old_report: &str, action: &str, clean: &str, instruction: &str) -> RewriteRecord {
        let unit = Unit::CodePoints;
        RewriteRecord {
            action: action.to_owned(),
            selected_text: self.old_text.clone(),
            selected_text_clean: clean.to_owned(),
            original_start_offset: unit.offset(old_report, self.old.start),
            original_end_offset: unit.offset(old_report, self.old.end),
            rewritten_text: self.new_text.clone(),
            rewritten_start_offset: unit.offset(&self.report, self.new.start),
            rewritten_end_offset: unit.offset(&self.report, self.new.end),
            user_instruction: instruction.to_owned(),
            ..RewriteRecord::default()
        }
    }
}

/// Adds a record. Of `sync` only the last ten are kept.
pub fn remember(history: &mut Vec<RewriteRecord>, record: RewriteRecord) {
    history.push(record);
    let syncs = history.iter().filter(|record| record.action == "sync").count();
    if syncs > MOST_SYNCS
        && let Some(first) = history.iter().position(|record| record.action == "sync")
    {
        history.remove(first);
    }
}
