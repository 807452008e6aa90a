//! Reports of sections, and the report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ChartMessage;
use crate::evidence::{Document, EvidenceId};

/// A citation in a text: where it stands, what it claims, what it cites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct TraceSource {
    /// The evidence.
    pub evidence: EvidenceId,
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The statement in the text that it stands behind.
    pub chunk: String,
    /// Whether the citation was found by the tracer; else the writer made it.
    pub traced: bool,
    /// Whether it stands behind a datum of a chart.
    pub chart: bool,
    /// The bytes of the evidence's text that state the datum of a chart; found when the chart was drawn.
    pub span: Option<(usize, usize)>,
}

/// What a section's work came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SubReport {
    /// The section.
    pub section_id: String,
    /// Its title.
    pub section_task: String,
    /// Summaries of the sections that it builds on: the section's id, and what it says.
    pub background_knowledge: Vec<(String, String)>,
    /// The text and what it rests on.
    pub content: SubReportContent,
}

/// The text of a section and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SubReportContent {
    /// The documents it was written from, best first: `[citation:X]` is the X-th of them, from 1.
    pub classified_content: Vec<Document>,
    /// The text in Markdown; after tracing its citations are `[source_tracer_result][title](url)`.
    #[serde(rename = "sub_report_content_text")]
    pub text: String,
    /// What it says, in a few sentences.
    #[serde(rename = "sub_report_content_summary")]
    pub summary: String,
    /// The citations of the text, in their order.
    #[serde(rename = "sub_report_trace_source_datas")]
    pub trace: Vec<TraceSource>,
    /// The charts that stand in the text; the original writes them into it.
    pub charts: Vec<ChartMessage>,
}

/// The report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Report {
    /// The number of the report in its run, from 1.
    pub id: String,
    /// The title.
    pub report_task: String,
    /// The form that was asked for, empty for none.
    pub report_template: String,
    /// The sections' reports, in the order of the outline.
    pub sub_reports: Vec<SubReport>,
    /// The text in Markdown; its citations are `[source_tracer_result][title](url)`.
    pub report_content: String,
    /// The documents that the sections rest on, section by section.
    pub all_classified_contents: Vec<Vec<Document>>,
    /// The citations of the text, in their order.
    pub merged_trace_source_datas: Vec<TraceSource>,
    /// The text after its citations were checked.
    pub checked_trace_source_report_content: String,
    /// The citations that were kept, in their order.
    pub checked_trace_source_datas: Vec<TraceSource>,
}
