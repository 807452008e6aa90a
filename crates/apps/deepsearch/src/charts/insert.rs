//! Charts in a text: placeholders, captions, citations (study, section 2.4).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::make::Made;
use crate::evidence::Evidence;
use crate::state::{ChartMessage, TraceSource};
use crate::trace::{trace_mark, trace_marks};

/// What the place of a chart begins with.
const PLACE: &str = "(#insertChart:";
/// What the caption of a chart begins with.
const CAPTION: &str = "<font size=2>**";

/// A chart and its place in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlacedChart {
    /// The byte of the text after which it stands: the end of a paragraph.
    pub at: usize,
    /// What the reader of the result gets.
    pub message: ChartMessage,
    /// The evidence of its values.
    pub sources: Vec<TraceSource>,
}

impl PlacedChart {
    pub(super) fn new(at: usize, id: String, made: &Made, evidence: &[Evidence]) -> Self {
        let chart = &made.chart;
        let message = ChartMessage {
            chart_id: id,
            chart_title: chart.title().to_owned(),
            description: made.description.clone(),
            base64: STANDARD.encode(&made.svg),
        };
        let cited = chart.citations().into_iter().filter_map(|id| evidence.iter().find(|one| one.id.as_str() == id));
        let mut sources: Vec<TraceSource> = Vec::new();
        for evidence in cited {
            // References count addresses, so passages of one document are one citation.
            if sources.iter().all(|known| known.url != evidence.url) {
                sources.push(TraceSource {
                    evidence: evidence.id.clone(),
                    title: evidence.title.clone(),
                    url: evidence.url.clone(),
                    chunk: caption(&message),
                    traced: true,
                    chart: true,
                });
            }
        }
        Self { at, message, sources }
    }
}

/// The text with its charts, the citations in its order, and the charts in its order.
///
/// After the paragraph stand `(#insertChart:ID)` and a caption with the citations of the chart's values.
pub fn insert_charts(
    text: &str,
    traces: &[TraceSource],
    charts: &[PlacedChart],
) -> (String, Vec<TraceSource>, Vec<ChartMessage>) {
    let mut charts: Vec<&PlacedChart> =
        charts.iter().filter(|chart| chart.at <= text.len() && text.is_char_boundary(chart.at)).collect();
    charts.sort_by_key(|chart| chart.at);
    let marks = trace_marks(text);
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    let (mut all, mut next) = (Vec::new(), 0);
    for chart in &charts {
        out.push_str(&text[from..chart.at]);
        from = chart.at;
        let before = marks.iter().filter(|mark| mark.range.start < chart.at).count().min(traces.len());
        all.extend_from_slice(&traces[next..before.max(next)]);
        next = before.max(next);
        out.push_str(&block(&chart.message));
        for source in &chart.sources {
            out.push_str(&trace_mark(&source.title, &source.url));
            all.push(source.clone());
        }
    }
    out.push_str(&text[from..]);
    all.extend_from_slice(&traces[next..]);
    (out, all, charts.into_iter().map(|chart| chart.message.clone()).collect())
}

/// The text of a section with its charts, and the charts in its order. Captions cite the documents of the section as its
/// writer does.
pub(super) fn insert_in_section(
    text: &str,
    documents: &[Evidence],
    charts: &[PlacedChart],
) -> (String, Vec<ChartMessage>) {
    let mut charts: Vec<&PlacedChart> = charts.iter().filter(|chart| text.is_char_boundary(chart.at)).collect();
    charts.sort_by_key(|chart| chart.at);
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for chart in &charts {
        out.push_str(&text[from..chart.at]);
        from = chart.at;
        out.push_str(&block(&chart.message));
        let places =
            chart.sources.iter().filter_map(|source| documents.iter().position(|one| one.id == source.evidence));
        places.for_each(|place| out.push_str(&format!("[citation:{}]", place + 1)));
    }
    out.push_str(&text[from..]);
    (out, charts.into_iter().map(|chart| chart.message.clone()).collect())
}

