//! Floor and subject in turns, and the medians of both.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use crate::{Failure, floor};

const ROUNDS: usize = 15;

/// One row of the table: times are nanoseconds a step.
pub(crate) struct Row {
    name: String,
    floor: f64,
    subject: f64,
    ratio: f64,
}

/// Measures `run`, which makes `steps` steps, next to the floor.
pub(crate) async fn compare<F>(name: &str, steps: u64, mut run: impl FnMut() -> F) -> Result<Row, Failure>
where
    F: Future<Output = Result<(), Failure>>,
{
    run().await?;
    let (mut floors, mut subjects, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        black_box(floor::boxed_futures(1_000_000).await);
        let floor = begun.elapsed().as_nanos() as f64 / 1_000_000.0;
        let begun = Instant::now();
        run().await?;
        let subject = begun.elapsed().as_nanos() as f64 / steps as f64;
        floors.push(floor);
        subjects.push(subject);
        ratios.push(subject / floor);
    }
    Ok(Row { name: name.to_owned(), floor: median(floors), subject: median(subjects), ratio: median(ratios) })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Row {
    pub(crate) fn head() -> String {
        format!("{:<38} {:>10} {:>12} {:>8}", "", "floor ns", "ns a step", "ratio")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<38} {:>10.1} {:>12.1} {:>7.1}x", self.name, self.floor, self.subject, self.ratio)
    }
}
