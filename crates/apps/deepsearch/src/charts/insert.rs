//! Charts in a text: placeholders, captions, data with their citations.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::make::FinishedChart;
use crate::evidence::{Document, canonical};
use crate::markup::written;
use crate::markup::{trace_mark, trace_marks};
use crate::state::{ChartDatum, ChartMessage, TraceSource};

/// A chart and its place in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlacedChart {
    /// The byte of the text after which it stands: the end of a paragraph.
    pub at: usize,
    /// What the reader of the result gets.
    pub message: ChartMessage,
    /// What the labels and what the values are: the heading of its table.
    pub heads: (String, String),
    /// The evidence of each datum: one source for each of the places that state it.
    pub sources: Vec<Vec<TraceSource>>,
}

impl PlacedChart {
    pub(super) fn new(at: usize, id: String, made: &FinishedChart, evidence: &[Document]) -> Self {
        let chart = &made.chart;
        let message = ChartMessage {
            chart_id: id,
            chart_title: chart.title().to_owned(),
            description: made.description.clone(),
            base64: STANDARD.encode(&made.svg),
            data: made.data.clone(),
        };
        let sources = made.data.iter().map(|datum| sources(datum, evidence)).collect();
        Self { at, heads: (chart.label_title().to_owned(), chart.value_title()), message, sources }
    }
}

/// The sources of a datum. References count addresses, so two places in one document are one source.
fn sources(datum: &ChartDatum, evidence: &[Document]) -> Vec<TraceSource> {
    let mut sources: Vec<TraceSource> = Vec::new();
    for place in &datum.sources {
        let found = evidence.iter().find(|one| one.id.as_str() == place.evidence_id);
        let is_new = |found: &&Document| sources.iter().all(|known| canonical(&known.url) != canonical(&found.url));
        let Some(found) = found.filter(is_new) else { continue };
        sources.push(TraceSource {
            evidence: found.id.clone(),
            title: found.title.clone(),
            url: found.url.clone(),
            chunk: format!("{}: {}", datum.label, datum.said),
            traced: true,
            chart: true,
            span: Some(place.span),
        });
    }
    sources
}

/// The text with its charts, the citations in its order, and the charts in its order.
///
/// After the paragraph stand `(#insertChart:ID)`, a caption, and a table of the data with their citations.
pub fn insert_charts(
    text: &str,
    traces: &[TraceSource],
    charts: &[PlacedChart],
) -> (String, Vec<TraceSource>, Vec<ChartMessage>) {
    let marks = trace_marks(text);
    let (mut all, mut next) = (Vec::new(), 0);
    let (out, messages) = inserted(text, charts, |chart| {
        let before = marks.iter().filter(|mark| mark.range.start < chart.at).count().min(traces.len());
        all.extend_from_slice(&traces[next..before.max(next)]);
        next = before.max(next);
        let mut sources = chart.sources.iter();
        written(&chart.message, &chart.heads, |_| {
            let sources = sources.next().map_or(&[][..], Vec::as_slice);
            all.extend_from_slice(sources);
            sources.iter().map(|source| trace_mark(&source.title, &source.url)).collect()
        })
    });
    all.extend_from_slice(&traces[next..]);
    (out, all, messages)
}

/// The text of a section with its charts, and the charts in its order. Data cite the documents of the section as its
/// writer does.
pub(super) fn insert_in_section(
    text: &str,
    documents: &[Document],
    charts: &[PlacedChart],
) -> (String, Vec<ChartMessage>) {
    inserted(text, charts, |chart| {
        let mut sources = chart.sources.iter();
        written(&chart.message, &chart.heads, |_| {
            let sources = sources.next().map_or(&[][..], Vec::as_slice).iter();
            let places = sources.filter_map(|source| documents.iter().position(|one| one.id == source.evidence));
            places.map(|place| format!("[citation:{}]", place + 1)).collect()
        })
    })
}

