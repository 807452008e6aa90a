//! Directories and files for their user only.
//!
//! Databases of runs, recordings, logs and results hold prompts and what people wrote. What is made here has mode 0700 or
//! 0600 from its first moment, whatever the `umask` is. A directory that was there keeps its mode, because it is not ours
//! alone; a file that is written anew becomes private. On systems without such modes this is plain writing.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes a directory with those above it that are missing.
///
/// # Errors
/// The system's own.
pub fn create_dir(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a whole file.
///
/// # Errors
/// The system's own.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = options().write(true).truncate(true).open(path)?;
    restrict(&file)?;
    file.write_all(content.as_ref())
}

/// Opens a file to append to; one that was there keeps its mode.
///
/// # Errors
/// The system's own.
pub fn append(path: &Path) -> io::Result<File> {
    options().append(true).open(path)
}

/// Makes a file when it is not there, and takes from one that is there what others may do with it, where it is ours.
///
/// # Errors
/// The system's own, except that a file of another user stays as it is.
pub fn claim(path: &Path) -> io::Result<()> {
    let file = options().append(true).open(path)?;
    match restrict(&file) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A pipe or a device is not ours to change.
#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata()?;
    let mode = metadata.permissions().mode();
    if metadata.is_file() && mode & 0o777 != 0o600 {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn restrict(_: &File) -> io::Result<()> {
    Ok(())
}

/// Takes from a directory of ours what others may do with it.
///
/// # Errors
/// The system's own, except that a directory of another user stays as it is.
#[cfg(unix)]
pub(crate) fn restrict_dir(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    match std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
pub(crate) fn restrict_dir(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("what was made is there").permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_private_and_what_was_there_is_respected() {
        let place = tempfile::tempdir().unwrap();
        let shared = place.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o755)).unwrap();
        let inner = shared.join("a/b");
        create_dir(&inner).unwrap();
        create_dir(&inner).unwrap();
        assert_eq!((mode(&shared), mode(&shared.join("a")), mode(&inner)), (0o755, 0o700, 0o700));

        let file = inner.join("report.md");
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        append(&file).unwrap().write_all(b" and more").unwrap();
        assert_eq!(mode(&file), 0o644, "somebody chose this mode for a log");
        claim(&file).unwrap();
        assert_eq!((mode(&file), std::fs::read_to_string(&file).unwrap().as_str()), (0o600, "old and more"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        write(&file, "new").unwrap();
        assert_eq!((mode(&file), std::fs::read_to_string(&file).unwrap().as_str()), (0o600, "new"));
        for made in ["claimed", "appended", "written"] {
            let path = inner.join(made);
            match made {
                "claimed" => claim(&path).unwrap(),
                "appended" => drop(append(&path).unwrap()),
                _ => write(&path, "x").unwrap(),
            }
            assert_eq!(mode(&path), 0o600, "{made}");
        }
    }

    #[test]
    fn a_device_stays_as_it_is() {
        let null = Path::new("/dev/null");
        let before = mode(null);
        write(null, "x").unwrap();
        claim(null).unwrap();
        assert_eq!(mode(null), before);
    }
}
