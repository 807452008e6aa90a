//! The final result and its messages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StatementMessage;

/// The result of a run, with the field names of the original.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct FinalResult {
    /// The report in Markdown.
    pub response_content: String,
    /// The citations that were checked.
    pub citation_messages: CitationMessages,
    /// What conclusions rest on.
    pub infer_messages: Vec<InferMessage>,
    /// The statements without a citation, in order; absent when the report was not checked. Ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement_messages: Option<Vec<StatementMessage>>,
    /// The charts.
    pub chart_messages: Vec<ChartMessage>,
    /// `[code]message` of each warning, one a line.
    pub warning_info: String,
    /// `[code]message` of each failure, one a line.
    pub exception_info: String,
}

/// The citations that were checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct CitationMessages {
    /// 0 when citations were checked.
    pub code: u32,
    /// `success`, or why there are none.
    pub msg: String,
    /// The citations, by id.
    pub data: Vec<CitationMessage>,
}

/// What a check found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The evidence says it.
    Supported,
    /// The evidence says the opposite.
    Contradicted,
    /// The evidence says nothing about it.
    NotFound,
    /// Nobody could look.
    #[default]
    NotChecked,
}

/// A citation that was checked: the `id` of a `[checked_citation:id]` in the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct CitationMessage {
    /// Always empty: a field that readers of results expect.
    pub name: String,
    /// The address of the source.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its text, with `<mark>` around what supports the statement.
    pub content: String,
    /// The statement of the report.
    pub chunk: String,
    /// The name of the site.
    pub source: String,
    /// When it was published, as the source says.
    pub publish_time: String,
    /// The share of the statement's wording that the marked text has, 0 to 1, as it was measured; absent where nothing was
    /// measured, as between two scripts and behind a chart. It says nothing about the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// `web` or `local`.
    pub from: String,
    /// The number in the marker, from 0.
    pub id: u32,
    /// The number in the list of references, from 1.
    pub reference_index: u32,
    /// The evidence; ours.
    pub evidence_id: String,
    /// What the check found; ours.
    pub verdict: Verdict,
    /// The bytes of the evidence's text that the verdict rests on; ours.
    pub span: Option<(usize, usize)>,
}

/// What a conclusion rests on: the N of a `#inference:N` in the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct InferMessage {
    /// The number in the link.
    pub id: u32,
    /// The conclusion.
    pub conclusion: String,
    /// The steps to it.
    pub inference: String,
    /// A page with the provenance graph, in base64.
    pub html_base64: String,
}

/// A chart of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ChartMessage {
    /// `chart_SECTION_N`, as in `(#insertChart:chart_id)` in the report.
    pub chart_id: String,
    /// The title.
    pub chart_title: String,
    /// What it shows.
    pub description: String,
    /// The picture, SVG in base64.
    pub base64: String,
    /// The data with their sources, in the order of the table below the chart; ours.
    pub data: Vec<ChartDatum>,
}

/// A datum of a chart and who states it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ChartDatum {
    /// What the value is of; in a timeline the date.
    pub label: String,
    /// The value with its unit as the source has it, or the event.
    pub said: String,
    /// Each source with the sentence or the row that holds label and value.
    pub sources: Vec<DatumSource>,
}

/// Where a source states a datum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct DatumSource {
    /// The evidence.
    pub evidence_id: String,
    /// The bytes of the sentence or the row in the evidence's text.
    pub span: (usize, usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_older_results_load_and_what_was_not_measured_is_absent() {
        let old: CitationMessage = serde_json::from_str(r#"{"id":3,"score":0.85,"verdict":"supported"}"#).unwrap();
        assert_eq!((old.id, old.score), (3, Some(0.85)));
        let none: CitationMessage = serde_json::from_str(r#"{"id":4,"score":null}"#).unwrap();
        assert_eq!(none.score, None);
        assert!(!serde_json::to_string(&none).unwrap().contains("score"));
    }

    #[test]
    fn results_of_older_versions_have_no_statements_and_stay_as_they_are() {
        let old: FinalResult = serde_json::from_str(r#"{"response_content":"It is so."}"#).unwrap();
        assert_eq!(old.statement_messages, None);
        assert!(!serde_json::to_string(&old).unwrap().contains("statement_messages"));
        assert_eq!(old.with_content("It was so.".to_owned()).statement_messages, None, "nobody looked");
    }
}
