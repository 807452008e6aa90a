//! The frame of charts with upright values: axis, grid and labels below.

use super::canvas::{Canvas, FAINT, GREY, INK, MARGIN, SMALL, Side};
use crate::chart::Chart;
use crate::error::ChartError;
use crate::measure::{fitted, width, wrapped};
use crate::range::Range;

/// The height of one line of labels.
pub(super) const LINE: i32 = SMALL + 3;

/// Where values and labels are.
pub(super) struct Scale {
    pub(super) range: Range,
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    count: i32,
}

impl Scale {
    /// Draws the frame below `top`, and gives the scale in it.
    pub(super) fn draw(canvas: &Canvas<'_>, chart: &Chart, top: i32, range: Range) -> Result<Self, ChartError> {
        let marks = range.marks();
        let widest = marks.iter().map(|mark| width(&range.written(*mark), f64::from(SMALL))).fold(0.0, f64::max);
        // Room for the widest mark; pixels fit an integer.
        let left = MARGIN + widest.min(160.0).ceil() as i32 + 8;
        let right = canvas.width - MARGIN;
        let title = chart.value_title();
        let head = if title.is_empty() { 0 } else { LINE };
        let foot = if chart.label_title().is_empty() { 0 } else { LINE };
        // A line above the highest value is left for its number.
        let (plot_top, bottom) = (top + head + LINE, canvas.height - MARGIN - foot - 2 * LINE - 6);
        let count = i32::try_from(chart.records().len()).unwrap_or(1).max(1);
        let scale = Self { range, left, right, top: plot_top, bottom, count };
        let room = f64::from(canvas.width - 2 * MARGIN);
        canvas.text(&fitted(&title, f64::from(SMALL), room), (MARGIN, top + SMALL / 2), Side::Right, GREY)?;
        for mark in marks {
            let y = scale.y(mark);
            canvas.line(vec![(left, y), (right, y)], FAINT, 1)?;
            canvas.text(&range.written(mark), (left - 6, y), Side::Left, GREY)?;
        }
        let slot = f64::from(scale.slot());
        for (number, record) in (0..).zip(chart.records()) {
            for (line, text) in (0..).zip(wrapped(&record.label, f64::from(SMALL), slot - 6.0, 2)) {
                canvas.text(&text, (scale.x(number), bottom + 6 + line * LINE), Side::Below, INK)?;
            }
        }
        let label_title = fitted(chart.label_title(), f64::from(SMALL), room);
        canvas.text(&label_title, ((left + right) / 2, canvas.height - MARGIN - SMALL), Side::Below, GREY)?;
        Ok(scale)
    }

    /// The place of a record.
    pub(super) fn x(&self, number: i32) -> i32 {
        self.left + (self.right - self.left) * (2 * number + 1) / (2 * self.count)
    }

    /// The place of a value.
    pub(super) fn y(&self, value: f64) -> i32 {
        let height = f64::from(self.bottom - self.top);
        self.bottom - (self.range.share(value) * height).round() as i32
    }

    /// The room of a record.
    pub(super) fn slot(&self) -> i32 {
        (self.right - self.left) / self.count
    }

    /// Where bars begin: at zero, or at the end of the axis that is next to it.
    pub(super) fn base(&self) -> i32 {
        self.y(0.0_f64.clamp(self.range.from, self.range.to))
    }
}

/// What readers must know of an axis that does not hold zero.
pub(super) fn beginning(range: &Range, title: &str) -> Option<String> {
    let end = if range.from > 0.0 {
        range.from
    } else if range.to < 0.0 {
        range.to
    } else {
        return None;
    };
    let written = range.written(end);
    let chinese = title.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    Some(if chinese { format!("数轴起点为 {written}") } else { format!("the axis begins at {written}, not at 0") })
}
