//! Node `compose` of a change.

use std::ops::Range;

use graphloom_citations::{Target, replace_marks};
use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_text::markdown::close;
use graphloom_text::{link_target, link_words, without_reference_lists};
use serde_json::json;

use super::prepare::section_of;
use super::{ChangeDetails, changed, failed};
use crate::ask::{Ask, TakenText, taken_text};
use crate::evidence::Document;
use crate::feedback::apply::apply;
use crate::feedback::blocks::{Block, block_at, major_block, subsections};
use crate::feedback::payload::{Action, Rejection, Scope};
use crate::feedback::state::{EditStrategy, FeedbackState, FeedbackStateUpdate, Pending};
use crate::markup::safe_href;
use crate::markup::{Cleaned, clean, plain};
use crate::markup::{heading, lines};
use crate::resources::{Resources, Slot};
use crate::status::StatusCode;

/// The most documents that a text is written from.
const MOST: usize = 8;
/// How many bytes of a document a model sees.
const DOCUMENT: usize = 3000;

/// What is written, and where it goes.
struct Place {
    cleaned: Cleaned,
    /// What keeps the text apart from what stands before it.
    lead: &'static str,
    /// The heading of a new subsection, empty for none.
    head: String,
    /// Headings of this level and above are none of a text that goes here.
    level: usize,
    section: Option<Range<usize>>,
    subcategory: String,
}

/// Works what was found into the report. In: the change, documents, assessment. Out: the report, history, count.
/// Failure: 212405 when nothing was found or no text could be written; the report stays as it is.
///
/// Source: openJiuwen DeepSearch, `UserFeedbackProcessorNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn compose(state: Snapshot<FeedbackState>, cx: Context<Resources>) -> Result<FeedbackStateUpdate, NodeError> {
    let Some(pending) = &state.pending else { return Ok(FeedbackState::update()) };
    let reject = |message: String| Rejection { code: StatusCode::FeedbackRewrite, message };
    let documents = documents(&state);
    if documents.is_empty() {
        let rejection = reject("nothing was found that could be worked in".to_owned());
        return Ok(failed(&cx, &state, rejection).await);
    }
    let report = &state.result.response_content;
    let Some(place) = place(&state, pending, report) else {
        let rejection = reject("the selection stands under no heading of a section".to_owned());
        return Ok(failed(&cx, &state, rejection).await);
    };
    let shown: Vec<_> = documents
        .iter()
        .enumerate()
        .map(|(index, document)| {
            let cut = document.text.floor_char_boundary(DOCUMENT.min(document.text.len()));
            json!({ "label": format!("document {}: {}", index + 1, document.title), "text": &document.text[..cut] })
        })
        .collect();
    let ask = Ask::new("compose", "feedback/compose").slot(Slot::WritingChecking).tries(2);
    let args = json!({
        "text": place.cleaned.text.trim(),
        "instruction": pending.instruction,
        "summary": state.collector_summary,
        "documents": shown,
        "language": state.language.as_str(),
        "is_new": !place.head.is_empty(),
        "title": place.head.trim_start_matches('#').trim(),
    });
    let written = taken_text(&cx, &ask, &args, |answer| {
        let own = without_reference_lists(&close(answer).text).text;
        let answer = linked(&below(&own, place.level), &documents);
        if answer.trim().is_empty() { Err("the text is empty".to_owned()) } else { Ok(answer) }
    });
    // Half a text is no change of a whole one.
    let written = match written.await?.map_err(|failure| failure.to_string()).and_then(TakenText::all) {
        Ok(written) => written,
        Err(failure) => return Ok(failed(&cx, &state, reject(failure)).await),
    };
    let new = match place.head.as_str() {
        "" => format!("{}{}", place.lead, written.trim()),
        head => format!("{}{head}\n\n{}\n\n", place.lead, written.trim()),
    };
    let change = apply(report, &place.cleaned, &new);
    let summary = Some(state.collector_summary.clone()).filter(|summary| !summary.is_empty());
    let details = ChangeDetails {
        subcategory: place.subcategory,
        clean: place.cleaned.text,
        lost: place.cleaned.lost,
        section: place.section,
        summary,
    };
    Ok(changed(&cx, &state, pending, change, details).await)
}

