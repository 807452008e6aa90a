//! A line through points.

use super::canvas::{Canvas, INK, SMALL, Side, VIOLET};
use super::scale::Scale;
use crate::chart::Chart;
use crate::error::ChartError;
use crate::measure::fitted;
use crate::range::{range_of, written};

pub(super) fn draw(canvas: &Canvas<'_>, chart: &Chart, top: i32) -> Result<(), ChartError> {
    let values: Vec<f64> = chart.values().collect();
    let scale = Scale::draw(canvas, chart, top, range_of(&values, false))?;
    let points: Vec<(i32, i32)> =
        (0..).zip(&values).map(|(number, value)| (scale.x(number), scale.y(*value))).collect();
    canvas.line(points.clone(), VIOLET, 2)?;
    for (point, value) in points.into_iter().zip(values) {
        canvas.dot(point, VIOLET)?;
        let shown = fitted(&written(value, 3), f64::from(SMALL), f64::from(scale.slot()));
        canvas.text(&shown, (point.0, point.1 - 7), Side::Above, INK)?;
    }
    Ok(())
}
