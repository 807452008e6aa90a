//! Measures the runtime next to its Rust peers on shapes that all of them know, shape by shape, in one process.
//!
//! ```text
//! graphloom-bench-peers [--json FILE] [WORD]...
//! ```
//!
//! Words choose rows whose shape, store or runtime holds one of them. Every graph is built outside the clock, and every
//! run's answer is checked: a wrong one is told as such and has no time. SQLite is the peers' own; ours is measured by
//! `graphloom-bench`, since two crates that link different SQLites cannot be in one program.

#[path = "../../src/graphs.rs"]
#[expect(dead_code, reason = "the graphs are shared with a program that measures more of them")]
mod graphs;
mod peers;
mod rounds;

use std::path::PathBuf;

use crate::rounds::{Case, Row};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The order of the table.
const SHAPES: [(&str, &str); 8] = [
    ("chain1000", "none"),
    ("loop10k", "none"),
    ("tasks100", "none"),
    ("chain1000", "memory"),
    ("loop1000", "memory"),
    ("tasks100", "memory"),
    ("chain1000", "sqlite"),
    ("loop1000", "sqlite"),
];

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (mut json, mut words) = (None::<PathBuf>, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(arguments.next().ok_or("`--json` needs a file")?.into()),
            other if other.starts_with('-') => {
                return Err(format!("`{other}` is no option; there is `--json FILE`").into());
            }
            word => words.push(word.to_owned()),
        }
    }
    let folder = tempfile::tempdir()?;
    let mut cases = peers::cases(folder.path());
    let mut rows: Vec<Row> = Vec::new();
    println!("{}", Row::head());
    for (shape, store) in SHAPES {
        let (here, rest): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|case: &Case| case.shape.name == shape && case.store == store);
        cases = rest;
        for case in here {
            let label = format!("{} {} {}", case.by, case.shape.name, case.store);
            if !words.is_empty() && !words.iter().any(|word| label.contains(word.as_str())) {
                continue;
            }
            match rounds::measure(case).await {
                Ok(row) => {
                    println!("{row}");
                    rows.push(row);
                }
                Err(error) => println!("{label}: no answer counts: {error}"),
            }
        }
    }
    if let Some(file) = json {
        let lines: Result<Vec<_>, _> = rows.iter().map(serde_json::to_string).collect();
        std::fs::write(file, lines?.join("\n") + "\n")?;
    }
    Ok(())
}
