//! From checked data to SVG.

mod bars;
mod canvas;
mod horizontal_bars;
mod line;
mod pie;
mod scale;
mod timeline;

use crate::chart::Chart;
use crate::data::ChartKind;
use crate::error::ChartError;
use crate::measure::weight;
use crate::range::written;
use canvas::Canvas;

/// The height of a chart in pixels.
const HEIGHT: i32 = 360;
/// The labels of upright bars weigh at most this.
const MOST_WEIGHT: usize = 80;

/// A chart as SVG, with a title and a description for those who do not see it.
pub(crate) fn svg(chart: &Chart) -> Result<String, ChartError> {
    let count = chart.records().len();
    let width = chart_width(count);
    let height = match chart.kind() {
        ChartKind::Timeline => timeline::height(chart, width),
        ChartKind::Pie => pie::height(chart),
        _ => HEIGHT,
    };
    let mut drawn = String::new();
    {
        let canvas = Canvas::on(&mut drawn, width, height)?;
        let top = canvas.title(chart.title())?;
        match chart.kind() {
            ChartKind::Bar if has_horizontal_bars(chart) => horizontal_bars::draw(&canvas, chart, top)?,
            ChartKind::Line => line::draw(&canvas, chart, top)?,
            ChartKind::Pie => pie::draw(&canvas, chart, top)?,
            ChartKind::Timeline => timeline::draw(&canvas, chart, top)?,
            ChartKind::Bar => bars::draw(&canvas, chart, top)?,
        }
        canvas.finish()?;
    }
    Ok(described(drawn, chart))
}

/// The width of a chart in pixels.
fn chart_width(records: usize) -> i32 {
    i32::try_from(220 + 70 * records).unwrap_or(960).clamp(360, 960)
}

/// Whether the labels are too long to stand side by side.
fn has_horizontal_bars(chart: &Chart) -> bool {
    let weights: Vec<usize> = chart.records().iter().map(|record| weight(&record.label)).collect();
    let longest = weights.iter().copied().max().unwrap_or_default();
    weights.iter().sum::<usize>() > MOST_WEIGHT || longest * weights.len() > MOST_WEIGHT
}

/// What a chart shows, in words: the first thing in the picture.
fn described(drawn: String, chart: &Chart) -> String {
    let mut words = String::new();
    for record in chart.records() {
        let entry = match record.value {
            Some(value) => format!("{}: {} {}", record.label, written(value, 6), chart.unit()),
            None => format!("{}: {}", record.label, record.event),
        };
        let origin = if record.derived { "derived".to_owned() } else { record.citations.join(", ") };
        words.push_str(&format!("{} [{origin}]; ", entry.trim_end()));
    }
    let words = crate::measure::one_line(&words);
    let head = format!(
        "\n<title>{}</title>\n<desc>{}</desc>",
        escaped(chart.title()),
        escaped(words.trim_end_matches([';', ' ']))
    );
    match drawn.find('>') {
        Some(end) => format!("{} role=\"img\">{head}{}", &drawn[..end], &drawn[end + 1..]),
        None => drawn,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_grows_with_the_records_within_its_bounds() {
        for (records, width) in [(1, 360), (3, 430), (6, 640), (12, 960)] {
            assert_eq!(chart_width(records), width);
        }
    }
}
