//! The summary of a section, for the sections that build on it and for the transitions of the report.

use graphloom_core_graph::NodeError;
use graphloom_retrieval::extract::{best_sentences, clean};
use serde_json::json;

use super::WritingContext;
use super::quoted::without_markers;
use crate::ask::{Ask, taken_text};
use crate::resources::{Slot, Stage};
use crate::state::SectionBrief;

/// Sentences of a summary that no model wrote.
const SENTENCES: usize = 3;
/// Words of a summary when no sentence fits.
const WORDS: usize = 60;

/// The sentences of a text that fit a question best, in the order of the text, without citations.
fn extract(question: &str, text: &str) -> String {
    let plain: Vec<String> =
        without_markers(text).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let plain = plain.join("\n");
    let mut best = best_sentences(question, &plain, SENTENCES);
    if best.is_empty() {
        // No sentence shares a word with the question, or all are too short: the text begins with what matters.
        return plain.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" ");
    }
    best.sort_by_key(|sentence| sentence.range.start);
    best.into_iter().map(|sentence| clean(&plain[sentence.range])).collect::<Vec<_>>().join(" ")
}

/// A summary of the section's text that quotes it.
pub(crate) fn quoted_summary(brief: &SectionBrief, written: &str) -> String {
    let section = &brief.section;
    extract(&format!("{} {} {}", section.title, section.description, brief.query), written)
}

/// A summary of the section's text by a model, and a note where it is quoted because the model cannot be asked.
///
/// # Errors
/// Only errors that no model caused.
pub(crate) async fn summarise(
    context: WritingContext<'_>,
    written: &str,
) -> Result<(String, Option<String>), NodeError> {
    let WritingContext { cx, brief, .. } = context;
    let section = &brief.section;
    if !cx.resources().may_spend(Stage::Writing) {
        let note = format!("section {}: its summary is quoted, the budget of writing is spent", section.id);
        return Ok((quoted_summary(brief, written), Some(note)));
    }
    let args = json!({
        "language": brief.language.as_str(),
        "section_idx": section.id,
        "section_title": section.title,
        "query": brief.query,
        "text": without_markers(written),
    });
    let ask = Ask::new("summary", "sub_report_summary")
        .slot(Slot::WritingChecking)
        .tries(brief.config.report_max_generate_retry_num);
    let check =
        |given: &str| if given.is_empty() { Err("the summary is empty".to_owned()) } else { Ok(given.to_owned()) };
    Ok(match taken_text(cx, &ask, &args, check).await? {
        Ok(summary) => {
            let note = summary.broken_off.map(|how| format!("section {}: its summary {how}", section.id));
            (summary.value, note)
        }
        Err(failure) => {
            let note = format!("section {}: its summary is quoted from its text: {failure}", section.id);
            (quoted_summary(brief, written), Some(note))
        }
    })
}
