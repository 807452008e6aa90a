//! The reasons of conclusions, as provenance graphs.
//!
//! In each section the model chooses the concluding sentence, names the records from which the conclusion follows, and
//! gives the steps. The steps become a typed [`Provenance`] graph. Code cleans the graph and repeats the calculations;
//! the page with the drawing is static. A small model chooses only the sentence; then the cited statements of the
//! section are the reasons.

mod formula;
mod free;
mod guided;
mod origin;
mod page;
mod provenance;
mod requests;
mod sections;
mod svg;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError};

pub use formula::holds;
pub use origin::origins;
pub use provenance::{Edge, Kind, Node, Provenance, RawStep, Relation};
pub use svg::draw;

use crate::resources::{Resources, Slot, Stage};
use crate::state::{CitationMessage, InferMessage, Locale};
use crate::status::{Notice, StatusCode};
use sections::{Chapter, chapters};

/// A report with links from its conclusions to their reasons.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Inferred {
    /// The report with `[conclusion](#inference:N)`.
    pub content: String,
    /// The messages; the message of `#inference:N` is the Nth, counted from 1.
    pub messages: Vec<InferMessage>,
    /// Failures. A failure concerns the conclusion of one section only.
    pub notices: Vec<Notice>,
}

/// Links the conclusions of a checked report with their reasons. A section needs supported citations of two different
/// references to have a conclusion.
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
        let conclusion = match requests::conclusion(cx, place, &chapter).await? {
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

/// The inference of a conclusion and its graph; `None` when the conclusion rests on fewer than two references.
async fn traced(
    cx: &Context<Resources>,
    place: usize,
    chapter: &Chapter<'_>,
    conclusion: &str,
    language: Locale,
    notices: &mut Vec<Notice>,
) -> Result<Option<(String, Provenance)>, NodeError> {
    let graph = match cx.resources().strategy(Slot::General) {
        Strategy::Free => free::graph(cx, place, chapter, conclusion, language, notices).await?,
        Strategy::Guided => Some(guided::graph(chapter, conclusion, language)),
    };
    let Some((inference, mut graph)) = graph else { return Ok(None) };
    graph.clean();
    Ok((graph.references() >= 2).then_some((inference, graph)))
}
