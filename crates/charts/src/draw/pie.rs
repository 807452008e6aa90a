//! Slices of a whole, with a list of them beside.

use std::f64::consts::TAU;

use plotters::prelude::RGBColor;

use super::canvas::{Canvas, GREY, INK, MARGIN, SMALL, Side};
use super::scale::LINE;
use crate::chart::Chart;
use crate::error::ChartError;
use crate::measure::fitted;
use crate::range::written;

const RADIUS: i32 = 110;
/// The height of an entry of the list.
const ENTRY: i32 = LINE + 6;
/// Corners of the polygon that stands for a whole circle.
const CORNERS: f64 = 180.0;

/// Colours that differ also for those who see few; the first is that of other charts.
const COLOURS: [RGBColor; 12] = [
    RGBColor(124, 58, 237),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
    RGBColor(148, 163, 41),
    RGBColor(148, 85, 50),
    RGBColor(64, 150, 160),
    RGBColor(190, 60, 90),
    RGBColor(80, 80, 140),
];
/// What was computed and is in no source.
const DERIVED: RGBColor = RGBColor(203, 213, 225);

/// The height of the chart in pixels.
pub(super) fn height(chart: &Chart) -> i32 {
    let entries = i32::try_from(chart.records().len()).unwrap_or(12);
    (70 + entries * ENTRY + MARGIN).max(super::HEIGHT)
}

pub(super) fn draw(canvas: &Canvas<'_>, chart: &Chart, top: i32) -> Result<(), ChartError> {
    let sum: f64 = chart.values().sum();
    let radius = RADIUS.min(canvas.width / 4);
    let centre = (MARGIN + radius, (top + canvas.height - MARGIN) / 2);
    let entries = i32::try_from(chart.records().len()).unwrap_or(12);
    let list = (MARGIN + 2 * radius + 28, (centre.1 - entries * ENTRY / 2).max(top));
    let mut begin = 0.0;
    for (number, record) in chart.records().iter().enumerate() {
        let value = record.value.unwrap_or_default();
        let share = if sum > 0.0 { value / sum } else { 0.0 };
        let color = if record.derived { DERIVED } else { COLOURS[number % COLOURS.len()] };
        canvas.polygon(slice(centre, radius, begin, begin + share), color)?;
        begin += share;
        let y = list.1 + i32::try_from(number).unwrap_or(0) * ENTRY + ENTRY / 2;
        canvas.rectangle((list.0, y - 5), (list.0 + 10, y + 5), color)?;
        let amount = format!("{} {}", written(value, 3), chart.unit());
        let shown = format!("{} ({})", record.label, amount.trim_end());
        let room = f64::from(canvas.width - MARGIN - list.0 - 18);
        canvas.text(&fitted(&shown, f64::from(SMALL), room), (list.0 + 18, y), Side::Right, INK)?;
    }
    let title = fitted(&chart.value_title(), f64::from(SMALL), f64::from(2 * radius));
    canvas.text(&title, (centre.0, canvas.height - MARGIN), Side::Above, GREY)
}

/// The corners of a slice from one share of the circle to another, which begins at the top and goes to the right.
fn slice(centre: (i32, i32), radius: i32, from: f64, to: f64) -> Vec<(i32, i32)> {
    let corner = |share: f64| {
        let angle = share * TAU;
        let (x, y) = (angle.sin() * f64::from(radius), -angle.cos() * f64::from(radius));
        (centre.0 + x.round() as i32, centre.1 + y.round() as i32)
    };
    let steps = ((to - from) * CORNERS).ceil().clamp(1.0, CORNERS) as i32;
    let mut corners = vec![centre];
    corners.extend((0..=steps).map(|step| corner(from + (to - from) * f64::from(step) / f64::from(steps))));
    corners
}
