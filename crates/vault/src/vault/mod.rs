//! A directory of notes on disk.

mod cache;
mod link_cache;
mod options;
mod walk;

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use crate::links::Layer;
use crate::{ContentHash, LinkIndex, Note, NotePath, Notes, VaultError};
use cache::{Cache, Stamp};
use link_cache::VaultLinks;
pub use options::VaultOptions;
pub(crate) use walk::{Listing, broken_folder};
pub use walk::{SkipReason, Skipped};

/// A directory of Markdown notes, with or without Obsidian's `.obsidian` in it.
///
/// Notes are the files that end in `.md`, whatever their names; other files are known as attachments, so that links to
/// them resolve and follow them when they move. Hidden files and folders are ignored. Symbolic links are not followed, wherever they lead: one inside the vault would show
/// a note twice, one out of it is not the vault's. What cannot be a note is listed by [`skipped`](Self::skipped) and
/// never changed. The list of files is that of the last [`refresh`](Self::refresh); their texts are read when asked for.
///
/// ```
/// use graphloom_vault::{NotePath, Notes, Vault, VaultOptions};
///
/// # let place = tempfile::tempdir()?;
/// # let root = place.path();
/// std::fs::write(root.join("Plan.md"), "# Plan\n")?;
/// let vault = Vault::open(root, VaultOptions::default())?;
/// let note = vault.expect(&NotePath::parse("Plan.md")?)?;
/// assert_eq!(note.text(), "# Plan\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Vault {
    root: PathBuf,
    options: VaultOptions,
    listing: RwLock<Arc<Listing>>,
    cache: Cache,
    links: VaultLinks,
}

impl Vault {
    /// Opens a directory and lists its files. Nothing is written.
    ///
    /// # Errors
    /// [`VaultError::NotAVault`] when it is no directory or cannot be listed.
    pub fn open(root: impl AsRef<Path>, options: VaultOptions) -> Result<Self, VaultError> {
        let given = root.as_ref();
        let refuse = |source: io::Error| VaultError::NotAVault { root: given.to_owned(), source: Arc::new(source) };
        let root = given.canonicalize().map_err(refuse)?;
        if !root.is_dir() {
            return Err(refuse(io::Error::from(io::ErrorKind::NotADirectory)));
        }
        let listing = RwLock::new(Arc::new(walk::walk(&root, &options)?));
        let cache = Cache::new(options.cache_bytes);
        Ok(Self { root, cache, options, listing, links: VaultLinks::default() })
    }