/// The text with what `write` says behind the paragraphs, in the order of the text.
fn inserted(
    text: &str,
    charts: &[PlacedChart],
    mut write: impl FnMut(&PlacedChart) -> String,
) -> (String, Vec<ChartMessage>) {
    let mut charts: Vec<&PlacedChart> =
        charts.iter().filter(|chart| chart.at <= text.len() && text.is_char_boundary(chart.at)).collect();
    charts.sort_by_key(|chart| chart.at);
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for chart in &charts {
        out.push_str(&text[from..chart.at]);
        from = chart.at;
        out.push_str(&write(chart));
    }
    out.push_str(&text[from..]);
    (out, charts.into_iter().map(|chart| chart.message.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(url: &str, chart: bool) -> TraceSource {
        TraceSource { url: url.into(), title: "T".into(), chart, ..TraceSource::default() }
    }

    fn datum(label: &str) -> ChartDatum {
        ChartDatum { label: label.into(), said: "3 ms".into(), ..ChartDatum::default() }
    }

    #[test]
    fn citations_stay_in_the_order_of_their_marks() {
        let mark = |url: &str| trace_mark("T", url);
        let text = format!("One {}.\n\nTwo {}.\n", mark("https://one.example"), mark("https://two.example"));
        let at = text.find("\n\n").unwrap();
        let chart = |at: usize, id: &str, urls: [&str; 2]| PlacedChart {
            at,
            message: ChartMessage {
                chart_id: id.into(),
                chart_title: "Shares <b>".into(),
                description: "What [is] shown".into(),
                data: vec![datum("north"), datum("south")],
                ..ChartMessage::default()
            },
            heads: ("Place".into(), "Time".into()),
            sources: urls.map(|url| vec![trace(url, true)]).into(),
        };
        let charts = [
            chart(text.len() - 1, "chart_1_2", ["https://c3.example", "https://c4.example"]),
            chart(at, "chart_1_1", ["https://c1.example", "https://c2.example"]),
        ];
        let traces = [trace("https://one.example", false), trace("https://two.example", false)];
        let (out, all, messages) = insert_charts(&text, &traces, &charts);
        let written: Vec<String> = trace_marks(&out).into_iter().map(|mark| mark.url).collect();
        let listed: Vec<&str> = all.iter().map(|trace| trace.url.as_str()).collect();
        let expected = ["one", "c1", "c2", "two", "c3", "c4"].map(|host| format!("https://{host}.example"));
        assert_eq!(written, expected);
        assert_eq!(listed, written);
        let ids: Vec<&str> = messages.iter().map(|message| message.chart_id.as_str()).collect();
        assert_eq!(ids, ["chart_1_1", "chart_1_2"]);
        let block = "\n\n(#insertChart:chart_1_1)\n\n**Shares b**: What is shown\n\n| Place | Time |\n| --- | --- |\n\
                     | north | 3 ms[source_tracer_result]";
        assert!(out.contains(block), "{out}");
    }

    #[test]
    fn in_a_section_data_cite_its_documents() {
        let documents =
            [Document::new("https://a.example", "A", "a"), Document::new("https://b.example", "B", "b 12.5 ms")];
        let source = TraceSource { evidence: documents[1].id.clone(), ..trace("https://b.example", true) };
        let mut message =
            ChartMessage { chart_id: "chart_3_1".into(), chart_title: "Times".into(), ..ChartMessage::default() };
        message.data = vec![datum("b")];
        let chart = PlacedChart { at: 4, message, sources: vec![vec![source]], ..PlacedChart::default() };
        let (out, messages) = insert_in_section("One.\n\nTwo.", &documents, &[chart]);
        let expected =
            "One.\n\n(#insertChart:chart_3_1)\n\n**Times**\n\n|  |  |\n| --- | --- |\n| b | 3 ms[citation:2] |\n\nTwo.";
        assert_eq!((out.as_str(), messages.len()), (expected, 1));
    }

    #[test]
    fn a_text_without_charts_stays_as_it_is() {
        let traces = [trace("https://one.example", false)];
        assert_eq!(insert_charts("a", &traces, &[]), ("a".to_owned(), traces.to_vec(), Vec::new()));
    }
}
