//! The last step of every source: from a temporary file to the checked file under its final name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::{KnownModel, check};
use crate::EmbeddedError;

/// A lock on a model's directory, held while its file is fetched and released on drop.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock lives as long as the open file")] File);

/// Takes the lock. `waiting` is called once when another process or thread holds it.
pub(crate) fn lock(dir: &Path, waiting: impl FnOnce()) -> Result<Lock, EmbeddedError> {
    let path = dir.join("fetch.lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(EmbeddedError::io("open", &path))?;
    if file.try_lock().is_err() {
        waiting();
        file.lock().map_err(EmbeddedError::io("lock", &path))?;
    }
    Ok(Lock(file))
}

/// Copies `reader` to a new temporary file in `dir`. `progress` receives the bytes so far.
pub(crate) fn spool(
    dir: &Path,
    reader: &mut dyn Read,
    limit: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<NamedTempFile, EmbeddedError> {
    let mut target = temporary(dir)?;
    pour(reader, &mut target, limit, progress)?;
    Ok(target)
}

/// Copies `reader` to the end of a temporary file, and returns how many bytes there were. `progress` receives the bytes so far.
pub(crate) fn pour(
    reader: &mut dyn Read,
    target: &mut NamedTempFile,
    limit: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, EmbeddedError> {
    let mut buffer = vec![0; 1 << 20];
    let mut done = 0;
    // One byte past the limit is enough to make the later check fail.
    let mut reader = reader.take(limit.saturating_add(1));
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => return Ok(done),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(EmbeddedError::io("read into", target.path())(error)),
        };
        target.write_all(&buffer[..count]).map_err(EmbeddedError::io("write", target.path()))?;
        done += count as u64;
        progress(done);
    }
}

pub(crate) fn temporary(dir: &Path) -> Result<NamedTempFile, EmbeddedError> {
    tempfile::Builder::new()
        .prefix("incoming-")
        .suffix(".part")
        .tempfile_in(dir)
        .map_err(EmbeddedError::io("create a file in", dir))
}

/// Checks the temporary file against `model` and moves it to `path`.
pub(crate) fn install(model: &KnownModel, file: NamedTempFile, path: &Path) -> Result<(), EmbeddedError> {
    check::verify_file(model, file.path())?;
    file.as_file().sync_all().map_err(EmbeddedError::io("write", file.path()))?;
    let kept = file.persist(path).map_err(|error| EmbeddedError::io("move a file to", path)(error.error))?;
    drop(kept);
    if let Some(dir) = path.parent() {
        // Makes the rename durable where directories can be synced; elsewhere the next check finds out.
        if let Ok(dir) = File::open(dir) {
            dir.sync_all().ok();
        }
    }
    readable_by_all(path)?;
    check::stamp(model, path)
}

/// Temporary files are private; a shared cache should not be.
#[cfg(unix)]
fn readable_by_all(path: &Path) -> Result<(), EmbeddedError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).map_err(EmbeddedError::io("set permissions of", path))
}

#[cfg(not(unix))]
fn readable_by_all(path: &Path) -> Result<(), EmbeddedError> {
    fs::metadata(path).map(drop).map_err(EmbeddedError::io("read", path))
}
