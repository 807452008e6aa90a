//! Data for a chart, each value found in the evidence that it cites.

use std::collections::BTreeMap;
use std::ops::Range;

use graphloom_charts::{Chart, ChartData, ChartKind, Datum, SourceText, Unstated, stated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Document;
use crate::state::{ChartDatum, DatumSource};

/// Data that a model collected for a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ChartProposal {
    /// False when the documents do not hold enough data.
    pub has_data: bool,
    /// The form of the chart.
    #[serde(default)]
    pub kind: ChartKind,
    /// The title.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub title: String,
    /// What the chart shows, in one sentence.
    #[serde(default)]
    #[schemars(length(max = 300))]
    pub description: String,
    /// What the labels are.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub label_title: String,
    /// What the values are.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub value_title: String,
    /// The records.
    #[serde(default)]
    #[schemars(length(max = 12))]
    pub records: Vec<ProposedRecord>,
}

/// A record of a proposal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ProposedRecord {
    /// What the value is of; in a timeline the date.
    #[schemars(length(max = 80))]
    pub label: String,
    /// The value as the document has it; none in a timeline.
    pub value: Option<f64>,
    /// The unit as the document has it.
    #[schemars(length(max = 40))]
    pub unit: String,
    /// What happened; only in a timeline.
    #[schemars(length(max = 200))]
    pub event: String,
    /// The numbers of the documents that say so, from 1.
    #[schemars(length(max = 4))]
    pub documents: Vec<u32>,
}

/// A chart whose data were found in their sources.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckedData {
    /// The chart.
    pub chart: Chart,
    /// What it shows.
    pub description: String,
    /// Its data as the sources have them, in the order of the proposal.
    pub data: Vec<ChartDatum>,
}

/// The chart of a proposal; `None` when there are no data. `sources` are the documents by their numbers.
///
/// Every record is looked for in each document that it cites: label and value, or date and event, must stand in one
/// sentence or one row of a table. A record that no cited document states makes the proposal wrong, as does a
/// description with a number of its own.
///
/// # Errors
/// What is wrong, for whoever made the proposal.
pub fn checked_data(proposal: ChartProposal, sources: &[&Document]) -> Result<Option<CheckedData>, String> {
    if !proposal.has_data {
        return Ok(None);
    }
    let kind = proposal.kind;
    let mut data = ChartData::new(kind, proposal.title);
    data.label_title = proposal.label_title;
    data.value_title = proposal.value_title;
    data.records = proposal.records.iter().map(|record| datum(record, kind)).collect();
    let mut found: BTreeMap<usize, StatedRecords> = BTreeMap::new();
    for number in proposal.records.iter().flat_map(|record| &record.documents) {
        let place = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
        let Some((place, source)) = place.and_then(|place| Some((place, sources.get(place)?))) else {
            return Err(format!("there is no document {number}; the last is {}", sources.len()));
        };
        found.entry(place).or_insert_with(|| {
            let sentences = graphloom_citations::sentences(&source.text);
            stated(kind, &data.records, SourceText { text: &source.text, sentences: &sentences })
        });
    }
    let mut shown = Vec::new();
    for (at, record) in proposal.records.iter().enumerate() {
        let mut shown_datum = ChartDatum {
            label: record.label.trim().to_owned(),
            said: value_text(record, kind),
            ..ChartDatum::default()
        };
        let mut problem = format!("the record `{}` names no document", record.label);
        for number in &record.documents {
            let Some(place) = (*number as usize).checked_sub(1) else { continue };
            match found.get(&place).and_then(|records| records.get(at)) {
                Some(Ok(range)) => {
                    let evidence_id = sources[place].id.to_string();
                    if shown_datum.sources.iter().all(|known| known.evidence_id != evidence_id) {
                        shown_datum.sources.push(DatumSource { evidence_id, span: (range.start, range.end) });
                    }
                }
                Some(Err(reason)) => problem = format!("document {number} does not have the record: {reason}"),
                None => {}
            }
        }
        if shown_datum.sources.is_empty() {
            return Err(problem);
        }
        data.records[at].citations = shown_datum.sources.iter().map(|source| source.evidence_id.clone()).collect();
        shown.push(shown_datum);
    }
    let description = proposal.description.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(number) = foreign_number(&description, sources) {
        return Err(format!("the description says `{number}`, which no document says; leave numbers out of it"));
    }
    let chart = Chart::check(data).map_err(|error| error.to_string())?;
    Ok(Some(CheckedData { chart, description, data: shown }))
}

/// Where a document states each record, or why it does not.
type StatedRecords = Vec<Result<Range<usize>, Unstated>>;

fn datum(record: &ProposedRecord, kind: ChartKind) -> Datum {
    match record.value {
        Some(value) if kind.is_numeric() => Datum::number(&record.label, value, &record.unit),
        _ => Datum::event(&record.label, &record.event),
    }
}

/// The value of a record with its unit, or the event of the record.
fn value_text(record: &ProposedRecord, kind: ChartKind) -> String {
    match record.value {
        Some(value) if kind.is_numeric() => format!("{value} {}", record.unit.trim()).trim_end().to_owned(),
        _ => record.event.trim().to_owned(),
    }
}

