//! The file operations of a transaction, behind a seam so that a test can stop at each.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// What a file that is written anew takes over from another file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileAttributes {
    pub(super) permissions: Option<Permissions>,
    /// When it was last changed.
    pub(super) modified: Option<SystemTime>,
}

/// What a transaction does to the disk. Every method is one step that a crash can come before or after.
pub(super) trait Files {
    /// Makes one folder; one that is there is fine.
    fn make_dir(&self, path: &Path) -> io::Result<()>;
    /// Writes a file whole and makes its bytes durable; not its name.
    fn write(&self, path: &Path, bytes: &[u8], attributes: &FileAttributes) -> io::Result<()>;
    /// Gives a file that is there other bytes, from the first to the last, and makes them durable. It stays the same file:
    /// a crash leaves the first bytes new, the others old.
    fn rewrite(&self, path: &Path, bytes: &[u8], modified: Option<SystemTime>) -> io::Result<()>;
    /// Says when a file was last changed.
    fn touch(&self, path: &Path, modified: SystemTime) -> io::Result<()>;
    /// Gives a file another name, over whatever has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder if it is empty.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// The real disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disk;

impl Files for Disk {
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        match fs::create_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            other => other,
        }
    }

    fn write(&self, path: &Path, bytes: &[u8], attributes: &FileAttributes) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
        file.write_all(bytes)?;
        if let Some(permissions) = &attributes.permissions {
            file.set_permissions(permissions.clone())?;
        }
        if let Some(modified) = attributes.modified {
            // Of a file that belongs to somebody else the time cannot be set.
            let _ = file.set_modified(modified);
        }
        file.sync_all()
    }

    fn rewrite(&self, path: &Path, bytes: &[u8], modified: Option<SystemTime>) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        #[cfg(debug_assertions)]
        stop_in_the_middle(path, &mut file, bytes)?;
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        if let Some(modified) = modified {
            let _ = file.set_modified(modified);
        }
        file.sync_all()
    }

    fn touch(&self, path: &Path, modified: SystemTime) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.set_modified(modified)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    #[cfg(unix)]
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    // Elsewhere a folder cannot be opened as a file, and its names are durable with the rename.
    #[cfg(not(unix))]
    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

/// Stops for good when half of a note's new bytes are written, where the variable `GRAPHLOOM_TEST_STOP_AT` names the note's
/// file. A test that kills a program while it writes a note waits for this: that the program is met there would be luck
/// otherwise. Only debug builds look at the variable.
#[cfg(debug_assertions)]
fn stop_in_the_middle(path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let Some(name) = std::env::var_os("GRAPHLOOM_TEST_STOP_AT") else { return Ok(()) };
    if path.file_name() != Some(&name) {
        return Ok(());
    }
    file.write_all(&bytes[..bytes.len() / 2])?;
    loop {
        std::thread::park();
    }
}
