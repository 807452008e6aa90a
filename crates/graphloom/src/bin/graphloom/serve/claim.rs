//! One server a data directory.

use std::fs::{File, TryLockError};

use graphloom_cli::{CliError, DataDir, Failure, private};

/// The claim of a server on a data directory. A server takes up all runs that an earlier one left, so two of them would do
/// the same work twice. The operating system ends the claim when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Claim {
    /// Locked as long as it is open.
    _file: File,
}

impl Claim {
    /// # Errors
    /// Another server has the directory; the file cannot be made.
    pub(super) fn of(dirs: &DataDir) -> Result<Self, Failure> {
        dirs.create()?;
        let path = dirs.data().join("server.lock");
        private::claim(&path).map_err(CliError::io("write", &path))?;
        let file = File::options().write(true).open(&path).map_err(CliError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                graphloom_cli::ExitStatus::Failed,
                format!(
                    "another `graphloom serve` keeps its runs in `{}`; stop it, or name another directory with `--data-dir`",
                    dirs.data().display()
                ),
            )),
            Err(TryLockError::Error(source)) => Err(CliError::io("lock", &path)(source).into()),
        }
    }
}