/// A number of a text that no document has.
fn foreign_number<'t>(text: &'t str, sources: &[&Document]) -> Option<&'t str> {
    let numbers = |text: &'t str| {
        text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')))
            .map(|number| number.trim_matches(['.', ',']))
            .filter(|number| !number.is_empty())
    };
    numbers(text).find(|number| {
        sources.iter().all(|source| !has_number(&source.text, number) && !has_number(&source.title, number))
    })
}

/// Whether a number stands in a text by itself, and not as a part of another.
fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + number.len()..].chars().next();
        !before.is_some_and(|c| c.is_ascii_digit()) && !behind.is_some_and(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source(text: &str) -> Document {
        Document::new("https://a.example/page", "Commits", text)
    }

    fn record(label: &str, value: f64, unit: &str, document: u32) -> ProposedRecord {
        ProposedRecord {
            label: label.into(),
            value: Some(value),
            unit: unit.into(),
            documents: vec![document],
            ..ProposedRecord::default()
        }
    }

    fn proposal(records: Vec<ProposedRecord>) -> ChartProposal {
        ChartProposal { has_data: true, title: "Commits".into(), records, ..ChartProposal::default() }
    }

    const TEXT: &str =
        "SQLite took 12.5 ms for a commit. PostgreSQL took 3.25 ms. Python took 1,400 ms in the same test.";

    #[test]
    fn values_that_the_evidence_has_become_a_chart() {
        let source = source(TEXT);
        let records = vec![
            record("SQLite", 12.5, "ms", 1),
            record("PostgreSQL", 3.25, "ms", 1),
            record("Python", 1400.0, "ms", 1),
        ];
        let checked = checked_data(proposal(records), &[&source]).unwrap().unwrap();
        assert_eq!((checked.chart.records().len(), checked.chart.citations()), (3, vec![source.id.as_str()]));
        let shown: Vec<(&str, &str)> = checked
            .data
            .iter()
            .map(|datum| (datum.said.as_str(), &TEXT[datum.sources[0].span.0..datum.sources[0].span.1]))
            .collect();
        let expected = [
            ("12.5 ms", "SQLite took 12.5 ms for a commit."),
            ("3.25 ms", "PostgreSQL took 3.25 ms."),
            ("1400 ms", "Python took 1,400 ms in the same test."),
        ];
        assert_eq!(shown, expected);
        assert_eq!(checked_data(ChartProposal::default(), &[&source]), Ok(None));
    }

    #[test]
    fn what_the_evidence_does_not_have_is_refused() {
        let source = source(TEXT);
        let good = || {
            vec![
                record("SQLite", 12.5, "ms", 1),
                record("PostgreSQL", 3.25, "ms", 1),
                record("Python", 1400.0, "ms", 1),
            ]
        };
        let with = |change: fn(&mut ChartProposal)| {
            let mut proposal = proposal(good());
            change(&mut proposal);
            checked_data(proposal, &[&source]).unwrap_err()
        };
        for (error, part) in [
            (with(|proposal| proposal.records[0].value = Some(12.6)), "SQLite"),
            (with(|proposal| proposal.records[0].unit = "s".into()), "SQLite"),
            (with(|proposal| proposal.records[0].label = "Oracle".into()), "Oracle"),
            (with(|proposal| proposal.records[0].documents = vec![2]), "no document 2"),
            (with(|proposal| proposal.records[0].documents = vec![0]), "no document 0"),
            (with(|proposal| proposal.records[0].documents.clear()), "names no document"),
            (with(|proposal| proposal.description = "A commit took 77 ms.".into()), "description"),
            (with(|proposal| proposal.records.truncate(2)), "2 records"),
        ] {
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn values_that_were_put_to_other_labels_are_refused(order in Just(vec![0_usize, 1, 2]).prop_shuffle()) {
            let source = source(TEXT);
            let values = [12.5, 3.25, 1400.0];
            let records = ["SQLite", "PostgreSQL", "Python"].into_iter().zip(&order);
            let records = records.map(|(label, at)| record(label, values[*at], "ms", 1)).collect();
            let drawn = checked_data(proposal(records), &[&source]);
            prop_assert_eq!(drawn.is_ok(), order == [0, 1, 2], "{:?}", drawn);
        }
    }

    #[test]
    fn dates_of_a_timeline_are_looked_for_too() {
        let source = source("The format was frozen in 2004. The log came in 2010. The vacuum was rewritten in 2016.");
        let event = |label: &str, event: &str| ProposedRecord {
            label: label.into(),
            event: event.into(),
            documents: vec![1],
            ..ProposedRecord::default()
        };
        let timeline = |last: &str| {
            let records = vec![
                event("2004", "The format was frozen"),
                event("2010", "The log came"),
                event(last, "The vacuum was rewritten"),
            ];
            let mut proposal = proposal(records);
            proposal.kind = ChartKind::Timeline;
            checked_data(proposal, &[&source])
        };
        assert!(timeline("2016").unwrap().is_some());
        assert!(timeline("2017").is_err());
        assert!(timeline("2004").unwrap_err().contains("The vacuum was rewritten"), "another event is of that year");
    }
}
