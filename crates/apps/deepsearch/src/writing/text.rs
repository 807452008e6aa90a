//! The text of a section by a model that writes (prompt `sub_report_markdown` of openJiuwen DeepSearch).

use graphloom_citations::whole_marks;
use graphloom_core_graph::NodeError;
use graphloom_text::markdown::close;
use graphloom_text::without_reference_lists;
use serde_json::json;

use super::numbered::numbered;
use super::{SectionOutline, WritingContext};
use crate::ask::{Ask, AskFailure, taken_text};
use crate::markup::{citation, cited, only_known, unread};
use crate::names::SUB_REPORTER;
use crate::resources::Slot;
use crate::status::{Notice, StatusCode};
use crate::stream::Place;

/// About how many words a section has.
const WORDS: u32 = 2500;
/// How much of a document is shown, in characters.
const EXCERPT: usize = 6000;

/// A text that cites.
pub(crate) struct Written {
    pub(crate) text: String,
    /// What was changed.
    pub(crate) notes: Vec<String>,
    /// What a reader has to know of a text that was broken off.
    pub(crate) notice: Option<Notice>,
}

/// A text that cites.
///
/// # Errors
/// Only errors that no model caused.
pub(crate) async fn write(
    context: WritingContext<'_>,
    outline: &SectionOutline,
) -> Result<Result<Written, AskFailure>, NodeError> {
    let WritingContext { cx, brief, documents, .. } = context;
    let section = &brief.section;
    let (shown, cut) = numbered(documents, EXCERPT);
    let args = json!({
        "language": brief.language.as_str(),
        "today": brief.today,
        "query": brief.query,
        "report_title": brief.report_title,
        "section_idx": section.id,
        "section_title": section.title,
        "section_description": section.description,
        "section_iscore": section.is_core_section,
        "outline": outline,
        "report_template": brief.report_template,
        "background": brief.parents,
        "documents": shown,
        "words": WORDS,
    });
    let ask = Ask::new("write", "sub_report_markdown")
        .slot(Slot::WritingChecking)
        .tries(brief.config.report_max_generate_retry_num)
        .stream(SUB_REPORTER.as_str(), Place::section(&section.id));
    let count = documents.len();
    let check = |given: &str| {
        let closed = close(whole_marks(given.trim()));
        let unlisted = without_reference_lists(&closed.text);
        let (text, removed) = only_known(&unlisted.text, count);
        if text.trim().is_empty() {
            return Err("the text is empty".to_owned());
        }
        if cited(&text).is_empty() {
            return Err(format!(
                "the text cites nothing; documents are cited as {} to {}",
                citation(1),
                citation(count)
            ));
        }
        let mut notes: Vec<String> = closed.told().into_iter().chain(unlisted.told()).collect();
        if removed > 0 {
            notes.push(format!("{removed} citations of documents that do not exist were removed"));
        }
        let unread = unread(&text);
        if let Some(first) = unread.first() {
            notes.push(format!(
                "{} citations in a form that is not read stay as they are, such as `{first}`",
                unread.len()
            ));
        }
        Ok((text, notes))
    };
    let answer = taken_text(cx, &ask, &args, check).await?;
    Ok(answer.map(|taken| {
        let (text, mut notes) = taken.value;
        if cut > 0 {
            notes.push(format!("of {cut} documents the first {EXCERPT} characters were read"));
        }
        let notes = notes.into_iter().map(|note| format!("section {}: {note}", section.id)).collect();
        let notice = taken
            .broken_off
            .map(|how| Notice::warning(StatusCode::SubReport, format!("the text of the section {how}")));
        Written { text, notes, notice }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_read_in_any_spelling_and_strangers_removed() {
        let given = "A [ citation : 2 ]. B [citation:9]. C [citation:0][citation:1] [cite:1] [citation:x] é [citation:99999999999999999999]";
        assert_eq!(cited(given), [2, 9, 0, 1, 1]);
        let (text, removed) = only_known(given, 2);
        assert_eq!(text, "A [citation:2]. B. C[citation:1] [citation:1] [citation:x] é");
        assert_eq!(removed, 3);
        assert_eq!(only_known("no [ marker", 3), ("no [ marker".to_owned(), 0));
    }
}
