//! One writer at a time, across processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::RetrievalError;

pub(super) const LOCK_FILE: &str = "graphloom-corpus.lock";

/// How often a waiting process asks again.
const POLL: Duration = Duration::from_millis(25);

/// The right to write an index; the system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct WriteLock {
    _file: File,
}

impl WriteLock {
    /// Waits at most `wait` for the lock of the index in `dir`.
    pub(super) fn acquire(dir: &Path, wait: Duration) -> Result<Self, RetrievalError> {
        let path = dir.join(LOCK_FILE);
        let failed = |error| RetrievalError::index_file(dir, &path, error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) => {
                    let left = wait.saturating_sub(began.elapsed());
                    if left.is_zero() {
                        let holder = holder(&path);
                        return Err(RetrievalError::Locked { index: dir.to_path_buf(), holder, waited: wait });
                    }
                    std::thread::sleep(left.min(POLL));
                }
            }
        }
        file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn holder(path: &Path) -> String {
    match std::fs::read_to_string(path) {
        Ok(id) if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) => format!("process {id}"),
        _ => "another process".to_owned(),
    }
}
