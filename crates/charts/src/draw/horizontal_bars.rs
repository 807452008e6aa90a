//! Bars that lie, for labels that are too long to stand side by side.

use super::canvas::{Canvas, FAINT, GREY, INK, MARGIN, SMALL, Side, VIOLET};
use super::scale::{LINE, beginning};
use crate::chart::Chart;
use crate::error::ChartError;
use crate::measure::{fitted, width, wrapped};
use crate::range::{range_of, written};

pub(super) fn draw(canvas: &Canvas<'_>, chart: &Chart, top: i32) -> Result<(), ChartError> {
    let small = f64::from(SMALL);
    let values: Vec<f64> = chart.values().collect();
    let range = range_of(&values, true);
    let longest = chart.records().iter().map(|record| width(&record.label, small)).fold(0.0, f64::max);
    let numbers = values.iter().map(|value| width(&written(*value, 3), small)).fold(0.0, f64::max);
    // Labels take at most two fifths of the chart; pixels fit an integer.
    let labels = longest.min(f64::from(canvas.width) * 0.4);
    let left = MARGIN + labels.ceil() as i32 + 8;
    let right = canvas.width - MARGIN - numbers.min(120.0).ceil() as i32 - 6;
    let title = chart.value_title();
    let head = if title.is_empty() { 0 } else { LINE };
    let (plot_top, bottom) = (top + head, canvas.height - MARGIN - LINE - 4);
    let x = |value: f64| left + (range.share(value) * f64::from(right - left)).round() as i32;
    canvas.text(&fitted(&title, small, f64::from(canvas.width) * 0.6), (MARGIN, top + SMALL / 2), Side::Right, GREY)?;
    for mark in range.marks().into_iter().step_by(2) {
        canvas.line(vec![(x(mark), plot_top), (x(mark), bottom)], FAINT, 1)?;
        canvas.text(&range.written(mark), (x(mark), bottom + 4), Side::Below, GREY)?;
    }
    let count = i32::try_from(values.len()).unwrap_or(1).max(1);
    let slot = (bottom - plot_top) / count;
    let half = (slot * 3 / 10).clamp(3, 16);
    let base = x(0.0_f64.clamp(range.from, range.to));
    for (number, (record, value)) in (0..).zip(chart.records().iter().zip(values)) {
        let y = plot_top + (bottom - plot_top) * (2 * number + 1) / (2 * count);
        let lines = wrapped(&record.label, small, labels + 1.0, if slot >= 2 * LINE { 2 } else { 1 });
        let first = y - i32::try_from(lines.len().saturating_sub(1)).unwrap_or(0) * LINE / 2;
        for (line, text) in (0..).zip(lines) {
            canvas.text(&text, (left - 6, first + line * LINE), Side::Left, INK)?;
        }
        let end = x(value);
        canvas.rectangle((end.min(base), y - half), (end.max(base), y + half), VIOLET)?;
        canvas.text(&written(value, 3), (end.max(base) + 5, y), Side::Right, INK)?;
    }
    if let Some(note) = beginning(&range, chart.title()) {
        canvas.text(&note, (canvas.width - MARGIN, top + SMALL / 2), Side::Left, GREY)?;
    }
    Ok(())
}
