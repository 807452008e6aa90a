//! What a store that survives the loss of power asks of the disk. A tracer of system calls counts its syncs from outside.

use std::path::Path;
use std::sync::Arc;

use crate::measure::{Place, Recorder, Store};
use crate::{Failure, graphs};

/// Runs a chain as a thread in `file`, and tells how many commits were asked for and how many the log has. With not much
/// more than a hundred steps the log is not folded into the file before the end.
#[expect(clippy::print_stdout, reason = "the caller reads it")]
pub(crate) fn run(file: &Path, steps: u64) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let recorder = Recorder::new(Place::open(Store::Full, file)?);
    let before = commits_in_log(file)?;
    runtime.block_on(super::stored(graphs::chain(steps)?, |_| true)(Arc::new(recorder.clone())))?;
    println!("{} {}", recorder.take().len(), commits_in_log(file)? - before);
    Ok(())
}

/// Frames that end a transaction, in the log of a database: those that state the size of the file after it. The log has
/// a header of 32 bytes, in which the size of pages is at 8; each frame has one of 24, in which that size is at 4.
fn commits_in_log(file: &Path) -> Result<usize, Failure> {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    let log = std::fs::read(name)?;
    let number = |at: usize| log.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes);
    let frame = 24 + number(8) as usize;
    Ok((32..log.len()).step_by(frame).filter(|at| number(at + 4) != 0).count())
}
