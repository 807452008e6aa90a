//! Where a source states the data of a chart: label and value in one sentence, or in one row of a table.
//!
//! A value that stands somewhere in a source says nothing about a label that stands somewhere else in it. So a sentence
//! with one label and one value binds them, as does one that names labels and values in turns (`A took 3 ms, B 4 ms`), in
//! clauses of their own, or in the same order with `respectively`. Where a sentence leaves open which value is whose, it
//! states none of them. A table binds the cells of a row to the label of the row, or those of a column to the label in the
//! heading; all data of one chart come from the same column, or the same row.

mod clause;
mod event;
mod quantity;
mod sentence;
mod table;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::data::{ChartKind, Datum};
use crate::unit::Unit;
use table::{Axis, Table, tables};

/// A source of data: its text, and the sentences in it as ranges of bytes.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// The text.
    pub text: &'a str,
    /// Its sentences.
    pub sentences: &'a [Range<usize>],
}

/// Why a source does not state a datum. The message is made to be shown to whoever proposed it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unstated {
    /// No sentence and no row has the label.
    #[error("no sentence and no row of a table has all words of the label `{label}`; take the words of the document")]
    Label {
        /// The label.
        label: String,
    },
    /// The unit names several units.
    #[error("the unit `{unit}` of `{label}` is more than one unit; give one unit for each value")]
    Unit {
        /// The label.
        label: String,
        /// The unit.
        unit: String,
    },
    /// The label is there, but not with this value or event.
    #[error(
        "no sentence and no row of a table gives `{said}` to `{label}`; each value must stand with its label in one \
         sentence or row, with its unit, and all of a table in one column"
    )]
    Apart {
        /// The label.
        label: String,
        /// The value with its unit, or the event.
        said: String,
    },
}

/// Where the source states each of the records: the bytes of the sentence or the row.
///
/// ```
/// use graphloom_charts::{ChartKind, Datum, SourceText, stated};
///
/// let text = "SQLite took 12.5 ms for a commit. PostgreSQL took 3.25 ms.";
/// let source = SourceText { text, sentences: &[0..33, 34..58] };
/// let records = [Datum::number("SQLite", 12.5, "ms"), Datum::number("PostgreSQL", 12.5, "ms")];
/// let found = stated(ChartKind::Bar, &records, source);
/// assert_eq!(found[0], Ok(0..33));
/// assert!(found[1].is_err());
/// ```
#[must_use]
pub fn stated(kind: ChartKind, records: &[Datum], source: SourceText<'_>) -> Vec<Result<Range<usize>, Unstated>> {
    let labels: Vec<Vec<String>> = records.iter().map(|record| words::terms(&record.label)).collect();
    // Several events may have one date, and several labels the same words: they are one label of the sentence.
    let mut distinct: Vec<Vec<String>> = Vec::new();
    let owns: Vec<usize> = labels
        .iter()
        .map(|label| {
            distinct.iter().position(|known| known == label).unwrap_or_else(|| {
                distinct.push(label.clone());
                distinct.len() - 1
            })
        })
        .collect();
    let reader =
        Reader { text: source.text, labels: distinct, tables: tables(source.text), sentences: source.sentences };
    if kind.is_numeric() {
        reader.numbers(records, &owns)
    } else {
        records.iter().zip(owns).map(|(record, own)| reader.event(record, own)).collect()
    }
}

struct Reader<'a> {
    text: &'a str,
    /// The words of each label of the chart.
    labels: Vec<Vec<String>>,
    tables: Vec<Table>,
    sentences: &'a [Range<usize>],
}

/// The places of a record: those of sentences, and those of tables with the number of the table and the axis.
#[derive(Default)]
struct Places {
    sentence: Option<Range<usize>>,
    rows: Vec<(usize, Axis, Range<usize>)>,
}

impl Reader<'_> {
    fn numbers(&self, records: &[Datum], owns: &[usize]) -> Vec<Result<Range<usize>, Unstated>> {
        let all: Vec<Result<Places, Unstated>> =
            records.iter().zip(owns).map(|(record, own)| self.places(record, *own)).collect();
        // Of each table the axis that most records are on.
        let mut counts: BTreeMap<(usize, Axis), usize> = BTreeMap::new();
        for places in all.iter().flatten() {
            let mut axes: Vec<(usize, Axis)> = places.rows.iter().map(|(table, axis, _)| (*table, *axis)).collect();
            axes.sort_unstable();
            axes.dedup();
            axes.into_iter().for_each(|axis| *counts.entry(axis).or_default() += 1);
        }
        let mut chosen: BTreeMap<usize, (Axis, usize)> = BTreeMap::new();
        for ((table, axis), count) in counts {
            let best = chosen.entry(table).or_insert((axis, count));
            if count > best.1 {
                *best = (axis, count);
            }
        }
        let on_axis = |places: &Places| {
            places.rows.iter().find(|(table, axis, _)| chosen.get(table).is_some_and(|(best, _)| best == axis)).cloned()
        };
        records
            .iter()
            .zip(all)
            .map(|(record, places)| {
                let places = places?;
                let row = on_axis(&places).map(|(.., range)| range);
                row.or(places.sentence).ok_or_else(|| apart(record))
            })
            .collect()
    }

    fn places(&self, record: &Datum, own: usize) -> Result<Places, Unstated> {
        let label = || record.label.clone();
        let unit =
            Unit::parse(&record.unit).ok_or_else(|| Unstated::Unit { label: label(), unit: record.unit.clone() })?;
        let Some(value) = record.value else { return Err(apart(record)) };
        if !self.has(own) {
            return Err(Unstated::Label { label: label() });
        }
        let mut places = Places::default();
        for (number, table) in self.tables.iter().enumerate() {
            let rows = table.says(self.text, &self.labels, own, value, &unit);
            places.rows.extend(rows.into_iter().map(|(axis, range)| (number, axis, range)));
        }
        let mut sentences = self.prose();
        places.sentence =
            sentences.find(|range| sentence::says(&self.text[range.clone()], &self.labels, own, value, &unit));
        Ok(places)
    }

    fn event(&self, record: &Datum, own: usize) -> Result<Range<usize>, Unstated> {
        if !self.has(own) {
            return Err(Unstated::Label { label: record.label.clone() });
        }
        let rows = self.tables.iter().flat_map(Table::rows);
        let mut places = self.prose().chain(rows);
        let found = places.find(|range| event::tells(&self.text[range.clone()], &self.labels, own, &record.event));
        found.ok_or_else(|| apart(record))
    }

    /// The sentences that are in no table.
    fn prose(&self) -> impl Iterator<Item = Range<usize>> {
        let inside = |range: &Range<usize>| {
            self.tables.iter().any(|table| table.range().start < range.end && range.start < table.range().end)
        };
        self.sentences.iter().filter(move |range| self.text.get((*range).clone()).is_some() && !inside(range)).cloned()
    }

    /// Whether some sentence or row has the words of a label.
    fn has(&self, own: usize) -> bool {
        let rows = self.tables.iter().flat_map(Table::rows);
        self.prose()
            .chain(rows)
            .any(|range| !words::occurrences(&self.labels[own], &words::words(&self.text[range])).is_empty())
    }
}

fn apart(record: &Datum) -> Unstated {
    let value = match record.value {
        Some(value) => format!("{value} {}", record.unit).trim().to_owned(),
        None => record.event.clone(),
    };
    Unstated::Apart { label: record.label.clone(), said: value }
}
