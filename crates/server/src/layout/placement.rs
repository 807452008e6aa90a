//! Boxes to place, and boxes placed with the lines between them.

use super::drawing::Direction;
use super::{layered, rows};

/// A point: x and y.
pub(super) type Point = [f64; 2];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Boxes to place and the lines to draw between them, both in the order in which they were declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Sketch {
    pub(super) sizes: Vec<Size>,
    /// From box to box.
    pub(super) lines: Vec<(usize, usize)>,
}

/// A box where it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: Size,
}

/// Boxes and lines where they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Placement {
    pub(super) boxes: Vec<Rect>,
    pub(super) lines: Vec<Vec<Point>>,
}

/// Places the boxes, so that edges lead in a direction: by dagre, or in rows where that takes too long or fails.
pub(super) fn place(sketch: &Sketch, direction: Direction) -> Placement {
    if !layered::suits(sketch) {
        return rows::place(sketch, direction);
    }
    place_by(|| layered::place(sketch, direction), sketch, direction)
}

/// What `layout` gives, or rows where it panics or gives what is not sound.
pub(super) fn place_by(layout: impl FnOnce() -> Placement, sketch: &Sketch, direction: Direction) -> Placement {
    let placed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(layout));
    match placed.map(|placement| placement.aligned(sketch)) {
        Ok(placement) if placement.is_sound(sketch) => placement,
        failed => {
            let why = if failed.is_err() { "panicked" } else { "gave what cannot be drawn" };
            tracing::warn!(boxes = sketch.sizes.len(), lines = sketch.lines.len(), "a layout {why}; rows stand for it");
            rows::place(sketch, direction)
        }
    }
}

impl Size {
    /// The size with its sides exchanged.
    pub(super) fn turned(self) -> Self {
        Self { width: self.height, height: self.width }
    }
}

impl Rect {
    pub(super) fn right(&self) -> f64 {
        self.x + self.size.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.size.height
    }

    /// The point of its border that is near a point: the nearest one for a point outside of it.
    pub(super) fn border_at(&self, [x, y]: Point) -> Point {
        let (x, y) = (x.max(self.x).min(self.right()), y.max(self.y).min(self.bottom()));
        let sides = [
            (x - self.x, [self.x, y]),
            (self.right() - x, [self.right(), y]),
            (y - self.y, [x, self.y]),
            (self.bottom() - y, [x, self.bottom()]),
        ];
        sides.into_iter().min_by(|(left, _), (right, _)| left.total_cmp(right)).map_or([x, y], |(_, point)| point)
    }

    /// Whether a point is at its border.
    pub(super) fn has_at_border(&self, [x, y]: Point) -> bool {
        let [near_x, near_y] = self.border_at([x, y]);
        (near_x - x).abs() < SLIGHT && (near_y - y).abs() < SLIGHT
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right() - SLIGHT
            && other.x < self.right() - SLIGHT
            && self.y < other.bottom() - SLIGHT
            && other.y < self.bottom() - SLIGHT
    }
}

/// What numbers that were rounded may differ by.
const SLIGHT: f64 = 0.01;

impl Placement {
    /// The size of the whole, from 0, 0 on.
    pub(super) fn size(&self) -> Size {
        let corners = self.boxes.iter().map(|placed| [placed.right(), placed.bottom()]);
        let points = corners.chain(self.lines.iter().flatten().copied());
        let (width, height) = points.fold((0.0, 0.0), |(x, y): (f64, f64), point| (x.max(point[0]), y.max(point[1])));
        Size { width: width.ceil(), height: height.ceil() }
    }

    /// The same with whole numbers for boxes and tenths for lines, from 0, 0 on, and with lines that begin and end exactly at
    /// the borders of their boxes.
    pub(super) fn aligned(mut self, sketch: &Sketch) -> Self {
        let corners = self.boxes.iter().map(|placed| [placed.x, placed.y]);
        let points = corners.chain(self.lines.iter().flatten().copied());
        let least = |(x, y): (f64, f64), point: Point| (x.min(point[0]), y.min(point[1]));
        let (left, top) = points.fold((f64::INFINITY, f64::INFINITY), least);
        for placed in &mut self.boxes {
            (placed.x, placed.y) = ((placed.x - left).round(), (placed.y - top).round());
        }
        for (line, (from, to)) in self.lines.iter_mut().zip(&sketch.lines) {
            for point in line.iter_mut() {
                *point = [tenth(point[0] - left), tenth(point[1] - top)];
            }
            if let (Some(from), Some(first)) = (self.boxes.get(*from), line.first_mut()) {
                *first = from.border_at(*first);
            }
            if let (Some(to), Some(last)) = (self.boxes.get(*to), line.last_mut()) {
                *last = to.border_at(*last);
            }
        }
        self
    }

    /// Whether every box is there, none overlaps another, and every line begins and ends at the border of its boxes.
    pub(super) fn is_sound(&self, sketch: &Sketch) -> bool {
        let sizes = self.boxes.iter().map(|placed| placed.size);
        let is_finite =
            self.boxes.iter().map(|placed| [placed.x, placed.y]).chain(self.lines.iter().flatten().copied());
        sizes.eq(sketch.sizes.iter().copied())
            && is_finite.flatten().all(|number| number.is_finite() && number >= 0.0)
            && self.lines.len() == sketch.lines.len()
            && self.lines.iter().zip(&sketch.lines).all(|(line, (from, to))| {
                line.len() >= 2
                    && line.first().is_some_and(|first| self.boxes[*from].has_at_border(*first))
                    && line.last().is_some_and(|last| self.boxes[*to].has_at_border(*last))
            })
            && !self.has_overlap()
    }

    /// Boxes are compared with those that begin before they end, from the left.
    fn has_overlap(&self) -> bool {
        let mut boxes: Vec<&Rect> = self.boxes.iter().collect();
        boxes.sort_by(|left, right| left.x.total_cmp(&right.x));
        boxes.iter().enumerate().any(|(at, placed)| {
            let beside = boxes[at + 1..].iter().take_while(|other| other.x < placed.right());
            beside.into_iter().any(|other| placed.overlaps(other))
        })
    }
}

fn tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
