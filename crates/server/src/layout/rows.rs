//! Boxes placed in rows: each below all that lead to it, save by lines that go back.
//!
//! It is plain, takes no time worth speaking of, and cannot fail: it stands in where dagre does not serve. Lines are straight, and
//! may pass behind boxes.

use super::drawing::Direction;
use super::placement::{Placement, Point, Rect, Size, Sketch};

/// Between boxes of one row, and between rows.
const BOX_GAP: f64 = 40.0;
const ROW_GAP: f64 = 56.0;

/// How far a line that goes back, or to where it comes from, leads away from boxes.
const DETOUR: f64 = 20.0;

/// Between lines from one box to the same other one.
const BESIDE: f64 = 10.0;

/// Places boxes in rows.
pub(super) fn place(sketch: &Sketch, direction: Direction) -> Placement {
    match direction {
        Direction::Down => below_each_other(sketch),
        Direction::Right => {
            let sizes = sketch.sizes.iter().map(|size| size.turned()).collect();
            let mut placement = below_each_other(&Sketch { sizes, lines: sketch.lines.clone() });
            for placed in &mut placement.boxes {
                *placed = Rect { x: placed.y, y: placed.x, size: placed.size.turned() };
            }
            for point in placement.lines.iter_mut().flatten() {
                point.swap(0, 1);
            }
            placement
        }
    }
}

/// How often a line passes a row in which it neither begins nor ends.
pub(super) fn passed(sketch: &Sketch) -> usize {
    let Rows { row_of, .. } = Rows::of(sketch);
    let passes = sketch.lines.iter().map(|(from, to)| row_of[*from].abs_diff(row_of[*to]).saturating_sub(1));
    passes.sum()
}

/// Boxes in rows.
struct Rows {
    /// The row of each box.
    row_of: Vec<usize>,
    /// Whether each line goes back, or to where it comes from.
    goes_back: Vec<bool>,
    /// The boxes of each row, in their order.
    rows: Vec<Vec<usize>>,
}

impl Rows {
    fn of(sketch: &Sketch) -> Self {
        let leaving = leaving(sketch);
        let (order, goes_back) = forward_order(sketch, &leaving);
        let mut row_of = vec![0; sketch.sizes.len()];
        for at in &order {
            for line in leaving[*at].iter().filter(|line| !goes_back[**line]) {
                let (from, to) = sketch.lines[*line];
                row_of[to] = row_of[to].max(row_of[from] + 1);
            }
        }
        let mut rows = vec![Vec::new(); row_of.iter().max().map_or(0, |last| last + 1)];
        for (at, row) in row_of.iter().enumerate() {
            rows[*row].push(at);
        }
        let mut placed = Self { row_of, goes_back, rows };
        placed.order(sketch);
        placed
    }

    /// Orders each row by where its boxes are led to from above. Boxes that are led to from the same places stay as declared.
    fn order(&mut self, sketch: &Sketch) {
        let mut place_of = vec![0.0; sketch.sizes.len()];
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); sketch.sizes.len()];
        for ((from, to), _) in sketch.lines.iter().zip(&self.goes_back).filter(|(_, goes_back)| !**goes_back) {
            above[*to].push(*from);
        }
        for row in &mut self.rows {
            let middle = |at: usize, own: f64| {
                let above = &above[at];
                let sum: f64 = above.iter().map(|from| place_of[*from]).sum();
                if above.is_empty() { own } else { sum / above.len() as f64 }
            };
            let length = row.len() as f64;
            let mut weighed: Vec<(f64, usize)> =
                row.iter().zip(0_u32..).map(|(at, place)| (middle(*at, f64::from(place) / length), *at)).collect();
            weighed.sort_by(|(left, _), (right, _)| left.total_cmp(right));
            for ((_, at), place) in weighed.iter().zip(0_u32..) {
                place_of[*at] = (f64::from(place) + 0.5) / length;
            }
            *row = weighed.into_iter().map(|(_, at)| at).collect();
        }
    }
}

