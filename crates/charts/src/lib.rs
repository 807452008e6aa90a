//! Charts from checked data: bars, lines, pies and timelines, drawn as SVG.
//!
//! * [`ChartData`] is what someone, such as a model, proposes; [`Chart::check`] accepts it or says what is wrong.
//! * Every value names the evidence it was taken from, and a value that was computed is marked as derived.
//! * Drawing runs no code but this: neither a script nor a font of the system is needed.
//!
//! ```
//! use graphloom_charts::{Chart, ChartData, ChartKind, Datum};
//!
//! # fn main() -> Result<(), graphloom_charts::ChartError> {
//! let mut data = ChartData::new(ChartKind::Bar, "Bytes written for a commit");
//! data.records = vec![
//!     Datum::number("SQLite", 8.0, "KB").cited("a1"),
//!     Datum::number("PostgreSQL", 0.016, "MB").cited("b2"),
//!     Datum::number("Python", 1.5, "KB").cited("c3"),
//! ];
//! let chart = Chart::check(data)?;
//! assert_eq!(chart.unit(), "KB");
//! assert_eq!(chart.records()[1].value, Some(16.0));
//! assert!(chart.svg()?.starts_with("<svg"));
//! # Ok(())
//! # }
//! ```
//!
//! # What is checked
//! 3 to 12 records, each with a label of its own and at least one citation; at least three distinct finite values; one
//! unit for all values, into which those of the same dimension are converted. A pie has no negative values, and one of
//! percentages does not exceed 100; what it lacks becomes a slice that is marked as derived. A timeline has an event for
//! every time.
//!
//! # Where data come from
//! [`stated`] looks for each datum in a source: its label and its value must stand in one sentence, or in one row of a
//! table, so that values which were put to other labels are found nowhere.
//!
//! # What a chart looks like
//! Sizes, the choice between upright and lying bars, and the range of the axis follow the rules of openJiuwen DeepSearch.
//! Bars whose axis does not begin at zero say so. Labels are measured with
//! Chinese, Japanese and Korean characters twice as wide as others, and shortened where there is no room.
//!
//! # Pictures
//! With the feature `png`, the function `png` makes a picture of a chart for a model that looks at
//! it. Only this step uses the fonts of the system, and it tells when there are none.
#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod chart;
mod data;
mod draw;
mod error;
mod measure;
#[cfg(feature = "png")]
mod picture;
mod range;
mod stated;
mod unit;

pub use chart::Chart;
pub use data::{ChartData, ChartKind, Datum, FEWEST_RECORDS, MOST_RECORDS};
pub use error::ChartError;
#[cfg(feature = "png")]
pub use picture::{Picture, png};
pub use range::{Range, range_of};
pub use stated::{SourceText, Unstated, stated};
