//! A section in the model's own words.

use graphloom_core_graph::{Context, NodeError};

use super::Draft;
use crate::evidence::Document;
use crate::resources::{Resources, Stage};
use crate::state::{SectionBrief, Unwritten};
use crate::status::{Notice, StatusCode};
use crate::writing::{WritingContext, classify, quote, section_outline, summarise, write};

/// What the model writes, from the documents that it chooses, along its outline. Where it cannot be asked, a text of
/// quotations stands for what is still to be written.
pub(super) async fn draft(
    cx: &Context<Resources>,
    brief: &SectionBrief,
    found: Vec<Document>,
    questions: &[String],
) -> Result<Draft, NodeError> {
    let (documents, mut notes) = classify(cx, brief, found.clone()).await?;
    let context = WritingContext { cx, brief, documents: &documents, questions };
    let (outline, note) = section_outline(context).await?;
    notes.extend(note);
    let notice = if cx.resources().may_spend(Stage::Writing) {
        match write(context, &outline).await? {
            Ok(written) => {
                notes.extend(written.notes);
                let notices = written.notice.into_iter().collect();
                return Ok(Draft { documents, text: written.text, quoted: false, unwritten: None, notices, notes });
            }
            Err(failure) => {
                let message = format!("the section is quoted from its documents: {failure}");
                Notice::warning(StatusCode::SubReport, message)
            }
        }
    } else {
        let message = "writing has spent its share of the budget; the section is quoted from its documents";
        Notice::warning(StatusCode::BudgetReached, message)
    };
    let unwritten = Some(Unwritten::new(&brief.section.id, found));
    let (text, more) = quote(context, &outline, false).await?;
    notes.extend(more);
    Ok(Draft { documents, text, quoted: true, unwritten, notices: vec![notice], notes })
}

/// What the model says that the section says.
pub(super) async fn summary(
    context: WritingContext<'_>,
    text: &str,
    notes: &mut Vec<String>,
) -> Result<String, NodeError> {
    let (summary, note) = summarise(context, text).await?;
    notes.extend(note);
    Ok(summary)
}
