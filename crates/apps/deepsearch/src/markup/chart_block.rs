//! A chart in a text: its place, a caption, and a table of its data with a citation behind each.

use std::ops::Range;

use crate::state::{ChartDatum, ChartMessage};

/// What the place of a chart begins with.
const PLACE: &str = "(#insertChart:";
/// What captions of older versions began with.
const OLD_CAPTION: &str = "<font size=2>";

/// A chart that stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChartBlock {
    /// The id of the chart.
    pub(crate) id: String,
    /// From the place of the chart to the last row of its data.
    pub(crate) range: Range<usize>,
    /// The rows of its data, without the heading of the table.
    pub(crate) rows: Vec<Range<usize>>,
}

/// The charts of a text.
pub(crate) fn chart_blocks(text: &str) -> Vec<ChartBlock> {
    let mut found: Vec<ChartBlock> = Vec::new();
    let (mut open, mut captioned, mut lines) = (false, false, 0_usize);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, shown) = (at, line.trim_end());
        at += line.len();
        if let Some(id) = shown.strip_prefix(PLACE).and_then(|rest| rest.strip_suffix(')')) {
            found.push(ChartBlock { id: id.to_owned(), range: start..start + shown.len(), rows: Vec::new() });
            (open, captioned, lines) = (true, false, 0);
            continue;
        }
        let Some(block) = found.last_mut().filter(|_| open) else { continue };
        let is_row = shown.starts_with('|');
        if shown.trim().is_empty() {
            open = lines == 0;
        } else if is_row || (!captioned && lines == 0 && (shown.starts_with("**") || shown.starts_with(OLD_CAPTION))) {
            captioned = true;
            lines += usize::from(is_row);
            // The first two lines of a table are its heading and what separates it.
            if lines > 2 {
                block.rows.push(start..start + shown.len());
            }
            block.range.end = start + shown.len();
        } else {
            open = false;
        }
    }
    found
}

/// Whether a byte of a text is part of a chart.
pub(crate) fn in_chart(blocks: &[ChartBlock], at: usize) -> bool {
    blocks.iter().any(|block| block.range.contains(&at))
}

impl ChartBlock {
    /// The datum in whose row a byte stands.
    pub(crate) fn datum<'c>(&self, charts: &'c [ChartMessage], at: usize) -> Option<&'c ChartDatum> {
        let row = self.rows.iter().position(|row| row.contains(&at))?;
        charts.iter().find(|chart| chart.chart_id == self.id)?.data.get(row)
    }
}

/// The text of a chart; `cite` gives the citations of a datum.
pub(crate) fn written(
    message: &ChartMessage,
    heads: &(String, String),
    mut cite: impl FnMut(&ChartDatum) -> String,
) -> String {
    let (title, description) = (plain(&message.chart_title), plain(&message.description));
    let mut out = format!("\n\n{PLACE}{})\n\n**{title}**", message.chart_id);
    if !description.is_empty() {
        out.push_str(&format!(": {description}"));
    }
    out.push_str(&format!("\n\n| {} | {} |\n| --- | --- |", plain(&heads.0), plain(&heads.1)));
    for datum in &message.data {
        out.push_str(&format!("\n| {} | {}{} |", plain(&datum.label), plain(&datum.said), cite(datum)));
    }
    out
}

/// Text without signs of markup, in one line.
fn plain(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if matches!(c, '<' | '>' | '*' | '[' | ']' | '`' | '|' | '\\' | '\n') { ' ' } else { c })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_found_with_its_caption_and_its_rows() {
        let mut message = ChartMessage {
            chart_id: "chart_1_1".into(),
            chart_title: "Shares <b>".into(),
            description: "What [is] | shown".into(),
            ..ChartMessage::default()
        };
        message.data = ["north", "south"]
            .map(|label| ChartDatum { label: label.into(), said: "3 ms".into(), sources: Vec::new() })
            .into();
        let block = written(&message, &("Place".into(), String::new()), |_| "[citation:1]".into());
        let text = format!("One.{block}\n\n| a table |\n|---|\n| of the text |\n\nTwo.");
        let [found] = &chart_blocks(&text)[..] else { panic!("{text}") };
        assert_eq!(
            &text[found.range.clone()],
            "(#insertChart:chart_1_1)\n\n**Shares b**: What is shown\n\n| Place |  |\n| --- | --- |\n\
             | north | 3 ms[citation:1] |\n| south | 3 ms[citation:1] |"
        );
        let charts = [message];
        let datum = |word: &str| found.datum(&charts, text.find(word).unwrap()).map(|datum| datum.label.as_str());
        assert_eq!((datum("north"), datum("south"), datum("Shares")), (Some("north"), Some("south"), None));
        let blocks = chart_blocks(&text);
        assert!(
            in_chart(&blocks, text.find("Shares").unwrap()) && !in_chart(&blocks, text.find("of the text").unwrap())
        );
    }

    #[test]
    fn charts_of_older_versions_have_a_caption_alone() {
        let text = "A.\n\n(#insertChart:c)\n\n<font size=2>**T**: d</font>[citation:1]\n\nB.\n";
        let [found] = &chart_blocks(text)[..] else { panic!() };
        assert!(text[found.range.clone()].ends_with("</font>[citation:1]") && found.rows.is_empty());
        assert_eq!(chart_blocks("(#insertChart:x)\nB.")[0].range, 0..16);
    }
}
