//! A section of quotations that a small model chooses, which is its way of writing.

use graphloom_core_graph::{Context, NodeError};

use super::Draft;
use crate::evidence::Document;
use crate::resources::Resources;
use crate::state::{Locale, SectionBrief};
use crate::writing::{SectionOutline, WritingContext, best, quote, quoted_summary};

/// A text of quotations. It has no subtitles: what they would promise, the quotations do not keep.
pub(super) async fn draft(
    cx: &Context<Resources>,
    brief: &SectionBrief,
    found: Vec<Document>,
    questions: &[String],
) -> Result<Draft, NodeError> {
    let (documents, mut notes) = best(brief, found);
    let context = WritingContext { cx, brief, documents: &documents, questions };
    let (text, more) = quote(context, &SectionOutline::of_title(&brief.section.title), true).await?;
    notes.extend(more);
    let text = if text.is_empty() { left_open(context, &mut notes) } else { text };
    Ok(Draft { documents, text, quoted: true, unwritten: None, notices: Vec::new(), notes })
}

/// What the section says, quoted from it.
pub(super) fn summary(context: WritingContext<'_>, text: &str) -> String {
    quoted_summary(context.brief, text)
}

/// What stands in a section where no sentence of the documents bears on its part of the question.
fn left_open(context: WritingContext<'_>, notes: &mut Vec<String>) -> String {
    let WritingContext { brief, documents, .. } = context;
    let (count, title) = (documents.len(), &brief.section.title);
    notes.push(format!(
        "section {}: no sentence of {count} documents bears on `{}`",
        brief.section.id, brief.section.title
    ));
    match brief.language {
        Locale::Chinese => format!("找到的{count}份文档中没有与“{title}”相关的原文。"),
        _ => format!("Nothing that was found bears on “{title}”: documents looked through, {count}."),
    }
}
