//! Charts of sections and of a whole report: where they stand, their data from the evidence, the picture, a
//! critic that looks at it.
//!
//! A section's charts are made with its text, by the model that writes, without a critic; those of the whole report by the
//! node `vlm_chart_generator`. Both come from here.
//!
//! A model chooses places and collects data; code looks for every value with its label in one sentence or row of the
//! evidence that it cites, and draws. No code of a model is run. The renderer is that of `graphloom-charts`.

mod data;
mod insert;
mod make;
mod places;

pub use data::{ChartProposal, CheckedData, ProposedRecord, checked_data};
pub use insert::{PlacedChart, insert_charts};

use futures::stream::{self as futures_stream, StreamExt, TryStreamExt};
use graphloom_core_graph::{Context, NodeError};

use crate::evidence::Document;
use crate::resources::{Resources, Slot, Stage};
use crate::state::{ChartMessage, Locale, Report, TraceSource};
use crate::status::{Notice, StatusCode};
use insert::insert_in_section;
use make::{ChartTask, make};
use places::chapters;

/// Charts that are made at the same time in one section.
const AT_ONCE: usize = 3;
/// The most charts of a section.
const MOST: usize = 3;
/// Sections that are worked on at the same time.
const SECTIONS_AT_ONCE: usize = 3;

/// How charts are made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChartRules {
    /// The language of titles.
    pub language: Locale,
    /// How often an answer of a model is read.
    pub tries: u32,
    /// Rounds of the vision critic; 0 draws without it.
    pub rounds: u32,
    /// Who chooses places and collects data.
    pub slot: Slot,
    /// Whose share of the budget it is.
    pub stage: Stage,
}

impl ChartRules {
    /// Charts of a whole report, without a critic.
    #[must_use]
    pub fn new(language: Locale, tries: u32) -> Self {
        Self { language, tries, rounds: 0, slot: Slot::VlmChartGenerating, stage: Stage::Checking }
    }

    /// Charts of a section, which its writer makes.
    #[must_use]
    pub fn of_section(language: Locale, tries: u32) -> Self {
        Self { slot: Slot::WritingChecking, stage: Stage::Writing, ..Self::new(language, tries) }
    }

    /// So many rounds of the critic.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }
}

/// A report with its charts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChartedReport {
    /// The text, with `(#insertChart:ID)` where charts stand.
    pub text: String,
    /// The citations of the text, in order, those of the charts included.
    pub traces: Vec<TraceSource>,
    /// The charts, in the order of the text.
    pub charts: Vec<ChartMessage>,
    /// What failed.
    pub notices: Vec<Notice>,
    /// What a user should know.
    pub notes: Vec<String>,
}

/// Makes the charts of all sections of a report. A chart that cannot be made is a notice (212411), and the report goes on
/// without it.
///
/// # Errors
/// Only errors that no model caused.
pub async fn chart_report(
    cx: &Context<Resources>,
    report: &Report,
    rules: ChartRules,
) -> Result<ChartedReport, NodeError> {
    let text = &report.report_content;
    let chapters = chapters(text, report.sub_reports.len());
    let sections: Vec<Section> = futures_stream::iter((1..).zip(chapters).map(|(number, range)| {
        let evidence = report.all_classified_contents.get(number - 1).map_or(&[][..], Vec::as_slice);
        let part = Part { id: number.to_string(), start: range.start, text: &text[range], evidence };
        section(cx, part, rules)
    }))
    .buffered(SECTIONS_AT_ONCE)
    .try_collect()
    .await?;
    let mut charted = ChartedReport::default();
    let mut placed = Vec::new();
    for section in sections {
        placed.extend(section.charts);
        charted.notices.extend(section.notices);
        charted.notes.extend(section.notes);
    }
    (charted.text, charted.traces, charted.charts) = insert_charts(text, &report.merged_trace_source_datas, &placed);
    Ok(charted)
}

/// A section with its charts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChartedSection {
    /// The text, with `(#insertChart:ID)` where charts stand, and `[citation:X]` for the evidence of their values.
    pub text: String,
    /// The charts, in the order of the text.
    pub charts: Vec<ChartMessage>,
    /// What failed.
    pub notices: Vec<Notice>,
    /// What a user should know.
    pub notes: Vec<String>,
}

/// Makes the charts of one section, whose text cites `documents` by `[citation:X]`.
///
/// # Errors
/// As [`chart_report`].
pub async fn chart_section(
    cx: &Context<Resources>,
    id: &str,
    text: &str,
    documents: &[Document],
    rules: ChartRules,
) -> Result<ChartedSection, NodeError> {
    let part = Part { id: id.to_owned(), start: 0, text, evidence: documents };
    let Section { charts, notices, notes } = section(cx, part, rules).await?;
    let (text, charts) = insert_in_section(text, documents, &charts);
    Ok(ChartedSection { text, charts, notices, notes })
}

/// A section of a text, which begins at the byte `start` of it.
struct Part<'a> {
    id: String,
    start: usize,
    text: &'a str,
    evidence: &'a [Document],
}

#[derive(Default)]
struct Section {
    charts: Vec<PlacedChart>,
    notices: Vec<Notice>,
    notes: Vec<String>,
}

async fn section(cx: &Context<Resources>, part: Part<'_>, rules: ChartRules) -> Result<Section, NodeError> {
    let Part { id: number, start, text: chapter, evidence } = part;
    let number = number.as_str();
    let mut section = Section::default();
    let anchors = places::anchors(chapter);
    if evidence.is_empty() || anchors.is_empty() {
        return Ok(section);
    }
    if !cx.resources().may_spend(rules.stage) {
        section.notes.push(format!("section {number} has no charts, because the budget is spent"));
        return Ok(section);
    }
    let failed = |what: &str, failure: String| {
        Notice::exception(StatusCode::Chart, format!("{what}: {failure}")).in_section(number)
    };
    let requests = match places::choose(cx, number, chapter, &anchors, rules).await? {
        Ok(requests) => requests,
        Err(failure) => {
            section.notices.push(failed("no places for charts could be chosen", failure.to_string()));
            return Ok(section);
        }
    };
    let made: Vec<_> = futures_stream::iter(requests.into_iter().zip(1..).map(|(request, chart)| async move {
        let task = ChartTask { key: format!("chart/{number}/{chart}"), request: &request, evidence, rules };
        Ok::<_, NodeError>((make(cx, task).await?, request.anchor, request.title.clone()))
    }))
    .buffered(AT_ONCE)
    .try_collect()
    .await?;
    for (made, anchor, title) in made {
        match made {
            Ok(Some(made)) => {
                let id = format!("chart_{number}_{}", section.charts.len() + 1);
                let Some(at) = anchors.get(anchor as usize - 1) else { continue };
                section.notes.extend(made.note.clone());
                section.charts.push(PlacedChart::new(start + at, id, &made, evidence));
            }
            Ok(None) => section.notes.push(format!("the evidence of section {number} has no data for `{title}`")),
            Err(failure) => section.notices.push(failed(&format!("`{title}`"), failure)),
        }
    }
    Ok(section)
}
