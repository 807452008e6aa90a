//! Tables in a text: rows of cells on lines of their own.

use std::ops::Range;

use super::quantity::{candidates, is_measured, quantities};
use super::words::{occurrences, terms, words};
use crate::unit::Unit;

/// A table; its first row may be a heading.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    range: Range<usize>,
    cells: Vec<Range<usize>>,
}

/// Along what a chart reads a table: one column for labels of rows, one row for labels of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Axis {
    Column(usize),
    Row(usize),
}

/// The tables of a text: lines beside each other with the same number of cells, at least two, between bars or tabs.
pub(super) fn tables(text: &str) -> Vec<Table> {
    let mut found: Vec<Table> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let cells = cells(text, range.clone());
        if is_rule(&text[range.clone()]) && open {
            continue;
        }
        if cells.len() < 2 {
            open = false;
            continue;
        }
        let row = Row { range, cells };
        match found.last_mut().filter(|table| open && table.rows[0].cells.len() == row.cells.len()) {
            Some(table) => table.rows.push(row),
            None => found.push(Table { rows: vec![row] }),
        }
        open = true;
    }
    found
}

impl Table {
    /// The bytes of the table.
    pub(super) fn range(&self) -> Range<usize> {
        let end = self.rows.last().map_or(0, |row| row.range.end);
        self.rows.first().map_or(0..0, |row| row.range.start..end)
    }

    /// The bytes of the rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        self.rows.iter().map(|row| row.range.clone())
    }

    /// Where the table gives this value to a label: the axis, and the bytes of the row.
    pub(super) fn says(
        &self,
        text: &str,
        labels: &[Vec<String>],
        own: usize,
        value: f64,
        unit: &Unit,
    ) -> Vec<(Axis, Range<usize>)> {
        let mut found = Vec::new();
        // Where a cell is the label, cells that say more than the label are about something else.
        let is_label = |cell: &Range<usize>| terms(&text[cell.clone()]) == labels[own];
        let exact = self.rows.iter().flat_map(|row| &row.cells).any(is_label);
        let is_own = |cell: &Range<usize>| {
            let words = words(&text[cell.clone()]);
            let places = super::sentence::labels_in(labels, &words);
            matches!(&places[..], [(label, _)] if *label == own) && (!exact || is_label(cell))
        };
        for (at, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.cells.iter().enumerate() {
                let in_row = row.cells.iter().enumerate().any(|(other, cell)| other != column && is_own(cell));
                let above = self.rows[0].cells.get(column).filter(|_| at > 0);
                if in_row && self.is(text, cell, above, value, unit) {
                    found.push((Axis::Column(column), row.range.clone()));
                }
                let beside = row.cells.first().filter(|_| column > 0);
                if above.is_some_and(is_own) && self.is(text, cell, beside, value, unit) {
                    found.push((Axis::Row(at), row.range.clone()));
                }
            }
        }
        found
    }

    /// Whether a cell holds nothing but this value; its unit may stand in the heading of its column or row.
    fn is(&self, text: &str, cell: &Range<usize>, heading: Option<&Range<usize>>, value: f64, unit: &Unit) -> bool {
        let all = quantities(&text[cell.clone()]);
        let heading = heading.map(|heading| words(&text[heading.clone()])).unwrap_or_default();
        let headed = unit.is_none()
            || units_in(&heading, unit)
            || (!unit.is_known() && !occurrences(&terms(unit.dimension()), &heading).is_empty());
        let measured = is_measured(&all, unit);
        matches!(&candidates(&all, unit)[..], [one] if (headed || measured || !unit.is_known()) && one.is(value, unit))
    }
}

/// Whether one of the words is a unit of the same kind and size.
fn units_in(words: &[super::words::Word], unit: &Unit) -> bool {
    words
        .iter()
        .any(|word| Unit::parse(&word.folded).is_some_and(|one| one.is_known() && one.is_amount(1.0, unit, 1.0)))
}

fn cells(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let shown = &text[line.clone()];
    let mark = if shown.contains('|') { '|' } else { '\t' };
    let mut found = Vec::new();
    let mut from = 0;
    let ends = shown.match_indices(mark).map(|(at, _)| at).chain([shown.len()]);
    for end in ends {
        found.push(from..end);
        from = end + 1;
    }
    // The bars at both ends of a row hold nothing.
    if shown.trim_start().starts_with('|') {
        found.remove(0);
    }
    if shown.len() > 1 && shown.ends_with('|') {
        found.pop();
    }
    found.into_iter().map(|cell| line.start + cell.start..line.start + cell.end).collect()
}

/// Whether a line separates a heading from its rows.
fn is_rule(line: &str) -> bool {
    !line.trim().is_empty() && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t' | '+'))
}
