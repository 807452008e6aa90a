//! Reading the files of a corpus beside each other.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::RetrievalError;

/// How many files are read before the first of them is taken: the texts of so many are in memory.
const BATCH: usize = 64;
/// Readers of pages take a stack that grows with the depth of a page.
const STACK: usize = 8 * 1024 * 1024;

/// Readers of files, one a core.
pub(super) struct Readers(ThreadPool);

impl Readers {
    pub(super) fn new() -> Result<Self, RetrievalError> {
        let pool = ThreadPoolBuilder::new().stack_size(STACK).thread_name(|number| format!("reader-{number}")).build();
        pool.map(Self).map_err(|error| RetrievalError::Threads { message: error.to_string() })
    }

    /// Reads files beside each other, and takes what was read in the order of the files.
    pub(super) fn read<F: Sync, R: Send>(
        &self,
        files: &[F],
        read: impl Fn(&F) -> R + Sync,
        mut take: impl FnMut(&F, R) -> Result<(), RetrievalError>,
    ) -> Result<(), RetrievalError> {
        for batch in files.chunks(BATCH) {
            let all: Vec<R> = self.0.install(|| batch.par_iter().map(&read).collect());
            for (file, one) in batch.iter().zip(all) {
                take(file, one)?;
            }
        }
        Ok(())
    }
}
