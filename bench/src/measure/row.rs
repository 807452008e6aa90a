//! One row of the table.

use std::fmt;

use serde::Serialize;

use super::{Compared, Cost, Floor, Shape, Store};

/// What a shape costs on a store: microseconds for each unit, and how many floors that is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    #[serde(rename = "impl")]
    pub(crate) by: &'static str,
    pub(crate) shape: &'static str,
    pub(crate) store: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) units: u64,
    pub(crate) wall_us: f64,
    pub(crate) cpu_us: f64,
    pub(crate) floor: Option<&'static str>,
    pub(crate) floor_cpu_us: Option<f64>,
    pub(crate) ratio_cpu: Option<f64>,
    pub(crate) ratio_wall: Option<f64>,
    /// Of the file after one run.
    pub(crate) bytes: Option<u64>,
    /// Commits that one run asks for.
    pub(crate) commits: Option<u64>,
}

impl Row {
    pub(super) fn new(shape: Shape, store: Store, floor: &Floor, compared: Compared) -> Self {
        Self {
            by: "graphloom",
            shape: shape.name,
            store: store.name(),
            unit: shape.unit,
            units: shape.units,
            wall_us: compared.subject.wall,
            cpu_us: compared.subject.cpu,
            floor: floor.name(),
            floor_cpu_us: compared.floor.map(|floor| floor.cpu),
            ratio_cpu: compared.ratio.map(|ratio| ratio.cpu),
            ratio_wall: compared.ratio.map(|ratio| ratio.wall),
            bytes: None,
            commits: None,
        }
    }

    /// A row without a floor.
    pub(crate) fn alone(shape: Shape, store: Store, subject: Cost) -> Self {
        Self::new(shape, store, &Floor::None, Compared { subject, floor: None, ratio: None })
    }

    pub(crate) fn head() -> String {
        format!(
            "{:<14} {:<14} {:<12} {:>10} {:>10} {:>10} {:>8} {:>8} {:>10}  floor",
            "shape", "store", "unit", "wall µs", "cpu µs", "floor µs", "x cpu", "x wall", "bytes"
        )
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>, digits| value.map_or_else(String::new, |value| format!("{value:.digits$}"));
        write!(
            f,
            "{:<14} {:<14} {:<12} {:>10.3} {:>10.3} {:>10} {:>8} {:>8} {:>10}  {}",
            self.shape,
            self.store,
            self.unit,
            self.wall_us,
            self.cpu_us,
            number(self.floor_cpu_us, 3),
            number(self.ratio_cpu, 2),
            number(self.ratio_wall, 2),
            self.bytes.map_or_else(String::new, |bytes| bytes.to_string()),
            self.floor.unwrap_or_default(),
        )
    }
}
