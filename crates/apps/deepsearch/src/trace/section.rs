//! Stage 1: finds the sources of the statements of a section.

use graphloom_citations::{Claim, Target, best_overlap, claims, find_quotation, replace_marks, without_marks};
use graphloom_core_graph::{Context, NodeError};

use super::gather::{Matches, match_sentences, recognise};
use crate::config::Config;
use crate::evidence::Document;
use crate::markup::trace_mark;
use crate::markup::without_references;
use crate::markup::{ChartBlock, chart_blocks, in_chart};
use crate::resources::{Resources, Slot, Stage};
use crate::state::{SubReportContent, TraceSource};
use crate::status::{Notice, StatusCode};

/// The least share of a statement's wording that a source must contain to be matched without a model.
const SAME_WORDING: f32 = 0.75;
/// The most sources of one statement.
const MOST_SOURCES: usize = 3;

/// The outcome of stage 1 for one section.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SectionTrace {
    /// The section, its text with `[source_tracer_result][title](url)`, and its `trace` in the order of those marks.
    pub content: SubReportContent,
    /// Failures. The section keeps the sources that were found without the failed part.
    pub notices: Vec<Notice>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Finds the sources of a section's statements.
///
/// Without `source_tracer_research_trace_source_switch` the section is not changed.
///
/// - The writer's own `[citation:X]` stay if `source_tracer_generated_citation_switch` is on, and are removed
///   otherwise.
/// - Statements without a citation are matched with sources by the model. A model that answers inside a grammar is not
///   asked; equal wording decides instead.
/// - A model that fails gives a notice (212100), and equal wording decides.
/// - A citation that names no source is removed, with a notice (212101).
/// - Citations of charts were made with the charts, and stay.
///
/// # Errors
/// Only errors that no model caused.
pub async fn trace_section(
    cx: &Context<Resources>,
    content: &SubReportContent,
    config: &Config,
) -> Result<SectionTrace, NodeError> {
    let mut traced = SectionTrace { content: content.clone(), ..SectionTrace::default() };
    if !config.source_tracer_research_trace_source_switch || content.text.trim().is_empty() {
        return Ok(traced);
    }
    let sources = &content.classified_content;
    let text = without_references(&content.text);
    let charts = chart_blocks(&text);
    let mut all = claims(&text);
    // No source states a caption, and the sources of the data were found when the chart was drawn.
    all.retain(|claim| !in_chart(&charts, claim.range.start));
    let bare: Vec<&Claim> = all.iter().filter(|claim| claim.marks.is_empty()).collect();

    let found = if bare.is_empty() || sources.is_empty() {
        Matches::default()
    } else if !cx.resources().may_ask(Slot::WritingChecking, Stage::Checking) {
        by_wording(&bare, sources)
    } else {
        match by_model(cx, &text, &bare, sources, &mut traced.notices).await? {
            Some(found) => found,
            None => by_wording(&bare, sources),
        }
    };
    insert(&mut traced, &text, &all, &found, config.source_tracer_generated_citation_switch);
    Ok(traced)
}

/// Matches statements with sources by the model; `None` when the model failed.
async fn by_model(
    cx: &Context<Resources>,
    text: &str,
    bare: &[&Claim],
    sources: &[Document],
    notices: &mut Vec<Notice>,
) -> Result<Option<Matches>, NodeError> {
    let recognised = match recognise(cx, &without_marks(text)).await? {
        Ok(sentences) => sentences,
        Err(failure) => {
            notices.push(Notice::exception(StatusCode::SubSourceTrace, format!("statements: {failure}")));
            return Ok(None);
        }
    };
    // The bare statements that the model recognised.
    let wanted: Vec<usize> = bare
        .iter()
        .enumerate()
        .filter(|(_, claim)| recognised.iter().any(|sentence| is_same(sentence, &claim.text)))
        .map(|(index, _)| index)
        .collect();
    if wanted.is_empty() {
        return Ok(Some(Matches::default()));
    }
    let sentences: Vec<&str> = wanted.iter().map(|&index| bare[index].text.as_str()).collect();
    match match_sentences(cx, &sentences, sources).await? {
        Ok(found) => {
            Ok(Some(Matches(found.0.into_iter().map(|(sentence, source)| (wanted[sentence], source)).collect())))
        }
        Err(failure) => {
            notices.push(Notice::exception(StatusCode::SubSourceTrace, format!("sources: {failure}")));
            Ok(None)
        }
    }
}

