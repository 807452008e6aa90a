//! Threads that wait for a person: what each holds in memory while its state is in a file.

use crate::Failure;
use crate::graphs::Count;
use crate::measure::{Measurements, Place, Store};

/// Caches are warm after these.
const WARM: u64 = 2_000;
const MORE: u64 = 8_000;

#[expect(clippy::print_stdout, reason = "a finding is told when it is there")]
pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    if !bench.wants("suspended", true) {
        return Ok(());
    }
    let app = super::resume::asking()?;
    let threads = app.with_shared_checkpointer(Place::open(Store::Normal, &bench.file())?);
    let before = tokio::spawn(async move {
        let mut before = 0;
        for at in 0..WARM + MORE {
            if at == WARM {
                before = resident()?;
            }
            threads.thread(format!("t{at}")).run(Count::update()).await?;
        }
        Ok::<_, Failure>((resident()?.saturating_sub(before), threads))
    });
    let (grown, _threads) = before.await??;
    let each = grown as f64 / MORE as f64;
    println!("suspended: {MORE} more threads that wait, in an open SQLite file, hold {each:.0} bytes of memory each");
    bench.found("suspended bytes", each);
    Ok(())
}

/// Bytes of this process in memory.
fn resident() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    field(&status, "VmRSS:").ok_or_else(|| "the system does not tell the size of this process".into())
}

/// A size in the status of a process.
pub(super) fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
