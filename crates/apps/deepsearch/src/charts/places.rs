//! Where charts may stand, and where a model wants them.

use std::collections::BTreeSet;
use std::ops::Range;

use graphloom_agents::Strategy;
use graphloom_charts::ChartKind;
use graphloom_citations::without_marks;
use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ChartRules, MOST};
use crate::ask::{self, Ask, AskFailure};
use crate::markup::trace_marks;
use crate::markup::{heading, lines};
use crate::resources::Resources;

/// How much of a chapter a small model is shown, in characters.
const SHOWN_SMALL: usize = 2_000;

/// A chart that a model wants.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Wish")]
pub(super) struct ChartRequest {
    /// The number of the mark after which the chart stands.
    pub(super) anchor: u32,
    /// The form of the chart.
    pub(super) kind: ChartKind,
    /// The title.
    #[schemars(length(min = 1, max = 120))]
    pub(super) title: String,
    /// Which values of what the chart needs.
    #[schemars(length(max = 300))]
    pub(super) shows: String,
}

/// Charts for a chapter; none when no chart helps.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Wishes")]
struct ChartRequests {
    #[schemars(length(max = 3))]
    charts: Vec<ChartRequest>,
}

/// The chapters of the sections: all but title and abstract, and what comes after the last section.
pub(super) fn chapters(text: &str, sections: usize) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for (line, plain) in lines(text) {
        if plain && heading(line).is_some_and(|(level, _)| level == 1) {
            starts.push(at);
        }
        at = end_of(text, at, line);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let all: Vec<Range<usize>> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
    all.into_iter().skip(2).take(sections).collect()
}

/// The byte after a line and its end.
fn end_of(text: &str, at: usize, line: &str) -> usize {
    let after = at + line.len();
    match text.as_bytes().get(after..) {
        Some([b'\r', b'\n', ..]) => after + 2,
        Some([b'\n', ..]) => after + 1,
        _ => after,
    }
}

/// The ends of the paragraphs after which a chart may stand: not after headings, in lists, tables, code or quotations.
pub(super) fn anchors(chapter: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    // The end of the paragraph so far; `None` between paragraphs, `Some(None)` in what is none.
    let mut block: Option<Option<usize>> = None;
    for (line, plain) in lines(chapter) {
        let end = at + line.trim_end().len();
        if line.trim().is_empty() {
            found.extend(block.take().flatten());
        } else {
            let fits = plain && is_paragraph(line);
            block = match block {
                Some(None) => Some(None),
                _ if fits => Some(Some(end)),
                _ => Some(None),
            };
        }
        at = end_of(chapter, at, line);
    }
    found.extend(block.flatten());
    found
}

fn is_paragraph(line: &str) -> bool {
    let text = line.trim_start();
    let numbered = text
        .split_once(['.', ')'])
        .is_some_and(|(number, rest)| number.chars().all(|c| c.is_ascii_digit()) && rest.starts_with(' '));
    heading(line).is_none()
        && !numbered
        && !text.starts_with(['|', '<', '!'])
        && !["- ", "* ", "+ ", "---", "***"].iter().any(|mark| text.starts_with(mark))
}

/// The chapter as a model sees it: with marks after paragraphs, without citations and tables.
fn marked(chapter: &str, anchors: &[usize]) -> String {
    let mut shown = String::new();
    let mut from = 0;
    for (number, at) in (1..).zip(anchors) {
        shown.push_str(&chapter[from..*at]);
        shown.push_str(&format!("\n@import_chart_{number}"));
        from = *at;
    }
    shown.push_str(&chapter[from..]);
    let mut plain = String::new();
    let mut from = 0;
    for mark in trace_marks(&shown) {
        plain.push_str(&shown[from..mark.range.start]);
        from = mark.range.end;
    }
    plain.push_str(&shown[from..]);
    let plain = without_marks(&plain);
    let rows = plain.lines().filter(|line| !line.trim_start().starts_with('|'));
    rows.collect::<Vec<_>>().join("\n")
}

/// Asks where charts help.
pub(super) async fn choose(
    cx: &Context<Resources>,
    section: &str,
    chapter: &str,
    anchors: &[usize],
    rules: ChartRules,
) -> Result<Result<Vec<ChartRequest>, AskFailure>, NodeError> {
    let shown = marked(chapter, anchors);
    let shown = match cx.resources().strategy(rules.slot) {
        Strategy::Free => shown,
        Strategy::Guided => shown.chars().take(SHOWN_SMALL).collect(),
    };
    let args = json!({ "chapter": shown, "most": MOST, "language": rules.language.as_str() });
    let ask = Ask::new(format!("chart_places/{section}"), "charts/places")
        .slot(rules.slot)
        .tries(rules.tries)
        .small_tokens(200);
    ask::value(cx, &ask, &args, |requests: ChartRequests| {
        let mut taken = BTreeSet::new();
        for request in &requests.charts {
            if !(1..=anchors.len()).contains(&(request.anchor as usize)) {
                return Err(format!(
                    "there is no mark @import_chart_{}; the last is {}",
                    request.anchor,
                    anchors.len()
                ));
            }
            if !taken.insert(request.anchor) {
                return Err(format!("two charts stand after @import_chart_{}", request.anchor));
            }
        }
        if requests.charts.len() > MOST {
            return Err(format!("{} charts are too many; at most {MOST}", requests.charts.len()));
        }
        let mut charts = requests.charts;
        charts.sort_by_key(|request| request.anchor);
        Ok(charts)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# T\n\n# Abstract\n\nShort.\n\n# 1. One\n\nFirst paragraph\nof two lines.\n\n## 1.1 Part\n\n\
        - a list\n- goes on\n\n| a | b |\n| - | - |\n\n> said\n\n```\n# no heading\n```\n\nLast paragraph.\n# 2. Two\n\nText.\n\n\
        # Conclusion\n\nDone.\n\n# Reference Articles\n\n[1]. x\n";

    #[test]
    fn chapters_are_those_of_the_sections() {
        let chapters = chapters(REPORT, 2);
        let shown: Vec<&str> = chapters.iter().map(|range| REPORT[range.clone()].lines().next().unwrap()).collect();
        assert_eq!(shown, ["# 1. One", "# 2. Two"]);
        assert!(super::chapters("no headings", 3).is_empty());
    }

    #[test]
    fn charts_stand_after_paragraphs_only() {
        let chapter = &REPORT[chapters(REPORT, 2)[0].clone()];
        let anchors = anchors(chapter);
        let before: Vec<&str> = anchors.iter().map(|at| chapter[..*at].lines().last().unwrap()).collect();
        assert_eq!(before, ["of two lines.", "Last paragraph."]);
        let shown = marked(chapter, &anchors);
        assert!(shown.contains("of two lines.\n@import_chart_1\n") && !shown.contains("| a"), "{shown}");
    }
}
