//! The stress run, on as many threads as there are cores. Built with `ThreadSanitizer` it finds data races, too.

use std::io::{self, Write};
use std::thread::available_parallelism;
use std::time::Instant;

use graphloom_races::stress::{self, Load};

fn main() -> io::Result<()> {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    let cores = available_parallelism().map_or(2, usize::from).max(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(cores).enable_time().build()?;
    let (began, mut out) = (Instant::now(), io::stdout().lock());
    for round in 1..=rounds {
        let tally = runtime.block_on(stress::run(Load { drivers: 2 * cores as u64, threads: 3, runs: 16, width: 40 }));
        writeln!(out, "round {round} on {cores} threads, {} s: {tally:?}", began.elapsed().as_secs())?;
    }
    Ok(())
}
