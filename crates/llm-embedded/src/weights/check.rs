//! The check of a file against its known hash, and the stamp that spares it the next time.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use super::{KnownModel, path};
use crate::EmbeddedError;

/// Hashes the weights of `model` below `dir` and compares.
///
/// # Errors
/// [`EmbeddedError::Missing`], [`EmbeddedError::Truncated`], [`EmbeddedError::Corrupt`], or [`EmbeddedError::Io`] for a file
/// that cannot be read.
pub fn verify(model: &KnownModel, dir: &Path) -> Result<PathBuf, EmbeddedError> {
    let path = path(model, dir);
    if !path.exists() {
        return Err(EmbeddedError::Missing { model: model.name.to_owned(), path });
    }
    verify_file(model, &path)?;
    stamp(model, &path)?;
    Ok(path)
}

/// Compares any file with `model`'s size and hash.
pub(crate) fn verify_file(model: &KnownModel, path: &Path) -> Result<(), EmbeddedError> {
    let actual = fs::metadata(path).map_err(EmbeddedError::io("read", path))?.len();
    if actual < model.size {
        return Err(EmbeddedError::Truncated { path: path.to_owned(), expected: model.size, actual });
    }
    expect_sha256(path, model.sha256)
}

pub(crate) fn expect_sha256(path: &Path, expected: &str) -> Result<(), EmbeddedError> {
    let actual = sha256(path)?;
    if actual != expected {
        return Err(EmbeddedError::Corrupt { path: path.to_owned(), expected: expected.to_owned(), actual });
    }
    Ok(())
}

fn sha256(path: &Path) -> Result<String, EmbeddedError> {
    let mut file = File::open(path).map_err(EmbeddedError::io("open", path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(EmbeddedError::io("read", path))? {
            0 => return Ok(hex::encode(hash.finalize())),
            count => hash.update(&buffer[..count]),
        }
    }
}

/// Whether `path` was verified and has not changed since.
pub(crate) fn stamped(model: &KnownModel, path: &Path) -> bool {
    match (fs::read_to_string(stamp_path(path)), stamp_text(model, path)) {
        (Ok(found), Some(wanted)) => found == wanted,
        _ => false,
    }
}

/// Notes that `path` was verified. A directory that cannot be written to only costs the next check.
pub(crate) fn stamp(model: &KnownModel, path: &Path) -> Result<(), EmbeddedError> {
    let Some(text) = stamp_text(model, path) else { return Ok(()) };
    let stamp = stamp_path(path);
    match fs::write(&stamp, text) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem => Ok(()),
        other => other.map_err(EmbeddedError::io("write", stamp)),
    }
}

fn stamp_path(path: &Path) -> PathBuf {
    path.with_extension("verified")
}

fn stamp_text(model: &KnownModel, path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}\n", model.sha256, metadata.len(), modified.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{SMOLLM2_135M, locate};

    /// A model of ten bytes.
    fn tiny() -> KnownModel {
        // sha256 of `0123456789`
        let sha256 = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882";
        KnownModel { file: "tiny.gguf", size: 10, sha256, ..SMOLLM2_135M }
    }

    fn put(dir: &Path, bytes: &[u8]) -> PathBuf {
        let path = path(&tiny(), dir);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_sound_file_is_found_and_stamped() {
        let dir = tempfile::tempdir().unwrap();
        let path = put(dir.path(), b"0123456789");
        assert!(!stamped(&tiny(), &path));
        assert_eq!(locate(&tiny(), dir.path()).unwrap(), Some(path.clone()));
        assert!(stamped(&tiny(), &path));
        assert_eq!(verify(&tiny(), dir.path()).unwrap(), path);
    }

    #[test]
    fn a_short_file_is_truncated_and_a_changed_one_is_corrupt() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), b"01234");
        let error = locate(&tiny(), dir.path()).unwrap_err();
        assert!(matches!(error, EmbeddedError::Truncated { expected: 10, actual: 5, .. }), "{error:?}");

        put(dir.path(), b"0123456780");
        let error = locate(&tiny(), dir.path()).unwrap_err();
        let EmbeddedError::Corrupt { expected, actual, .. } = &error else { panic!("{error:?}") };
        assert_eq!(expected, tiny().sha256);
        assert_ne!(actual, expected);
        assert!(error.to_string().contains("graphloom model fetch"), "{error}");
    }

    #[test]
    fn a_change_after_the_stamp_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = put(dir.path(), b"0123456789");
        locate(&tiny(), dir.path()).unwrap();
        fs::write(&path, b"0123456789 and more").unwrap();
        assert!(matches!(locate(&tiny(), dir.path()), Err(EmbeddedError::Corrupt { .. })));
    }

    #[test]
    fn verify_reports_a_missing_file() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(verify(&tiny(), dir.path()), Err(EmbeddedError::Missing { .. })));
    }
}
