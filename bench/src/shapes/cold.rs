//! A cold start: a process that compiles a graph, runs it once and ends.

use std::process::Command;

use crate::Failure;
use crate::graphs::{self, Count};
use crate::measure::{Clock, Measurements, Place, Store};
use crate::shapes::suspended::field;

const STARTS: usize = 21;

/// What the process does: a graph of three nodes, without a store, or as a thread in a SQLite file.
#[expect(clippy::print_stdout, reason = "the parent reads it")]
pub(crate) fn start(file: Option<&str>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = graphs::chain(3)?;
        let outcome = match file {
            None => app.run_once(Count::update()).await?,
            Some(file) => {
                let threads = app.with_shared_checkpointer(Place::open(Store::Normal, file.as_ref())?);
                threads.thread("cold").run(Count::update()).await?
            }
        };
        super::check(outcome, |count| count.n == 3)
    })?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    println!("{}", field(&status, "VmHWM:").ok_or("the system does not tell the size of this process")?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a finding is told when it is there")]
pub(super) fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    for store in [Store::None, Store::Normal] {
        if !bench.wants(&format!("cold {}", store.name()), true) {
            continue;
        }
        let (mut times, mut sizes) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("--cold");
            if store.is_file() {
                command.arg(bench.file());
            }
            let clock = Clock::start();
            let output = command.output()?;
            times.push(clock.cost(1).wall / 1e3);
            if !output.status.success() {
                return Err(format!("the process failed: {}", String::from_utf8_lossy(&output.stderr)).into());
            }
            sizes.push(String::from_utf8(output.stdout)?.trim().parse::<u64>()?);
        }
        times.sort_by(f64::total_cmp);
        sizes.sort_unstable();
        let (time, size) = (times[STARTS / 2], sizes[STARTS / 2] as f64 / 1e6);
        let name = store.name();
        println!("cold: a process with store {name} starts, runs and ends in {time:.1} ms with {size:.1} MB");
        bench.found(format!("cold ms {name}"), time);
        bench.found(format!("cold MB {name}"), size);
    }
    Ok(())
}
