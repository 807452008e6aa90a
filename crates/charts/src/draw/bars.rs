//! Bars that stand.

use super::canvas::{Canvas, GREY, INK, MARGIN, SMALL, Side, VIOLET};
use super::scale::{Scale, beginning};
use crate::chart::Chart;
use crate::error::ChartError;
use crate::measure::fitted;
use crate::range::{range_of, written};

pub(super) fn draw(canvas: &Canvas<'_>, chart: &Chart, top: i32) -> Result<(), ChartError> {
    let values: Vec<f64> = chart.values().collect();
    let range = range_of(&values, true);
    let scale = Scale::draw(canvas, chart, top, range)?;
    let half = (scale.slot() * 3 / 10).clamp(6, 40);
    let base = scale.base();
    for (number, value) in (0..).zip(values) {
        let (x, y) = (scale.x(number), scale.y(value));
        canvas.rectangle((x - half, y.min(base)), (x + half, y.max(base)), VIOLET)?;
        let shown = fitted(&written(value, 3), f64::from(SMALL), f64::from(scale.slot()));
        if y > base {
            canvas.text(&shown, (x, y + 3), Side::Below, INK)?;
        } else {
            canvas.text(&shown, (x, y - 3), Side::Above, INK)?;
        }
    }
    if let Some(note) = beginning(&range, chart.title()) {
        canvas.text(&note, (canvas.width - MARGIN, top + SMALL / 2), Side::Left, GREY)?;
    }
    Ok(())
}
