//! Runs simulated schedules by the million, and prints the seed of each that breaks a promise.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use graphloom_behaviour::schedules::{self, Schedule, Summary};

/// Runs random graphs through deaths and failures of their store, and checks that no promise is broken.
#[derive(Debug, Parser)]
struct Options {
    /// How many schedules to run.
    #[arg(long, default_value_t = 1_000_000)]
    schedules: u64,
    /// The seed of the first one; the others follow it.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Runs one schedule and prints all of it.
    #[arg(long, conflicts_with_all = ["schedules", "from"])]
    seed: Option<u64>,
}

/// How often progress is told.
const TOLD_EVERY: u64 = 20_000;

fn main() -> io::Result<ExitCode> {
    let options = Options::parse();
    let mut out = io::stdout().lock();
    match options.seed {
        Some(seed) => one(&mut out, seed),
        None => many(&mut out, options.from, options.schedules),
    }
}

fn one(out: &mut impl Write, seed: u64) -> io::Result<ExitCode> {
    let schedule = Schedule::new(seed);
    writeln!(out, "{schedule:#?}")?;
    match schedule.run() {
        Ok(report) => {
            for (number, step) in report.steps.iter().enumerate() {
                writeln!(out, "step {}: {}", number + 1, step.join(" "))?;
            }
            writeln!(out, "{} deaths, {} refused calls, no promise broken", report.crashes, report.refusals)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(wrong) => {
            writeln!(out, "seed {seed}: {wrong}")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn many(out: &mut impl Write, from: u64, schedules: u64) -> io::Result<ExitCode> {
    let began = Instant::now();
    let (mut all, mut failed) = (Summary::default(), 0);
    for count in 1..=schedules {
        let seed = from.wrapping_add(count - 1);
        match schedules::run(seed) {
            Ok(summary) => {
                all.tasks += summary.tasks;
                all.crashes += summary.crashes;
                all.refusals += summary.refusals;
                all.elsewhere += summary.elsewhere;
            }
            Err(wrong) => {
                failed += 1;
                writeln!(out, "seed {seed}: {wrong}; again with `--seed {seed}`")?;
            }
        }
        if count % TOLD_EVERY == 0 || count == schedules {
            let Summary { tasks, crashes, refusals, elsewhere } = all;
            let seconds = began.elapsed().as_secs();
            writeln!(
                out,
                "{count} schedules in {seconds} s, {elsewhere} with tasks elsewhere: {tasks} tasks, {crashes} deaths, {refusals} refused calls, {failed} broken promises"
            )?;
            out.flush()?;
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