/// Whether a sentence that a model copied is `sentence`.
fn is_same(copied: &str, sentence: &str) -> bool {
    copied.trim() == sentence.trim()
        || !find_quotation(copied, sentence).is_empty()
        || best_overlap(copied, sentence).is_some_and(|(_, overlap)| overlap >= 0.9)
}

/// Matches statements with sources that have the wording of the statement.
fn by_wording(bare: &[&Claim], sources: &[Document]) -> Matches {
    let mut found = Vec::new();
    for (sentence, claim) in bare.iter().enumerate() {
        let mut scored: Vec<(f32, usize)> = sources
            .iter()
            .enumerate()
            .filter_map(|(index, source)| {
                if !find_quotation(&claim.text, &source.text).is_empty() {
                    return Some((1.0, index));
                }
                best_overlap(&claim.text, &source.text).map(|(_, overlap)| (overlap, index))
            })
            .filter(|(overlap, _)| *overlap >= SAME_WORDING)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // Wording alone is weak evidence, so only the best source is taken.
        found.extend(scored.into_iter().take(1).map(|(_, source)| (sentence, source)));
    }
    Matches(found)
}

/// Inserts the marks of the writer and of the tracer, and lists their sources in the order of the marks.
fn insert(traced: &mut SectionTrace, text: &str, all: &[Claim], found: &Matches, keeps_own: bool) {
    let sources = traced.content.classified_content.clone();
    // The sources found for a bare statement are inserted behind it, as marks of the writer's form
    // whose key begins with `t`.
    let mut draft = String::with_capacity(text.len());
    let mut from = 0;
    let bare = all.iter().filter(|claim| claim.marks.is_empty());
    for (index, claim) in bare.enumerate() {
        // In a row of a table, marks stand before the last bar.
        let end = claim.range.start + text[claim.range.clone()].trim_end_matches(['|', ' ']).len();
        draft.push_str(&text[from..end]);
        let mut seen: Vec<usize> = Vec::new();
        for source in found.0.iter().filter(|(sentence, _)| *sentence == index).map(|(_, source)| *source) {
            if seen.len() < MOST_SOURCES && !seen.contains(&source) {
                seen.push(source);
                draft.push_str(&format!("[citation:t{source}]"));
            }
        }
        from = end;
    }
    draft.push_str(&text[from..]);

    let statements = claims(&draft);
    let charts = chart_blocks(&draft);
    let (mut trace, mut unknown, mut dropped) = (Vec::new(), 0_usize, 0_usize);
    let new = replace_marks(&draft, |mark| {
        let Target::Source(key) = &mark.target else { return None };
        let by_tracer = key.strip_prefix('t').and_then(|key| key.parse::<usize>().ok());
        let at = mark.range.start;
        let chart = in_chart(&charts, at);
        if by_tracer.is_none() && !keeps_own && !chart {
            dropped += 1;
            return None;
        }
        let Some(evidence) = by_tracer.or_else(|| place_of(key, &sources)).and_then(|index| sources.get(index)) else {
            unknown += 1;
            return None;
        };
        let datum = charts.iter().find_map(|block: &ChartBlock| block.datum(&traced.content.charts, at));
        let place = datum.and_then(|datum| datum.sources.iter().find(|one| one.evidence_id == evidence.id.as_str()));
        let chunk = match datum {
            Some(datum) => Some(format!("{}: {}", datum.label, datum.said)),
            None => statements.iter().find(|claim| claim.marks.contains(mark)).map(|claim| claim.text.clone()),
        };
        trace.push(TraceSource {
            evidence: evidence.id.clone(),
            title: evidence.title.clone(),
            url: evidence.url.clone(),
            chunk: chunk.unwrap_or_default(),
            traced: by_tracer.is_some() || chart,
            chart,
            span: place.map(|place| place.span),
        });
        Some(trace_mark(&evidence.title, &evidence.url))
    });
    if unknown > 0 {
        let message = format!("{unknown} citations named no source and were taken out");
        traced.notices.push(Notice::warning(StatusCode::CitationAdd, message));
    }
    if dropped > 0 {
        traced.notes.push(format!("{dropped} citations of the writer were taken out, as the configuration says"));
    }
    traced.content.text = new;
    traced.content.trace = trace;
}

/// The index of the source that a key of the writer names: by id, or by number from 1.
fn place_of(key: &str, sources: &[Document]) -> Option<usize> {
    sources
        .iter()
        .position(|source| source.id.as_str() == key)
        .or_else(|| key.parse::<usize>().ok().and_then(|number| number.checked_sub(1)))
}
