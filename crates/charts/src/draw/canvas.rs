//! The drawing area, with the few things that charts are made of.

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, Color, DrawingArea, IntoDrawingArea, IntoFont, PathElement, Polygon, RGBColor, Rectangle, SVGBackend, Text,
    WHITE,
};
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::ChartError;
use crate::measure::wrapped;

/// Plain text.
pub(super) const INK: RGBColor = RGBColor(31, 41, 55);
/// Text that matters less.
pub(super) const GREY: RGBColor = RGBColor(107, 114, 128);
/// Lines of the grid.
pub(super) const FAINT: RGBColor = RGBColor(229, 231, 235);
/// Bars, lines and points.
pub(super) const VIOLET: RGBColor = RGBColor(124, 58, 237);

/// The height of labels.
pub(super) const SMALL: i32 = 11;
/// The height of the title.
const LARGE: i32 = 16;
/// The room around everything.
pub(super) const MARGIN: i32 = 14;
/// The library writes sizes of fonts divided by this.
const FONT_SCALE: f64 = 1.24;

/// Where a text is, seen from its point.
#[derive(Clone, Copy)]
pub(super) enum Side {
    /// The text begins at the point.
    Right,
    /// The text ends at the point.
    Left,
    /// The text is above the point.
    Above,
    /// The text is below the point.
    Below,
}

pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    pub(super) width: i32,
    pub(super) height: i32,
}

fn failed(error: impl std::fmt::Display) -> ChartError {
    ChartError::Drawing { reason: error.to_string() }
}

impl<'a> Canvas<'a> {
    pub(super) fn on(drawn: &'a mut String, width: i32, height: i32) -> Result<Self, ChartError> {
        let size = (u32::try_from(width).unwrap_or(360), u32::try_from(height).unwrap_or(360));
        let area = SVGBackend::with_string(drawn, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        Ok(Self { area, width, height })
    }

    pub(super) fn finish(&self) -> Result<(), ChartError> {
        self.area.present().map_err(failed)
    }

    /// Writes the title in at most two lines, and gives the height below it.
    pub(super) fn title(&self, title: &str) -> Result<i32, ChartError> {
        let room = f64::from(self.width - 2 * MARGIN);
        let mut top = MARGIN;
        for line in wrapped(title, f64::from(LARGE), room, 2) {
            let font = ("sans-serif", f64::from(LARGE) * FONT_SCALE).into_font().style(FontStyle::Bold);
            let style = font.color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
            self.area.draw(&Text::new(line, (self.width / 2, top), style)).map_err(failed)?;
            top += LARGE + 5;
        }
        Ok(top + 6)
    }

    pub(super) fn text(&self, text: &str, at: (i32, i32), side: Side, color: RGBColor) -> Result<(), ChartError> {
        if text.is_empty() {
            return Ok(());
        }
        let position = match side {
            Side::Right => Pos::new(HPos::Left, VPos::Center),
            Side::Left => Pos::new(HPos::Right, VPos::Center),
            Side::Above => Pos::new(HPos::Center, VPos::Bottom),
            Side::Below => Pos::new(HPos::Center, VPos::Top),
        };
        let style = ("sans-serif", f64::from(SMALL) * FONT_SCALE).into_font().color(&color).pos(position);
        self.area.draw(&Text::new(text.to_owned(), at, style)).map_err(failed)
    }

    pub(super) fn line(&self, points: Vec<(i32, i32)>, color: RGBColor, width: u32) -> Result<(), ChartError> {
        self.area.draw(&PathElement::new(points, color.stroke_width(width))).map_err(failed)
    }

    pub(super) fn rectangle(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), ChartError> {
        self.area.draw(&Rectangle::new([from, to], color.filled())).map_err(failed)
    }

    pub(super) fn dot(&self, at: (i32, i32), color: RGBColor) -> Result<(), ChartError> {
        self.area.draw(&Circle::new(at, 4, color.filled())).map_err(failed)
    }

    pub(super) fn polygon(&self, points: Vec<(i32, i32)>, color: RGBColor) -> Result<(), ChartError> {
        self.area.draw(&Polygon::new(points, color.filled())).map_err(failed)
    }
}