/// Whether a line holds the place or the caption of a chart.
pub(crate) fn is_chart_line(line: &str) -> bool {
    line.starts_with(PLACE) || line.starts_with(CAPTION)
}

/// A chart's place and its caption, as paragraphs of their own.
fn block(message: &ChartMessage) -> String {
    format!("\n\n{PLACE}{})\n\n{}", message.chart_id, caption(message))
}

/// The line below a chart.
fn caption(message: &ChartMessage) -> String {
    let plain = |text: &str| {
        text.chars().filter(|c| !matches!(c, '<' | '>' | '*' | '[' | ']' | '`' | '\n')).collect::<String>()
    };
    let (title, description) = (plain(&message.chart_title), plain(&message.description));
    if description.trim().is_empty() {
        format!("{CAPTION}{}**</font>", title.trim())
    } else {
        format!("{CAPTION}{}**: {}</font>", title.trim(), description.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(url: &str, chart: bool) -> TraceSource {
        TraceSource { url: url.into(), title: "T".into(), chart, ..TraceSource::default() }
    }

    #[test]
    fn citations_stay_in_the_order_of_their_marks() {
        let mark = |url: &str| trace_mark("T", url);
        let text = format!("One {}.\n\nTwo {}.\n", mark("https://one.example"), mark("https://two.example"));
        let at = text.find("\n\n").unwrap();
        let chart = |at: usize, id: &str, url: &str| PlacedChart {
            at,
            message: ChartMessage {
                chart_id: id.into(),
                chart_title: "Shares <b>".into(),
                description: "What [is] shown".into(),
                base64: String::new(),
            },
            sources: vec![trace(url, true)],
        };
        let charts =
            [chart(text.len() - 1, "chart_1_2", "https://c2.example"), chart(at, "chart_1_1", "https://c1.example")];
        let traces = [trace("https://one.example", false), trace("https://two.example", false)];
        let (out, all, messages) = insert_charts(&text, &traces, &charts);
        let written: Vec<String> = trace_marks(&out).into_iter().map(|mark| mark.url).collect();
        let kept: Vec<&str> = all.iter().map(|trace| trace.url.as_str()).collect();
        assert_eq!(written, ["https://one.example", "https://c1.example", "https://two.example", "https://c2.example"]);
        assert_eq!(kept, written);
        let ids: Vec<&str> = messages.iter().map(|message| message.chart_id.as_str()).collect();
        assert_eq!(ids, ["chart_1_1", "chart_1_2"]);
        let block =
            "\n\n(#insertChart:chart_1_1)\n\n<font size=2>**Shares b**: What is shown</font>[source_tracer_result]";
        assert!(out.contains(block), "{out}");
    }

    #[test]
    fn in_a_section_captions_cite_its_documents() {
        let documents =
            [Evidence::new("https://a.example", "A", "a"), Evidence::new("https://b.example", "B", "b 12.5 ms")];
        let source = TraceSource { evidence: documents[1].id.clone(), ..trace("https://b.example", true) };
        let message =
            ChartMessage { chart_id: "chart_3_1".into(), chart_title: "Times".into(), ..ChartMessage::default() };
        let chart = PlacedChart { at: 4, message, sources: vec![source] };
        let (out, messages) = insert_in_section("One.\n\nTwo.", &documents, &[chart]);
        let expected = "One.\n\n(#insertChart:chart_3_1)\n\n<font size=2>**Times**</font>[citation:2]\n\nTwo.";
        assert_eq!((out.as_str(), messages.len()), (expected, 1));
        let chart_lines = out.lines().filter(|line| is_chart_line(line)).count();
        assert_eq!(chart_lines, 2);
    }

    #[test]
    fn a_text_without_charts_stays_as_it_is() {
        let traces = [trace("https://one.example", false)];
        assert_eq!(insert_charts("a", &traces, &[]), ("a".to_owned(), traces.to_vec(), Vec::new()));
    }
}
