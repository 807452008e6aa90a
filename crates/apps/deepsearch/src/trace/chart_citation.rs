//! Verdicts on the citations of charts. The data of a chart were checked when the chart was drawn.

use graphloom_citations::{Basis, Checked, Span, Verdict};

use super::check::Judged;
use crate::evidence::Document;
use crate::state::TraceSource;

/// The verdict on a citation behind a chart; `None` for other citations.
///
/// The verdict is supported, because the sentence or row that states the datum was found before the chart was drawn. A
/// chart of an older version cites a source behind the caption, which no source states; such a citation stays in the
/// report and is not checked.
pub(super) fn chart_verdict(data: usize, trace: &TraceSource, source: &Document) -> Option<Judged> {
    if !trace.chart {
        return None;
    }
    let stated = trace.span.filter(|(start, end)| source.text.get(*start..*end).is_some());
    let span = stated.map(|(start, end)| Span::from(start..end));
    let first = || graphloom_citations::sentences(&source.text).into_iter().next().map(Span::from);
    let verdict = match span {
        Some(span) => Verdict::Supported { span },
        None => Verdict::NotChecked { why: "it stands behind a chart of an older version".to_owned() },
    };
    let checked = Checked { verdict, basis: Basis::Quotation, faults: Vec::new(), overlap: None };
    Some(Judged { data, checked, span: span.or_else(first) })
}
