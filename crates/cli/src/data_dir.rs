//! Where runs, indexes and models are kept.

use std::path::{Path, PathBuf};

use crate::{CliError, private};

/// The directories of one user, or of one `--data-dir`.
///
/// With `--data-dir` or `GRAPHLOOM_HOME` everything lies below that directory; otherwise runs lie in the user's data
/// directory, and what can be made again (indexes, fetched models) in the cache directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    data: PathBuf,
    cache: PathBuf,
    config: PathBuf,
    /// The user's own cache of models, which is read beside a `--data-dir`.
    shared_models: Option<PathBuf>,
    /// Whether the directory of runs is the user's own of all Graphloom programs, and not one that was named.
    own: bool,
}

impl DataDir {
    /// The directories for what the user said, which clap has taken from `--data-dir` or `GRAPHLOOM_HOME`.
    ///
    /// # Errors
    /// [`CliError::NoHome`] when nothing was said and the user has no such directories.
    pub fn new(given: Option<&Path>) -> Result<Self, CliError> {
        let user_cache = dirs::cache_dir().map(|dir| dir.join("graphloom"));
        let shared_models = user_cache.as_ref().map(|dir| dir.join("models"));
        match given {
            Some(dir) if !dir.as_os_str().is_empty() => {
                let [data, cache, config] = [dir, dir, dir].map(Path::to_owned);
                Ok(Self { data, cache, config, shared_models, own: false })
            }
            _ => {
                let data = dirs::data_dir().ok_or(CliError::NoHome)?.join("graphloom");
                let config = dirs::config_dir().ok_or(CliError::NoHome)?.join("graphloom");
                Ok(Self { data, cache: user_cache.ok_or(CliError::NoHome)?, config, shared_models: None, own: true })
            }
        }
    }

    /// The directory of runs.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The directory of indexes and models.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// The directory of the user's own `graphloom.toml`.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The database of all runs.
    pub fn threads_db(&self) -> PathBuf {
        self.data.join("threads.db")
    }

    /// The encrypted database of all runs.
    pub fn encrypted_threads_db(&self) -> PathBuf {
        self.data.join("threads-encrypted.db")
    }

    /// What was learnt about models behind servers.
    pub fn abilities(&self) -> PathBuf {
        self.data.join("abilities.json")
    }

    /// Where models are fetched to.
    pub fn models(&self) -> PathBuf {
        self.cache.join("models")
    }

    /// The user's own cache of models, where that is another directory than [`models`](Self::models). It is read, so that
    /// a new `--data-dir` need not fetch a model again, and never written.
    pub fn shared_models(&self) -> Option<&Path> {
        self.shared_models.as_deref().filter(|shared| *shared != self.models())
    }

    /// The answers of models that `--cache` keeps. Its directory is made, for this user only.
    ///
    /// # Errors
    /// [`CliError::Io`] with the directory.
    pub fn answers(&self) -> Result<PathBuf, CliError> {
        let dir = self.cache.join("answers");
        private::create_dir(&dir).map_err(CliError::io("create the directory", &dir))?;
        Ok(dir.join("answers.db"))
    }

    /// Where indexes lie.
    pub fn indexes(&self) -> PathBuf {
        self.cache.join("indexes")
    }

    /// The index of a set of corpus folders: the same for the same folders in any order.
    pub fn index(&self, roots: &[PathBuf]) -> PathBuf {
        let absolute = |root: &PathBuf| std::fs::canonicalize(root).unwrap_or_else(|_| root.clone());
        let mut roots: Vec<PathBuf> = roots.iter().map(absolute).collect();
        roots.sort();
        roots.dedup();
        let mut hash = blake3::Hasher::new();
        for root in &roots {
            hash.update(root.as_os_str().as_encoded_bytes());
            hash.update(&[0]);
        }
        let name = roots.first().and_then(|root| root.file_name()).unwrap_or_default().to_string_lossy().into_owned();
        let name: String =
            name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(32).collect();
        self.indexes().join(format!("{name}-{}", &hash.finalize().to_hex()[..12]))
    }

    /// Makes the directory of runs, for this user only. A directory that was named and was there keeps its mode.
    ///
    /// # Errors
    /// [`CliError::Io`] with the directory.
    pub fn create(&self) -> Result<(), CliError> {
        private::create_dir(&self.data).map_err(CliError::io("create the directory", &self.data))?;
        if self.own {
            private::restrict_dir(&self.data).map_err(CliError::io("restrict the directory", &self.data))?;
        }
        Ok(())
    }

    /// Makes the directory of indexes, for this user only: an index holds the text of its documents.
    ///
    /// # Errors
    /// [`CliError::Io`] with the directory.
    pub fn create_indexes(&self) -> Result<(), CliError> {
        let indexes = self.indexes();
        private::create_dir(&indexes).map_err(CliError::io("create the directory", &indexes))?;
        private::restrict_dir(&indexes).map_err(CliError::io("restrict the directory", &indexes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_belongs_to_its_folders() {
        let place = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| place.path().join(name));
        for dir in [&a, &b] {
            std::fs::create_dir(dir).unwrap();
        }
        let dirs = DataDir::new(Some(&place.path().join("home"))).unwrap();
        let both = dirs.index(&[a.clone(), b.clone()]);
        assert_eq!(both, dirs.index(&[b.clone(), a.clone(), a.join("../a")]));
        assert_ne!(both, dirs.index(&[a]));
        assert_ne!(dirs.index(&[b]), both);
        assert!(both.starts_with(place.path().join("home/indexes")));
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let dirs = DataDir::new(Some(&file.join("below"))).unwrap();
        let error = dirs.create().unwrap_err().to_string();
        assert!(error.starts_with("cannot create the directory `"), "{error}");
        assert!(error.contains("file/below"), "{error}");
    }
}
