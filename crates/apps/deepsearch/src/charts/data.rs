//! Data for a chart, each value found in the evidence that it cites.

use graphloom_charts::{Chart, ChartData, ChartKind, Datum};
use graphloom_citations::{CheckOptions, Examined, SourceText, examine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;

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

/// The chart of a proposal, with its description; `None` when there are no data. `sources` are the documents by their
/// numbers.
///
/// Every record is looked for in each document that it cites: its number with its unit, its date and the names in its
/// label must be there. A record that no cited document has makes the proposal wrong, as does a description with a
/// number of its own.
///
/// # Errors
/// What is wrong, for whoever made the proposal.
pub fn checked_data(proposal: ChartProposal, sources: &[&Evidence]) -> Result<Option<(Chart, String)>, String> {
    if !proposal.has_data {
        return Ok(None);
    }
    let mut data = ChartData::new(proposal.kind, proposal.title);
    data.label_title = proposal.label_title;
    data.value_title = proposal.value_title;
    for record in proposal.records {
        let mut cited = Vec::new();
        let mut problem = format!("the record `{}` names no document", record.label);
        for number in &record.documents {
            let source = usize::try_from(*number).ok().and_then(|number| sources.get(number.checked_sub(1)?));
            let Some(source) = source else {
                return Err(format!("there is no document {number}; the last is {}", sources.len()));
            };
            match is_in(&record, proposal.kind, source) {
                Ok(()) => cited.push(source.id.to_string()),
                Err(reason) => {
                    problem = format!("document {number} does not have the record `{}`: {reason}", record.label);
                }
            }
        }
        if cited.is_empty() {
            return Err(problem);
        }
        let mut datum = match record.value {
            Some(value) if proposal.kind.is_numeric() => Datum::number(record.label, value, record.unit),
            _ => Datum::event(record.label, record.event),
        };
        datum.citations = cited;
        data.records.push(datum);
    }
    let description = proposal.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let all: String = sources.iter().map(|source| format!("{}\n{}\n\n", source.title, source.text)).collect();
    if let Some(reason) = fault(&description, SourceText::new("", &all)) {
        return Err(format!("the description says what no document says: {reason}"));
    }
    let chart = Chart::check(data).map_err(|error| error.to_string())?;
    Ok(Some((chart, description)))
}

fn is_in(record: &ProposedRecord, kind: ChartKind, source: &Evidence) -> Result<(), String> {
    let claim = match record.value {
        Some(value) if kind.is_numeric() => format!("{}: {value} {}", record.label, record.unit),
        _ => format!("{}: {}", record.label, record.event),
    };
    let text = SourceText::new(&source.title, &source.text);
    match fault(claim.trim(), text) {
        Some(reason) => Err(reason),
        None if speaks_of(&record.label, source) => Ok(()),
        None => Err(format!("it does not speak of `{}`", record.label)),
    }
}

/// A number, unit, date or name that a source does not have.
fn fault(claim: &str, source: SourceText<'_>) -> Option<String> {
    let mut options = CheckOptions::default();
    // A label and a number are no sentence, so that the wording decides nothing.
    options.least_overlap = 0.0;
    match examine(claim, source, options) {
        Examined::Decided(checked) => checked.faults.first().map(|fault| match &fault.found {
            Some(found) => format!("it has `{found}` where the record has `{}`", fault.claimed),
            None => format!("`{}` is not in it", fault.claimed),
        }),
        // Nothing but rules counts here; what is open to a judge has passed them.
        _ => None,
    }
}

/// Whether a word of the label, or for scripts without spaces a character of it, is in the source.
fn speaks_of(label: &str, source: &Evidence) -> bool {
    let terms = graphloom_retrieval::extract::terms(label);
    if terms.is_empty() {
        return true;
    }
    let there = graphloom_retrieval::extract::terms(&format!("{} {}", source.title, source.text));
    terms.iter().any(|term| there.contains(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Evidence {
        Evidence::new("https://a.example/page", "Commits", text)
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
        let (chart, _) = checked_data(proposal(records), &[&source]).unwrap().unwrap();
        assert_eq!((chart.records().len(), chart.citations()), (3, vec![source.id.as_str()]));
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
    }
}
