//! Entries of `citation_messages`.

use graphloom_citations::Span;

use crate::evidence::Document;
use crate::state::{CitationMessage, Verdict};

/// The entry of one citation. `id` and `reference_index` are set later, when citations are numbered.
pub(super) fn message(
    evidence: &Document,
    claim: &str,
    verdict: Verdict,
    span: Span,
    score: Option<f32>,
) -> CitationMessage {
    CitationMessage {
        url: evidence.url.clone(),
        title: evidence.title.clone(),
        content: marked(&evidence.text, span),
        chunk: claim.to_owned(),
        source: site(evidence),
        publish_time: evidence.published_at.clone().unwrap_or_default(),
        score,
        from: if evidence.is_web() { "web" } else { "local" }.to_owned(),
        evidence_id: evidence.id.to_string(),
        verdict,
        span: Some((span.start, span.end)),
        ..CitationMessage::default()
    }
}

/// The text with `<mark>` around a span. Tags of that name in the text itself are escaped.
fn marked(text: &str, span: Span) -> String {
    let plain = |part: &str| part.replace("<mark>", "&lt;mark&gt;").replace("</mark>", "&lt;/mark&gt;");
    match (text.get(..span.start), span.of(text), text.get(span.end..)) {
        (Some(before), Some(inside), Some(after)) => {
            format!("{}<mark>{}</mark>{}", plain(before), plain(inside), plain(after))
        }
        _ => plain(text),
    }
}

/// The host of an address, or the folder of a local document.
fn site(evidence: &Document) -> String {
    match evidence.url.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned(),
        None => evidence.url.rsplit_once('/').map_or("local", |(folder, _)| folder).to_owned(),
    }
}
