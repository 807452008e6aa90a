//! Why there is no chart.

/// Data that are no chart, or a chart that cannot be drawn. The message is made to be shown to whoever proposed the
/// data.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// There are too few or too many records.
    #[error("there are {found} records; a chart has {fewest} to {most}")]
    Records {
        /// How many there are.
        found: usize,
        /// The fewest of a chart.
        fewest: usize,
        /// The most of a chart.
        most: usize,
    },
    /// The chart has no title.
    #[error("the chart has no title; say what it shows")]
    NoTitle,
    /// A record has no label.
    #[error("record {number} has no label; say what its value is of")]
    NoLabel {
        /// The record, counted from 1.
        number: usize,
    },
    /// Two records have one label.
    #[error("two records are labelled `{label}`; give each a label of its own")]
    DuplicateLabel {
        /// The label.
        label: String,
    },
    /// A record names no evidence.
    #[error("the record `{label}` has no citation; name the evidence that its value is taken from")]
    Uncited {
        /// The label of the record.
        label: String,
    },
    /// A record has no number where one is needed.
    #[error("the record `{label}` has no finite number; leave the record out if there is none")]
    NoValue {
        /// The label of the record.
        label: String,
    },
    /// A record has no event where one is needed.
    #[error("the record `{label}` has no event; say what happened then")]
    NoEvent {
        /// The label of the record.
        label: String,
    },
    /// The values are too much alike.
    #[error("there are {found} distinct values; a chart has at least three, say it in a sentence instead")]
    TooAlike {
        /// How many there are.
        found: usize,
    },
    /// The unit of a record is several units.
    #[error("the unit `{unit}` of `{label}` is more than one unit; give one unit for each value")]
    SeveralUnits {
        /// The label of the record.
        label: String,
        /// The unit.
        unit: String,
    },
    /// Units that cannot be converted into each other.
    #[error("the units `{one}` and `{other}` cannot be converted into each other; take values of one kind")]
    MixedUnits {
        /// A unit.
        one: String,
        /// Another unit.
        other: String,
    },
    /// A pie has a value that is no part of a whole.
    #[error("the value {value} of `{label}` is no part of a whole; take bars instead")]
    NoPart {
        /// The label of the record.
        label: String,
        /// The value.
        value: f64,
    },
    /// The parts are more than the whole.
    #[error("the parts make {sum} %, which is more than the whole; take bars instead")]
    MoreThanWhole {
        /// The sum.
        sum: f64,
    },
    /// The chart cannot be drawn.
    #[error("the chart cannot be drawn: {reason}")]
    Drawing {
        /// What the drawing library says.
        reason: String,
    },
}
