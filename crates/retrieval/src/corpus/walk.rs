//! Which files a corpus has.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use super::git_ignore::GitIgnore;
use super::report::Unread;
use crate::document::Format;
use crate::{CorpusOptions, RetrievalError, UnreadReason};

/// A corpus folder, or a single file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// The path as the user gave it.
    pub(super) given: PathBuf,
    /// The path without links.
    pub(super) canonical: PathBuf,
    /// Names the root in the index.
    pub(super) key: String,
}

impl Root {
    pub(super) fn new(given: &Path) -> Result<Self, RetrievalError> {
        let canonical = given
            .canonicalize()
            .map_err(|source| RetrievalError::UnreadableRoot { root: given.to_path_buf(), source: Arc::new(source) })?;
        Ok(Self { given: given.to_path_buf(), key: canonical.to_string_lossy().into_owned(), canonical })
    }

    /// The folder as citations show it.
    pub(super) fn shown(&self) -> String {
        let folder = if self.canonical.is_file() { self.given.parent().unwrap_or(Path::new("")) } else { &self.given };
        folder.to_string_lossy().into_owned()
    }

    /// A path below the canonical root as the user would write it.
    fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.canonical) {
            Ok(rest) if rest.as_os_str().is_empty() => self.given.display().to_string(),
            Ok(rest) => self.given.join(rest).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}

/// A file that can be read.
#[derive(Clone, Debug)]
pub(super) struct FoundFile {
    /// The index of its root.
    pub(super) root: usize,
    /// Relative to the root, with `/` between the parts.
    pub(super) path: String,
    /// The whole path.
    pub(super) file: PathBuf,
    /// The path for messages.
    pub(super) shown: String,
    pub(super) format: Format,
}

/// What lies below the corpus folders.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<FoundFile>,
    pub(super) unread: Vec<Unread>,
    pub(super) skipped: BTreeMap<String, usize>,
    /// How many files and folders a `.gitignore` leaves out.
    pub(super) ignored: usize,
}

/// Lists the files of all roots in order; a file that lies below two roots belongs to the first.
pub(super) fn walk(roots: &[Root], index: &Path, options: &CorpusOptions) -> Result<Walked, RetrievalError> {
    let index = index.canonicalize().unwrap_or_else(|_| index.to_path_buf());
    let mut walked = Walked::default();
    let mut seen = BTreeSet::new();
    let ignored = Cell::new(0);
    for (number, root) in roots.iter().enumerate() {
        let git_ignore = options.git_ignore.then(|| GitIgnore::new(&root.canonical));
        let is_left_out = |entry: &DirEntry| {
            let is_folder = entry.file_type().is_dir();
            let left_out = git_ignore.as_ref().is_some_and(|rules| rules.leaves_out(entry.path(), is_folder));
            let counts = is_folder || format_of(entry, options).is_some();
            ignored.set(ignored.get() + usize::from(left_out && counts));
            left_out
        };
        let entries = WalkDir::new(&root.canonical)
            .follow_links(options.follow_links)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !(is_ignored(entry, &index, options) || is_left_out(entry)));
        for entry in entries {
            match entry {
                Ok(entry) => walked.take(entry, number, root, options, &mut seen),
                Err(error) => walked.fail(error, root)?,
            }
        }
    }
    walked.ignored = ignored.get();
    Ok(walked)
}

fn is_ignored(entry: &DirEntry, index: &Path, options: &CorpusOptions) -> bool {
    let name = entry.file_name().to_string_lossy();
    let folder = entry.file_type().is_dir();
    name.starts_with('.')
        || (folder && (options.ignored_folders.iter().any(|ignored| *ignored == name) || entry.path() == index))
}

/// The format of a file that is asked for.
fn format_of(entry: &DirEntry, options: &CorpusOptions) -> Option<Format> {
    Format::of(entry.path()).filter(|_| entry.file_type().is_file() && wanted(entry.path(), options))
}

/// Whether files of this ending are asked for.
fn wanted(path: &Path, options: &CorpusOptions) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    options.endings.is_empty() || options.endings.contains(&ending)
}

impl Walked {
    fn take(
        &mut self,
        entry: DirEntry,
        number: usize,
        root: &Root,
        options: &CorpusOptions,
        seen: &mut BTreeSet<PathBuf>,
    ) {
        if entry.file_type().is_dir() {
            return;
        }
        if entry.file_type().is_symlink() {
            *self.skipped.entry("symbolic link".to_owned()).or_default() += 1;
            return;
        }
        let shown = root.show(entry.path());
        let Some(format) = format_of(&entry, options) else {
            let ending = entry.path().extension().map(|ending| format!(".{}", ending.to_string_lossy()));
            *self.skipped.entry(ending.unwrap_or_else(|| "no ending".to_owned())).or_default() += 1;
            return;
        };
        let file = entry.into_path();
        let Some(path) = relative(&file, &root.canonical) else {
            self.unread.push(Unread { path: shown, reason: UnreadReason::Name });
            return;
        };
        if seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            self.files.push(FoundFile { root: number, path, file, shown, format });
        }
    }

    fn fail(&mut self, error: walkdir::Error, root: &Root) -> Result<(), RetrievalError> {
        let path = error.path().map_or_else(|| root.canonical.clone(), Path::to_path_buf);
        let depth = error.depth();
        let reason = if error.loop_ancestor().is_some() {
            UnreadReason::LinkLoop
        } else {
            let source = error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into());
            if depth == 0 {
                return Err(RetrievalError::UnreadableRoot { root: root.given.clone(), source: Arc::new(source) });
            }
            UnreadReason::System { message: source.to_string() }
        };
        self.unread.push(Unread { path: root.show(&path), reason });
        Ok(())
    }
}

/// The path below the root; nothing if it is not Unicode.
fn relative(file: &Path, root: &Path) -> Option<String> {
    let rest = file.strip_prefix(root).ok().filter(|rest| !rest.as_os_str().is_empty());
    let rest = rest.or_else(|| file.file_name().map(Path::new))?;
    let parts: Option<Vec<&str>> = rest.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}
