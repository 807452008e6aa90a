//! Events below each other, in their order.

use super::canvas::{Canvas, FAINT, GREY, INK, MARGIN, SMALL, Side, VIOLET};
use super::scale::LINE;
use crate::chart::Chart;
use crate::error::ChartError;
use crate::measure::{fitted, width, wrapped};

/// The most lines of an event.
const MOST_LINES: usize = 3;
/// The room for the title.
const HEAD: i32 = 70;

/// Where the line is.
fn column(chart: &Chart, canvas_width: i32) -> i32 {
    let longest = chart.records().iter().map(|record| width(&record.label, f64::from(SMALL))).fold(0.0, f64::max);
    // Times take at most a third of the chart; pixels fit an integer.
    MARGIN + longest.min(f64::from(canvas_width) / 3.0).ceil() as i32 + 12
}

fn lines(chart: &Chart, canvas_width: i32) -> Vec<Vec<String>> {
    let room = f64::from(canvas_width - MARGIN - column(chart, canvas_width) - 16);
    chart.records().iter().map(|record| wrapped(&record.event, f64::from(SMALL), room, MOST_LINES)).collect()
}

fn row(lines: &[String]) -> i32 {
    i32::try_from(lines.len()).unwrap_or(1).max(1) * LINE + 14
}

/// The height of the chart in pixels.
pub(super) fn height(chart: &Chart, canvas_width: i32) -> i32 {
    HEAD + lines(chart, canvas_width).iter().map(|lines| row(lines)).sum::<i32>() + MARGIN
}

pub(super) fn draw(canvas: &Canvas<'_>, chart: &Chart, top: i32) -> Result<(), ChartError> {
    let x = column(chart, canvas.width);
    let all = lines(chart, canvas.width);
    let tall: i32 = all.iter().map(|lines| row(lines)).sum();
    canvas.line(vec![(x, top + 4), (x, top + tall - 4)], FAINT, 2)?;
    let mut y = top;
    for (record, lines) in chart.records().iter().zip(all) {
        let middle = y + row(&lines) / 2;
        canvas.dot((x, middle), VIOLET)?;
        let room = f64::from(x - MARGIN - 10);
        canvas.text(&fitted(&record.label, f64::from(SMALL), room), (x - 10, middle), Side::Left, GREY)?;
        let first = middle - i32::try_from(lines.len().saturating_sub(1)).unwrap_or(0) * LINE / 2;
        for (line, text) in (0..).zip(&lines) {
            canvas.text(text, (x + 12, first + line * LINE), Side::Right, INK)?;
        }
        y += row(&lines);
    }
    Ok(())
}
