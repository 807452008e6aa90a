//! What conclusions rest on: provenance graphs.
//!
//! In each section the model chooses the sentence that concludes, names the records that it follows from and lays open
//! the steps. The steps become a typed [`Provenance`] graph, which code cleans up and calculates again; the page with its
//! drawing is static. A model that answers inside a grammar only chooses the sentence: there, the cited statements of the
//! section are the reasons.

mod asks;
mod formula;
mod origin;
mod page;
mod provenance;
mod reasons;
mod sections;
mod svg;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use graphloom_core_graph::{Context, NodeError};

pub use formula::holds;
pub use origin::origins;
pub use provenance::{Edge, Kind, Node, Provenance, RawStep, Relation};
pub use svg::draw;

use crate::ask::is_constrained;
use crate::resources::{Resources, Slot, Stage};
use crate::state::{CitationMessage, InferMessage, Locale};
use crate::status::{Notice, StatusCode};
use sections::{Chapter, chapters};

/// A report whose conclusions are linked.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Inferred {
    /// The report with `[conclusion](#inference:N)`.
    pub content: String,
    /// One message for each N, from 1.
    pub messages: Vec<InferMessage>,
    /// What failed; the other conclusions are there.
    pub notices: Vec<Notice>,
}

/// Links the conclusions of a checked report with what they rest on. A section without two supported citations of
/// different references has none.
///
/// # Errors
/// Only errors that no model caused.
pub async fn infer(
    cx: &Context<Resources>,
    content: &str,
    citations: &[CitationMessage],
    language: Locale,
) -> Result<Inferred, NodeError> {
    let mut out = Inferred { content: content.to_owned(), ..Inferred::default() };
    let mut links: Vec<(std::ops::Range<usize>, u32)> = Vec::new();
    for (place, chapter) in chapters(content, citations).into_iter().enumerate() {
        if chapter.references() < 2 || chapter.candidates.is_empty() {
            continue;
        }
        if !cx.resources().may_spend(Stage::Checking) {
            out.notices.push(Notice::warning(StatusCode::BudgetReached, "conclusions were not traced"));
            break;
        }
        let conclusion = match asks::conclusion(cx, place, &chapter).await? {
            Ok(Some(chosen)) => &chapter.candidates[chosen],
            Ok(None) => continue,
            Err(failure) => {
                let message = format!("`{}`: {failure}", chapter.title);
                out.notices.push(Notice::exception(StatusCode::InferenceExtract, message));
                continue;
            }
        };
        let Some((inference, graph)) = traced(cx, place, &chapter, &conclusion.1, language, &mut out.notices).await?
        else {
            continue;
        };
        let id = u32::try_from(out.messages.len() + 1).unwrap_or(u32::MAX);
        let html = page::page(&conclusion.1, &inference, &graph, &origins(&chapter.citations), language);
        out.messages.push(InferMessage {
            id,
            conclusion: conclusion.1.clone(),
            inference,
            html_base64: STANDARD.encode(html),
        });
        links.push((conclusion.0.clone(), id));
    }
    for (range, id) in links.into_iter().rev() {
        let link = format!("[{}](#inference:{id})", &content[range.clone()]);
        out.content.replace_range(range, &link);
    }
    Ok(out)
}

/// The steps to a conclusion and their graph; none when it does not rest on two references.
async fn traced(
    cx: &Context<Resources>,
    place: usize,
    chapter: &Chapter<'_>,
    conclusion: &str,
    language: Locale,
    notices: &mut Vec<Notice>,
) -> Result<Option<(String, Provenance)>, NodeError> {
    let small = is_constrained(cx.resources(), Slot::General);
    let (inference, steps) = if small {
        reasons::of_citations(chapter, conclusion, language)
    } else {
        match asks::inference(cx, place, chapter, conclusion).await? {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(None),
            Err(failure) => {
                let message = format!("`{}` is traced by its citations alone: {failure}", chapter.title);
                notices.push(Notice::exception(StatusCode::InferenceGraph, message));
                reasons::of_citations(chapter, conclusion, language)
            }
        }
    };
    let mut graph = Provenance::build(conclusion, &chapter.records(), &steps);
    let parts = graph.parts();
    if parts.len() > 1 && !small {
        match asks::supplement(cx, place, conclusion, &graph, &parts).await? {
            Ok(edges) => edges.into_iter().for_each(|(from, to)| graph.connect(from, to)),
            Err(failure) => {
                let message = format!("`{}` keeps only the part of its conclusion: {failure}", chapter.title);
                notices.push(Notice::warning(StatusCode::InferenceGraph, message));
            }
        }
    }
    graph.clean();
    Ok((graph.references() >= 2).then_some((inference, graph)))
}
