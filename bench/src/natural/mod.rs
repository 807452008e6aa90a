//! Citation checks on labelled claims that nobody of this project wrote: `FEVER`, `VitaminC`, `HealthVer` and others.
//!
//! The data are no part of the repository. `--natural DIR` names a folder with files whose names and hashes stand in
//! [`files`]; what is missing is left out, what differs is refused.

mod files;
mod pairs;
mod score;

use std::path::Path;

use graphloom_citations::Extractive;

use crate::Failure;
use files::Part;
use pairs::{Truth, pairs, reversed};
use score::{Said, accepted, changes, rows, share};

/// Of each kind of change at most this many.
const CHANGES: usize = 400;

/// Measures and prints.
#[expect(clippy::print_stdout, reason = "the table is the program's result")]
pub(crate) async fn print(folder: &Path) -> Result<(), Failure> {
    let pairs = pairs(folder)?;
    let mut bars = Vec::new();
    for (part, name) in [(Part::HeldBack, "held back"), (Part::Seen, "seen by whoever wrote the rules")] {
        let (sets, all) = rows(&pairs, part);
        println!("rules alone, {name}");
        println!(
            "{:<18} {:>9} {:>12} {:>9} {:>7} {:>10} {:>9} {:>7}",
            "", "supported", "contradicted", "not found", "asked", "condemned", "precision", "recall"
        );
        for (set, row) in sets.iter().map(|(set, row)| (*set, row)).chain([("all", &all)]) {
            println!("{set:<18} {row}");
        }
        println!();
        if part == Part::HeldBack {
            let worst = |said| sets.values().map(|row| row.supported(said)).fold(0.0, f64::max);
            bars.push(Bar::most("supported, wrongly contradicted, worst set", worst(Said::Contradicted), 0.05));
            bars.push(Bar::most("supported, wrongly not found, worst set", worst(Said::NotFound), 0.08));
            bars.push(Bar::least("contradicted, precision", all.precision(), 0.8));
            bars.push(Bar::least("contradicted, verdicts", share(all.condemned(), 1), 25.0));
        }
    }
    println!("changes of one number, unit or date in a sentence of a source, held back");
    let changes = changes(&pairs, Part::HeldBack, CHANGES);
    for (kind, (caught, all)) in &changes {
        println!("{:<30} {caught:>6} of {all:>6} {:>9.3}", kind.name(), share(*caught, *all));
    }
    let (caught, all) = changes.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    bars.push(Bar::least("changes caught by rules", share(caught, all), 0.9));

    let reversed = reversed(folder)?;
    let judge = Extractive::default();
    let held = || pairs.iter().filter(|pair| pair.part == Part::HeldBack);
    let kept = accepted(held(), Truth::Supported, &judge).await;
    let wrong = accepted(held(), Truth::Contradicted, &judge).await;
    let turned = accepted(reversed.iter(), Truth::Contradicted, &judge).await;
    println!("\naccepted by the rules and the extractive program, a judge of wording and no model");
    for (name, one) in [("supported", kept), ("contradicted", wrong), ("one word reversed", turned)] {
        println!("{name:<30} {:>6} of {:>6} {:>9.3}", one.right, one.all, one.share());
    }
    bars.push(Bar::least("supported accepted by that judge", kept.share(), 0.5));
    bars.push(Bar::most("reversed accepted by that judge", turned.share(), 0.05));

    println!("\nbars");
    bars.iter().for_each(|bar| println!("{bar}"));
    Ok(())
}

/// A figure and its bar.
struct Bar {
    name: &'static str,
    value: f64,
    bar: f64,
    least: bool,
}

impl Bar {
    fn most(name: &'static str, value: f64, bar: f64) -> Self {
        Self { name, value, bar, least: false }
    }

    fn least(name: &'static str, value: f64, bar: f64) -> Self {
        Self { name, value, bar, least: true }
    }
}

impl std::fmt::Display for Bar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let met = if self.least { self.value >= self.bar } else { self.value <= self.bar };
        let sign = if self.least { '≥' } else { '≤' };
        write!(
            f,
            "{:<46} {:>8.3} {sign} {:<6} {}",
            self.name,
            self.value,
            self.bar,
            if met { "met" } else { "not met" }
        )
    }
}
