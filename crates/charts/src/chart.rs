//! Data that are fit to be drawn.

use std::collections::BTreeSet;

use crate::data::{ChartData, ChartKind, Datum, FEWEST_RECORDS, MOST_RECORDS};
use crate::draw;
use crate::error::ChartError;
use crate::measure::one_line;
use crate::unit::{self, Unit};

/// What a pie of percentages may exceed the whole by, for the error of floating-point numbers.
const ROUNDING: f64 = 1e-6;

/// A chart whose data were checked: it can be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    kind: ChartKind,
    title: String,
    label_title: String,
    value_title: String,
    unit: String,
    records: Vec<Datum>,
}

impl Chart {
    /// Checks data: see the documentation of the crate for the rules. Units of one dimension are converted into the one
    /// that most records have; the slices of a pie are sorted, largest first.
    ///
    /// # Errors
    /// The first rule that the data break.
    pub fn check(data: ChartData) -> Result<Self, ChartError> {
        let ChartData { kind, title, label_title, value_title, mut records } = data;
        let title = one_line(&title);
        if title.is_empty() {
            return Err(ChartError::NoTitle);
        }
        if !(FEWEST_RECORDS..=MOST_RECORDS).contains(&records.len()) {
            return Err(ChartError::Records { found: records.len(), fewest: FEWEST_RECORDS, most: MOST_RECORDS });
        }
        let mut labels = BTreeSet::new();
        for (number, record) in (1..).zip(&mut records) {
            record.label = one_line(&record.label);
            record.event = one_line(&record.event);
            record.citations.retain(|id| !id.trim().is_empty());
            if record.label.is_empty() {
                return Err(ChartError::NoLabel { number });
            }
            if record.citations.is_empty() && !record.derived {
                return Err(ChartError::Uncited { label: record.label.clone() });
            }
            // Several things may happen at one time.
            let key =
                if kind.is_numeric() { record.label.clone() } else { format!("{} {}", record.label, record.event) };
            if !labels.insert(key.to_lowercase()) {
                return Err(ChartError::DuplicateLabel { label: record.label.clone() });
            }
        }
        let mut chart = Self {
            kind,
            title,
            label_title: one_line(&label_title),
            value_title: one_line(&value_title),
            unit: String::new(),
            records,
        };
        match kind {
            ChartKind::Timeline => chart.check_events()?,
            ChartKind::Pie => {
                chart.check_numbers()?;
                chart.complete_pie()?;
            }
            _ => chart.check_numbers()?,
        }
        Ok(chart)
    }

    /// The form.
    #[must_use]
    pub fn kind(&self) -> ChartKind {
        self.kind
    }

    /// What it shows.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What the labels are; may be empty.
    #[must_use]
    pub fn label_title(&self) -> &str {
        &self.label_title
    }

    /// What the values are, with their unit; may be empty.
    #[must_use]
    pub fn value_title(&self) -> String {
        match (self.value_title.as_str(), self.unit.as_str()) {
            (title, unit) if unit.is_empty() || title.contains(unit) => title.to_owned(),
            ("", unit) => unit.to_owned(),
            (title, unit) => format!("{title} ({unit})"),
        }
    }

    /// The unit of all values; empty for mere numbers.
    #[must_use]
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The records, in the order in which they are drawn.
    #[must_use]
    pub fn records(&self) -> &[Datum] {
        &self.records
    }

    /// The ids of all evidence, each once, in the order of the records.
    #[must_use]
    pub fn citations(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for id in self.records.iter().flat_map(|record| &record.citations) {
            if !ids.contains(&id.as_str()) {
                ids.push(id);
            }
        }
        ids
    }

    /// The chart as SVG.
    ///
    /// # Errors
    /// [`ChartError::Drawing`], should the drawing library fail.
    pub fn svg(&self) -> Result<String, ChartError> {
        draw::svg(self)
    }

    fn check_events(&mut self) -> Result<(), ChartError> {
        for record in &mut self.records {
            record.value = None;
            record.unit.clear();
            if record.event.is_empty() {
                return Err(ChartError::NoEvent { label: record.label.clone() });
            }
        }
        Ok(())
    }

    fn check_numbers(&mut self) -> Result<(), ChartError> {
        let mut units = Vec::new();
        for record in &mut self.records {
            record.event.clear();
            // Beyond this a picture has no use for a number, and arithmetic on it overflows.
            if !record.value.is_some_and(|value| value.is_finite() && value.abs() < 1e15) {
                return Err(ChartError::NoValue { label: record.label.clone() });
            }
            let unit = Unit::parse(&record.unit)
                .ok_or_else(|| ChartError::SeveralUnits { label: record.label.clone(), unit: record.unit.clone() })?;
            units.push(unit);
        }
        let common = unit::common(&units)?;
        for (record, unit) in self.records.iter_mut().zip(&units) {
            record.value = record.value.map(|value| unit.convert(value, &common));
            record.unit.clone_from(&common.name);
        }
        self.unit = common.name;
        let distinct: BTreeSet<u64> = self.values().map(|value| (value + 0.0).to_bits()).collect();
        if distinct.len() < FEWEST_RECORDS {
            return Err(ChartError::TooAlike { found: distinct.len() });
        }
        Ok(())
    }

    fn complete_pie(&mut self) -> Result<(), ChartError> {
        for record in &self.records {
            if let Some(value) = record.value.filter(|value| *value <= 0.0) {
                return Err(ChartError::NoPart { label: record.label.clone(), value });
            }
        }
        self.records.sort_by(|one, other| other.value.partial_cmp(&one.value).unwrap_or(std::cmp::Ordering::Equal));
        if self.unit == "%" {
            let sum: f64 = self.values().sum();
            if sum > 100.0 + ROUNDING {
                return Err(ChartError::MoreThanWhole { sum: (sum * 100.0).round() / 100.0 });
            }
            let rest = 100.0 - sum;
            if rest > ROUNDING {
                let chinese = self.title.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
                let label = if chinese { "其他（推算）" } else { "other (derived)" };
                let mut other = Datum::number(label, (rest * 1e6).round() / 1e6, "%");
                other.derived = true;
                self.records.push(other);
            }
        }
        Ok(())
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.records.iter().filter_map(|record| record.value)
    }
}
