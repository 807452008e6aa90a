//! What someone proposes to draw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fewest records of a chart.
pub const FEWEST_RECORDS: usize = 3;
/// The most records of a chart.
pub const MOST_RECORDS: usize = 12;

/// The form of a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChartKind {
    /// Bars, to compare.
    #[default]
    Bar,
    /// A line, for what changes in the order of the records.
    Line,
    /// Slices of a whole.
    Pie,
    /// Events in the order of the records.
    Timeline,
}

impl ChartKind {
    /// Whether the records have numbers.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        self != Self::Timeline
    }
}

/// One record of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Datum {
    /// What the value is of; in a timeline the time.
    pub label: String,
    /// The value; none in a timeline.
    pub value: Option<f64>,
    /// The unit of the value, such as `ms`, `%`, `million USD` or `亿元`; empty for a mere number.
    pub unit: String,
    /// What happened; only in a timeline.
    pub event: String,
    /// The ids of the evidence that says so.
    pub citations: Vec<String>,
    /// Whether the value is in no source and was computed from the others.
    pub derived: bool,
}

impl Datum {
    /// A number with its unit.
    #[must_use]
    pub fn number(label: impl Into<String>, value: f64, unit: impl Into<String>) -> Self {
        Self { label: label.into(), value: Some(value), unit: unit.into(), ..Self::default() }
    }

    /// An event at a time.
    #[must_use]
    pub fn event(time: impl Into<String>, event: impl Into<String>) -> Self {
        Self { label: time.into(), event: event.into(), ..Self::default() }
    }

    /// Names evidence that says so.
    #[must_use]
    pub fn cited(mut self, id: impl Into<String>) -> Self {
        self.citations.push(id.into());
        self
    }
}

/// What someone proposes to draw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ChartData {
    /// The form.
    pub kind: ChartKind,
    /// What the chart shows.
    pub title: String,
    /// What the labels are.
    pub label_title: String,
    /// What the values are.
    pub value_title: String,
    /// The records; those of a line or a timeline in their order.
    pub records: Vec<Datum>,
}

impl ChartData {
    /// A chart without records.
    #[must_use]
    pub fn new(kind: ChartKind, title: impl Into<String>) -> Self {
        Self { kind, title: title.into(), ..Self::default() }
    }
}