    /// The directory, without symbolic links in its path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lists the files again.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn refresh(&self) -> Result<(), VaultError> {
        let listing = Arc::new(walk::walk(&self.root, &self.options)?);
        *self.listing.write().unwrap_or_else(PoisonError::into_inner) = listing;
        Ok(())
    }

    /// Files that are no notes of this vault although they look like some, with the reason. Whether a file is UTF-8 is
    /// only known when it is read: see [`unreadable`](Self::unreadable).
    #[must_use]
    pub fn skipped(&self) -> Vec<Skipped> {
        self.listing().skipped.iter().cloned().collect()
    }

    /// All links of the vault as of the last [`refresh`](Self::refresh). The first time every file is read; later only
    /// those are whose size or time is another.
    #[must_use]
    pub fn links(&self) -> LinkIndex {
        LinkIndex::over(self.layer())
    }

    pub(crate) fn layer(&self) -> Arc<Layer> {
        self.links.of(self)
    }

    /// Reads every note and lists those that cannot be read, not UTF-8 ones above all.
    #[must_use]
    pub fn unreadable(&self) -> Vec<Skipped> {
        let failed = |path: NotePath| self.read(&path).err().map(|error| Skipped::of(&path, &error));
        self.paths().into_iter().filter_map(failed).collect()
    }

    pub(crate) fn max_note_bytes(&self) -> u64 {
        self.options.max_note_bytes
    }

    pub(crate) fn listing(&self) -> Arc<Listing> {
        Arc::clone(&self.listing.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where a file is on disk, in the Unicode form that its name has there.
    #[must_use]
    pub fn file(&self, path: &NotePath) -> PathBuf {
        self.root.join(self.place(path))
    }

    /// The same from the root. A file that the vault does not know goes into the folder of its neighbours, in the Unicode
    /// form that folder has on disk.
    pub(crate) fn place(&self, path: &NotePath) -> PathBuf {
        let listing = self.listing();
        if let Some(listed) = listing.notes.get(path).or_else(|| listing.files.get(path)) {
            return listed.disk.clone();
        }
        let folder = path.folder();
        if !folder.is_ascii() {
            let mut known = listing.notes.iter().chain(&listing.files);
            let neighbour = known.find(|(other, _)| other.folder() == folder);
            if let Some(folder) = neighbour.and_then(|(_, listed)| listed.disk.parent()) {
                return folder.join(path.file_name());
            }
        }
        PathBuf::from(path.as_str())
    }

    /// The hash of the file that is at a path now, whatever its size; `None` when there is none.
    /// Whether a file is there and nobody may write to it.
    pub(crate) fn is_read_only(&self, path: &NotePath) -> Result<bool, VaultError> {
        Ok(reach(&self.root, &self.place(path))?.is_some_and(|found| found.permissions().readonly()))
    }

    pub(crate) fn hash_at(&self, path: &NotePath) -> Result<Option<ContentHash>, VaultError> {
        let disk = self.place(path);
        if reach(&self.root, &disk)?.is_none() {
            return Ok(None);
        }
        let full = self.root.join(disk);
        match fs::File::open(&full).and_then(ContentHash::of_reader) {
            Ok(hash) => Ok(Some(hash)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(VaultError::io("read", &full, error)),
        }
    }

    /// The bytes of a hidden file, by its path from the root; `None` when there is none.
    pub(crate) fn hidden_bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, VaultError> {
        const MOST: u64 = 1024 * 1024;
        let Some(metadata) = reach(&self.root, path)? else { return Ok(None) };
        if metadata.len() > MOST {
            let reason = format!("it has {} bytes, more than {MOST}", metadata.len());
            return Err(VaultError::illegal_path(&path.to_string_lossy(), reason));
        }
        let full = self.root.join(path);
        fs::read(&full).map(Some).map_err(|error| VaultError::io("read", &full, error))
    }

    fn bytes(&self, path: &NotePath) -> Result<Option<(Vec<u8>, Metadata)>, VaultError> {
        let disk = self.place(path);
        let Some(metadata) = reach(&self.root, &disk)? else { return Ok(None) };
        let too_large =
            |bytes| Err(VaultError::TooLarge { path: path.clone(), bytes, limit: self.options.max_note_bytes });
        if metadata.len() > self.options.max_note_bytes {
            return too_large(metadata.len());
        }
        let full = self.root.join(&disk);
        let mut bytes = Vec::new();
        let opened =
            fs::File::open(&full).and_then(|file| file.take(self.options.max_note_bytes + 1).read_to_end(&mut bytes));
        match opened {
            Ok(_) if bytes.len() as u64 > self.options.max_note_bytes => too_large(bytes.len() as u64),
            Ok(_) => Ok(Some((bytes, metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(VaultError::io("read", &full, error)),
        }
    }
}

impl Notes for Vault {
    fn paths(&self) -> Vec<NotePath> {
        self.listing().notes.keys().cloned().collect()
    }

    fn read(&self, path: &NotePath) -> Result<Option<Note>, VaultError> {
        if !path.is_note() {
            return Ok(None);
        }
        let disk = self.place(path);
        let Some(metadata) = reach(&self.root, &disk)? else { return Ok(None) };
        let stamp = Stamp::of(&metadata);
        if let Some(note) = stamp.and_then(|stamp| self.cache.get(path, stamp)) {
            return Ok(Some(note));
        }
        let Some((bytes, metadata)) = self.bytes(path)? else { return Ok(None) };
        let hash = ContentHash::of(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| VaultError::NotUtf8 { path: path.clone() })?;
        let note = Note::with_hash(path.clone(), text.into(), hash);
        if let Some(stamp) = Stamp::of(&metadata) {
            self.cache.put(&note, stamp);
        }
        Ok(Some(note))
    }

    fn contains(&self, path: &NotePath) -> bool {
        let disk = self.place(path);
        matches!(reach(&self.root, &disk), Ok(Some(_)))
    }

    fn text(&self, path: &NotePath) -> Result<Option<Arc<str>>, VaultError> {
        let Some((bytes, _)) = self.bytes(path)? else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|_| VaultError::NotUtf8 { path: path.clone() })?;
        Ok(Some(text.into()))
    }

    fn attachments(&self) -> BTreeSet<String> {
        self.listing().files.keys().map(|path| path.as_str().to_owned()).collect()
    }
}

/// The file at a path from the root, reached through real directories only; `None` when it is not there.
pub(crate) fn reach(root: &Path, relative: &Path) -> Result<Option<Metadata>, VaultError> {
    let mut at = root.to_owned();
    let mut parts = relative.components().peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let metadata = match fs::symlink_metadata(&at) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(VaultError::io("look at", &at, error)),
        };
        let last = parts.peek().is_none();
        let found = if metadata.is_symlink() {
            "a symbolic link"
        } else if last && !metadata.is_file() {
            "not a file"
        } else if !last && !metadata.is_dir() {
            "not a folder"
        } else if last {
            return Ok(Some(metadata));
        } else {
            continue;
        };
        return Err(VaultError::Unreachable {
            path: relative.to_string_lossy().into_owned(),
            part: part.as_os_str().to_string_lossy().into_owned(),
            found: found.to_owned(),
        });
    }
    Ok(None)
}