/// What was found, and for a new task the documents of the section that serve it.
fn documents(state: &FeedbackState) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    if let (Some(assessment), Some(report), Some(pending)) = (&state.assessment, &state.report, &state.pending) {
        let block = major_block(&state.result.response_content, &pending.selection.range);
        let section = block.and_then(|(_, block)| section_of(report, &block.title));
        let known = section.iter().flat_map(|section| &section.content.classified_content);
        documents.extend(known.filter(|document| assessment.relevant.contains(&document.id)).cloned());
    }
    for found in &state.found {
        if documents.iter().all(|document| document.id != found.id) {
            documents.push(found.clone());
        }
    }
    documents.truncate(MOST);
    documents
}

fn place(state: &FeedbackState, pending: &Pending, report: &str) -> Option<Place> {
    let selection = &pending.selection.range;
    let block = block_at(report, selection);
    let level = block.as_ref().map_or(0, |block| block.level);
    let range_of = |block: &Block| Some(block.range.clone());
    match (pending.action, &state.assessment) {
        (Action::NewTask, Some(assessment)) => {
            let (number, major) = major_block(report, selection)?;
            let subcategory = match assessment.edit_strategy {
                EditStrategy::ModifyExistingSubsection => "modify_existing_subsection",
                EditStrategy::AppendNewSubsection => "append_new_subsection",
            };
            let subcategory = subcategory.to_owned();
            let section = range_of(&major);
            if assessment.edit_strategy == EditStrategy::ModifyExistingSubsection {
                let block = block?;
                let (cleaned, lead) = body(&block, report);
                return Some(Place { cleaned, lead, head: String::new(), level: block.level, section, subcategory });
            }
            let head = format!("## {number}.{} {}", subsections(report, &major) + 1, assessment.title);
            let end = major.range.end;
            let lead = if report[..end].ends_with("\n\n") { "" } else { "\n\n" };
            Some(Place { cleaned: nothing_at(end), lead, head, level: 2, section, subcategory })
        }
        _ => {
            let subcategory = pending.scope.name().to_owned();
            let related = pending.scope == Scope::SelectedAndRelated;
            let (cleaned, lead) = match (&block, related) {
                (Some(block), true) => body(block, report),
                _ => (clean(report, selection.clone()), ""),
            };
            let section = block.as_ref().and_then(range_of);
            Some(Place { cleaned, lead, head: String::new(), level, section, subcategory })
        }
    }
}

/// The text under a heading up to the first heading below it, so that no other subsection is written over, and what keeps
/// a new text apart from the heading: where there is no text, one is put behind the heading.
fn body(block: &Block, report: &str) -> (Cleaned, &'static str) {
    let text = block.text(report);
    let part = &report[text.clone()];
    let below = lines(part)
        .find(|(line, plain)| *plain && heading(line).is_some())
        .map(|(line, _)| line.as_ptr() as usize - part.as_ptr() as usize);
    let end = text.start + below.map_or(part.len(), |at| part[..at].trim_end().len());
    if text.start < end { (clean(report, text.start..end), "") } else { (nothing_at(block.body.start), "\n\n") }
}

/// A selection of nothing, for a text that is put in.
fn nothing_at(at: usize) -> Cleaned {
    Cleaned { hull: at..at, before: String::new(), text: String::new(), after: String::new(), lost: Vec::new() }
}

/// A text whose headings are all below `level`: others become bold lines.
fn below(text: &str, level: usize) -> String {
    let lowered: Vec<String> = lines(text)
        .map(|(line, plain)| match heading(line).filter(|_| plain) {
            Some((own, title)) if own <= level.max(2) => format!("**{title}**"),
            _ => line.to_owned(),
        })
        .collect();
    lowered.join("\n")
}

/// The model's `[citation:N]` as links to the documents; every other mark is none. Citation metadata stay as they are, so
/// new statements carry plain links.
fn linked(answer: &str, documents: &[Document]) -> String {
    let with_links = replace_marks(answer, |mark| {
        let Target::Source(key) = &mark.target else { return None };
        let document = key.parse::<usize>().ok()?.checked_sub(1).and_then(|index| documents.get(index))?;
        let title = link_words(&document.title);
        let space = if answer[..mark.range.start].ends_with(char::is_whitespace) { "" } else { " " };
        Some(match safe_href(&document.url) {
            Some(_) => format!("{space}([{title}]({}))", link_target(&document.url)),
            None => format!("{space}({title})"),
        })
    });
    plain(&with_links)
}
