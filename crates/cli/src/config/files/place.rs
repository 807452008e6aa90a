//! Where the files lie.

use std::path::{Path, PathBuf};

use crate::DataDir;

/// The name of both files.
pub(super) const NAME: &str = "graphloom.toml";

/// The user's file, which may not be there; none without a home directory.
pub(super) fn of_user(data_dir: Option<&Path>) -> Option<PathBuf> {
    DataDir::new(data_dir).ok().map(|dirs| dirs.config().join(NAME))
}

/// The file of the project that the working directory belongs to.
pub(super) fn of_project() -> Option<PathBuf> {
    above(&std::env::current_dir().ok()?, dirs::home_dir().as_deref())
}

/// The file of a project: that of the directory, or of one above it that belongs to the same repository or to the user.
/// Elsewhere, such as in a directory for everybody's files, only the directory itself is looked at.
fn above(here: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let ends = |dir: &Path| dir.join(".git").exists() || home.is_some_and(|home| same(home, dir));
    let levels = here.ancestors().position(ends).map_or(1, |at| at + 1);
    here.ancestors().take(levels).map(|dir| dir.join(NAME)).find(|file| file.is_file())
}

/// Whether two paths lead to the same place.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    whole(one) == whole(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_looked_for_up_to_its_repository_or_home() {
        let place = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(place.path()).unwrap();
        let inner = root.join("project/papers");
        std::fs::create_dir_all(&inner).unwrap();
        let file = root.join("project/graphloom.toml");
        std::fs::write(&file, "").unwrap();
        assert_eq!(above(&inner, None), None, "a directory above belongs to anybody");
        assert_eq!(above(file.parent().unwrap(), None), Some(file.clone()));
        assert_eq!(above(&inner, Some(&root)), Some(file));
        assert_eq!(above(&inner, Some(&inner)), None, "nothing above the home directory");
        std::fs::create_dir(inner.join(".git")).unwrap();
        assert_eq!(above(&inner, Some(&root)), None, "nothing above the repository");
    }
}