/// The lines that leave each box.
fn leaving(sketch: &Sketch) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); sketch.sizes.len()];
    for (line, (from, _)) in sketch.lines.iter().enumerate() {
        leaving[*from].push(line);
    }
    leaving
}

/// The boxes in an order in which no line leads backward but those that go back, and which lines those are.
///
/// A depth-first search, with a stack of its own: a line that leads to a box on the way to where it begins goes back.
fn forward_order(sketch: &Sketch, leaving: &[Vec<usize>]) -> (Vec<usize>, Vec<bool>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Unseen,
        OnTheWay,
        Done,
    }
    let mut visits = vec![Visit::Unseen; sketch.sizes.len()];
    let mut goes_back = vec![false; sketch.lines.len()];
    let mut order = Vec::with_capacity(sketch.sizes.len());
    for start in 0..sketch.sizes.len() {
        if visits[start] != Visit::Unseen {
            continue;
        }
        visits[start] = Visit::OnTheWay;
        let mut way = vec![(start, leaving[start].iter())];
        while let Some((at, lines)) = way.last_mut() {
            let Some(line) = lines.next() else {
                visits[*at] = Visit::Done;
                order.push(*at);
                way.pop();
                continue;
            };
            let to = sketch.lines[*line].1;
            match visits[to] {
                Visit::Unseen => {
                    visits[to] = Visit::OnTheWay;
                    way.push((to, leaving[to].iter()));
                }
                Visit::OnTheWay => goes_back[*line] = true,
                Visit::Done => {}
            }
        }
    }
    order.reverse();
    (order, goes_back)
}

fn below_each_other(sketch: &Sketch) -> Placement {
    let rows = Rows::of(sketch);
    let mut boxes: Vec<Rect> = sketch.sizes.iter().map(|size| Rect { x: 0.0, y: 0.0, size: *size }).collect();
    let width_of = |row: &[usize]| {
        let widths: f64 = row.iter().map(|at| sketch.sizes[*at].width).sum();
        widths + BOX_GAP * row.len().saturating_sub(1) as f64
    };
    let width = rows.rows.iter().map(|row| width_of(row)).fold(0.0, f64::max);
    let mut top = 0.0;
    for row in &rows.rows {
        let height = row.iter().map(|at| sketch.sizes[*at].height).fold(0.0, f64::max);
        let mut left = ((width - width_of(row)) / 2.0).round();
        for at in row {
            let Size { width, height: own } = sketch.sizes[*at];
            (boxes[*at].x, boxes[*at].y) = (left, top + ((height - own) / 2.0).round());
            left += width + BOX_GAP;
        }
        top += height + ROW_GAP;
    }
    let mut drawn: std::collections::BTreeMap<(usize, usize), u32> = std::collections::BTreeMap::new();
    let lines = sketch.lines.iter().zip(&rows.goes_back).map(|((from, to), goes_back)| {
        let count = drawn.entry((*from, *to)).or_default();
        let beside = BESIDE * f64::from(*count);
        *count += 1;
        line(&boxes[*from], &boxes[*to], *goes_back, width + DETOUR, beside)
    });
    let lines = lines.collect();
    Placement { boxes, lines }
}

/// A line from box to box; one that goes back does so to the right of all boxes.
fn line(from: &Rect, to: &Rect, goes_back: bool, right_of_all: f64, beside: f64) -> Vec<Point> {
    let middle = |placed: &Rect| (placed.x + beside + placed.size.width / 2.0).min(placed.right());
    if !goes_back {
        return vec![[middle(from), from.bottom()], [middle(to), to.y]];
    }
    let height = |placed: &Rect, part: f64| (placed.y + beside + placed.size.height * part).min(placed.bottom());
    let is_loop = from == to;
    let (out, back) =
        if is_loop { (height(from, 0.25), height(to, 0.75)) } else { (height(from, 0.5), height(to, 0.5)) };
    let right = if is_loop { from.right() + DETOUR } else { right_of_all } + beside;
    vec![[from.right(), out], [right, out], [right, back], [to.right(), back]]
}
