//! Charts of a report (F19, F20): where they stand, their data from the evidence, the picture, a critic that looks at it.
//!
//! A model chooses places and collects data; code checks every value against the evidence that it cites, and draws. No
//! code of a model is run. The renderer is that of `graphloom-charts`.

mod data;
mod insert;
mod make;
mod places;

pub use data::{ChartProposal, ProposedRecord, checked_data};
pub use insert::{PlacedChart, insert_charts};

use futures::stream::{self as futures_stream, StreamExt, TryStreamExt};
use graphloom_core_graph::{Context, NodeError};

use crate::resources::{Resources, Stage};
use crate::state::{ChartMessage, Locale, Report, TraceSource};
use crate::status::{Notice, StatusCode};
use make::{Wanted, make};
use places::chapters;

/// Charts that are made at the same time in one section (study, section 3.5).
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
}

impl ChartRules {
    /// Charts without a critic.
    #[must_use]
    pub fn new(language: Locale, tries: u32) -> Self {
        Self { language, tries, rounds: 0 }
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
/// Only what is no model's fault.
pub async fn chart_report(
    cx: &Context<Resources>,
    report: &Report,
    rules: ChartRules,
) -> Result<ChartedReport, NodeError> {
    let text = &report.report_content;
    let chapters = chapters(text, report.sub_reports.len());
    let sections: Vec<Section> = futures_stream::iter((1..).zip(chapters).map(|(number, range)| {
        let evidence = report.all_classified_contents.get(number - 1).map_or(&[][..], Vec::as_slice);
        section(cx, number, (range.start, &text[range]), evidence, rules)
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

#[derive(Default)]
struct Section {
    charts: Vec<PlacedChart>,
    notices: Vec<Notice>,
    notes: Vec<String>,
}

async fn section(
    cx: &Context<Resources>,
    number: usize,
    (start, chapter): (usize, &str),
    evidence: &[crate::Evidence],
    rules: ChartRules,
) -> Result<Section, NodeError> {
    let mut section = Section::default();
    let anchors = places::anchors(chapter);
    if evidence.is_empty() || anchors.is_empty() {
        return Ok(section);
    }
    if !cx.resources().may_spend(Stage::Checking) {
        section.notes.push(format!("section {number} has no charts, because the budget is spent"));
        return Ok(section);
    }
    let failed = |what: &str, failure: String| {
        Notice::exception(StatusCode::Chart, format!("{what}: {failure}")).in_section(number.to_string())
    };
    let wishes = match places::choose(cx, number, chapter, &anchors, rules).await? {
        Ok(wishes) => wishes,
        Err(failure) => {
            section.notices.push(failed("no places for charts could be chosen", failure.to_string()));
            return Ok(section);
        }
    };
    let made: Vec<_> = futures_stream::iter(wishes.into_iter().zip(1..).map(|(wish, chart)| async move {
        let wanted = Wanted { key: format!("chart/{number}/{chart}"), wish: &wish, evidence, rules };
        Ok::<_, NodeError>((make(cx, wanted).await?, wish.anchor, wish.title.clone()))
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
