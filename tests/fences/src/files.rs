//! The prompt files of a folder.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Templates by name: the path below the folder, without the ending.
#[derive(Clone, Debug, Default)]
pub struct Files(BTreeMap<String, String>);

/// A folder or file that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    path: PathBuf,
    source: io::Error,
}

impl Files {
    /// Reads every `*.j2` below a folder.
    ///
    /// # Errors
    /// A folder or file that cannot be read.
    pub fn below(folder: &Path) -> Result<Self, Unreadable> {
        let mut files = Self::default();
        files.read(folder, "")?;
        Ok(files)
    }

    fn read(&mut self, folder: &Path, prefix: &str) -> Result<(), Unreadable> {
        let unreadable = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Unreadable { path, source }
        };
        for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
            let path = entry.map_err(unreadable(folder))?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                self.read(&path, &format!("{prefix}{name}/"))?;
            } else if path.extension().is_some_and(|extension| extension == "j2") {
                let source = std::fs::read_to_string(&path).map_err(unreadable(&path))?;
                self.0.insert(format!("{prefix}{name}"), source);
            }
        }
        Ok(())
    }

    /// The source of a template or part.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The templates that make a prompt, with their sources.
    pub fn templates(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(|(name, _)| !is_part(name)).map(|(name, source)| (name.as_str(), source.as_str()))
    }

    /// The names of the parts that templates include.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str).filter(|name| is_part(name))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Files {
    fn from(files: [(&str, &str); N]) -> Self {
        Self(files.into_iter().map(|(name, source)| (name.to_owned(), source.to_owned())).collect())
    }
}

/// A file whose name starts with `_` is a part.
fn is_part(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|file| file.starts_with('_'))
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be read: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for Unreadable {}
