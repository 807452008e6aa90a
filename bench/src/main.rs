//! Measures the runtime's shapes next to their floors, side by side in one run, and prints ratios and bytes.
//!
//! ```text
//! graphloom-bench [--all] [--json FILE] [WORD]...
//! graphloom-bench --natural DIR [--embedded N]
//! graphloom-bench --results DIR | --result REQUEST FILE | --answers SHEET
//! ```
//!
//! Words choose the rows whose shape and store hold one of them (`loop`, `growth1000 sqlite-full`, `curve`); without
//! words the quick rows are measured, with `--all` the slow ones, too. `--json` writes the rows of the table for other
//! programs. `citations` prints how well planted claims are told apart, `--natural` how well labelled claims are that
//! stand in a folder (`docs/testing/citations.md` says which), with `--embedded` also by the embedded model, which is asked about a
//! sample of N of each kind, `--results`, `--result` and `--answers` whether what the programs made answers the request, `vault
//! index` what the index of a vault costs next
//! to reading its files, `writehere` what the program costs for a call as its tree grows.

mod bars;
#[cfg(feature = "documents")]
mod citations;
#[cfg(feature = "documents")]
#[path = "../../crates/citations/tests/corpus/mod.rs"]
mod corpus;
mod graphs;
mod measure;
#[cfg(feature = "documents")]
mod natural;
#[cfg(feature = "documents")]
mod results;
mod shapes;
#[cfg(feature = "documents")]
mod vault;
#[cfg(feature = "documents")]
mod writing;

use std::path::PathBuf;

use crate::measure::{Measurements, Row};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (mut all, mut json, mut words) = (false, None::<PathBuf>, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cold" => return shapes::start_cold(arguments.next().as_deref()),
            "--full" => {
                let (Some(file), Some(steps)) = (arguments.next(), arguments.next()) else {
                    return Err("`--full` needs a file and a number of steps".into());
                };
                return shapes::run_full(file.as_ref(), steps.parse()?);
            }
            #[cfg(feature = "documents")]
            "--natural" => {
                let folder = PathBuf::from(arguments.next().ok_or("`--natural` needs a folder")?);
                let asked = match arguments.next().as_deref() {
                    None => 0,
                    Some("--embedded") => arguments.next().ok_or("`--embedded` needs a number of claims")?.parse()?,
                    Some(other) => {
                        return Err(
                            format!("behind `--natural DIR` only `--embedded N` can stand, not `{other}`").into()
                        );
                    }
                };
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                return runtime.block_on(natural::print(&folder, asked));
            }
            #[cfg(feature = "documents")]
            "--results" => return results::print(arguments.next().ok_or("`--results` needs a folder")?.as_ref()),
            #[cfg(feature = "documents")]
            "--result" => {
                let (Some(request), Some(file)) = (arguments.next(), arguments.next()) else {
                    return Err("`--result` needs a request and a file".into());
                };
                return results::one(&request, file.as_ref());
            }
            #[cfg(feature = "documents")]
            "--answers" => return results::marked(arguments.next().ok_or("`--answers` needs a sheet")?.as_ref()),
            "--all" => all = true,
            "--json" => json = Some(arguments.next().ok_or("`--json` needs a file")?.into()),
            other if other.starts_with('-') => {
                return Err(
                    format!("`{other}` is no option; there are `--all`, `--json FILE`, `--natural DIR`, `--results DIR`, `--result REQUEST FILE` and `--answers SHEET`").into()
                );
            }
            word => words.push(word.to_owned()),
        }
    }
    measure(Measurements::new(all, words)?, json)
}

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
fn measure(mut bench: Measurements, json: Option<PathBuf>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!("{}", Row::head());
    runtime.block_on(shapes::measure(&mut bench))?;
    shapes::measure_apart(&mut bench)?;
    if let Some(file) = json {
        let lines: Result<Vec<_>, _> = bench.rows.iter().map(serde_json::to_string).collect();
        std::fs::write(file, lines?.join("\n") + "\n")?;
    }
    runtime.block_on(shapes::measure_ratios(&mut bench))?;
    runtime.block_on(shapes::measure_curves(&mut bench))?;
    let bars = bars::bars(&bench);
    if !bars.is_empty() {
        println!("\nbars");
        bars.iter().for_each(|bar| println!("{bar}"));
    }
    #[cfg(feature = "documents")]
    {
        if bench.wants("citations", true) {
            println!("\n{}", runtime.block_on(citations::scores())?);
        }
        if bench.wants("vault index", true) {
            println!("\n{}", vault::Row::head());
            for row in vault::measure()? {
                println!("{row}");
            }
        }
        if bench.wants("vault writes", true) {
            println!("\n{}", vault::Row::head_of_writes());
            for row in vault::measure_writes()? {
                println!("{row}");
            }
        }
        if bench.wants("writehere", false) {
            println!("\n{}", writing::Row::head());
            for row in runtime.block_on(writing::measure())? {
                println!("{row}");
            }
        }
    }
    Ok(())
}
