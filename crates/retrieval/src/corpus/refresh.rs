//! Bringing an index up to date with its folders.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use graphloom_text::Language;

use super::engine::{Changes, Engine, Record};
use super::lock::WriteLock;
use super::manifest::{FileState, Manifest, Stamp};
use super::report::{IndexReport, LossyFile, Unread};
use super::walk::{FoundFile, Walked, walk};
use super::{Inner, marker};
use crate::document::{self, Document, Format};
use crate::evidence_id::evidence_id;
use crate::{CorpusOptions, RetrievalError, UnreadReason};

/// How many bytes of a document decide its language.
const LANGUAGE_BYTES: usize = 4096;

pub(super) fn refresh(inner: &Inner) -> Result<IndexReport, RetrievalError> {
    let dir = inner.index.as_path();
    // A foreign or newer directory is refused before anything is written into it.
    marker::inspect(dir, &inner.options)?;
    std::fs::create_dir_all(dir).map_err(|error| RetrievalError::index_file(dir, dir, error))?;
    let _lock = WriteLock::acquire(dir, inner.options.lock_wait)?;
    let walked = walk(&inner.roots, dir, &inner.options)?;
    let (engine, before, rebuilt) = ready(dir, &inner.options)?;
    let update = Update::run(inner, &engine, before, walked)?;
    engine.reload().map_err(|error| RetrievalError::engine(dir, error))?;
    *inner.engine.write().unwrap_or_else(PoisonError::into_inner) = Ok(Arc::new(engine));
    let report = IndexReport { rebuilt, ..update };
    if report.passages == 0 {
        return Err(RetrievalError::EmptyCorpus {
            roots: inner.roots.iter().map(|root| root.given.clone()).collect(),
            endings: Format::endings(),
            unread: report.unread.len(),
            skipped: report.skipped.values().sum(),
        });
    }
    Ok(report)
}

/// An index to work on with what it holds, built anew if there is none that can be used.
fn ready(dir: &Path, options: &CorpusOptions) -> Result<(Engine, Manifest, Option<String>), RetrievalError> {
    let rebuilt = match marker::inspect(dir, options)? {
        marker::IndexState::Nothing => None,
        marker::IndexState::Outdated(reason) => Some(reason),
        marker::IndexState::Index => match open(dir) {
            Ok((engine, manifest)) => return Ok((engine, manifest, None)),
            Err(reason) => Some(reason),
        },
    };
    if let Some(reason) = &rebuilt {
        tracing::warn!(index = %dir.display(), reason, "building the corpus index anew");
    }
    marker::reset(dir, options)?;
    let engine = Engine::create(&marker::engine_dir(dir)).map_err(|error| RetrievalError::engine(dir, error))?;
    Ok((engine, Manifest::default(), rebuilt))
}

fn open(dir: &Path) -> Result<(Engine, Manifest), String> {
    let engine = Engine::open(&marker::engine_dir(dir)).map_err(|error| error.to_string())?;
    let payload = engine.payload().map_err(|error| error.to_string())?;
    let manifest = Manifest::load(dir, payload.as_deref())?;
    Ok((engine, manifest))
}

/// One pass over the files.
struct Update<'a> {
    inner: &'a Inner,
    engine: &'a Engine,
    before: Manifest,
    after: Manifest,
    /// Begun with the first change.
    changes: Option<Changes>,
    report: IndexReport,
}

/// A file that is in the index after this pass.
enum Outcome {
    Same(FileState),
    Indexed(FileState),
}

impl<'a> Update<'a> {
    fn run(
        inner: &'a Inner,
        engine: &'a Engine,
        before: Manifest,
        walked: Walked,
    ) -> Result<IndexReport, RetrievalError> {
        let Walked { files, unread, skipped, ignored } = walked;
        let report = IndexReport { unread, skipped, ignored, ..IndexReport::default() };
        let mut update = Self { inner, engine, before, after: Manifest::default(), changes: None, report };
        for file in files {
            update.take(file)?;
        }
        update.remove_absent()?;
        update.commit()?;
        update.report.documents = update.after.files.len();
        update.report.passages = update.after.files.values().map(|state| state.passages).sum();
        Ok(update.report)
    }

    fn take(&mut self, file: FoundFile) -> Result<(), RetrievalError> {
        let key = format!("{}\0{}", self.inner.roots[file.root].key, file.path);
        let state = match self.outcome(&key, &file)? {
            Err(reason) => {
                self.report.unread.push(Unread { path: file.shown, reason });
                return Ok(());
            }
            Ok(Outcome::Same(state)) => {
                self.report.unchanged += 1;
                state
            }
            Ok(Outcome::Indexed(state)) => {
                let known = self.before.files.contains_key(&key);
                *(if known { &mut self.report.updated } else { &mut self.report.added }) += 1;
                state
            }
        };
        if let Some(note) = &state.note {
            self.report.lossy.push(LossyFile { path: file.shown, note: note.clone() });
        }
        self.after.files.insert(key, state);
        Ok(())
    }

    fn outcome(&mut self, key: &str, file: &FoundFile) -> Result<Result<Outcome, UnreadReason>, RetrievalError> {
        let now = SystemTime::now();
        let stamp = match std::fs::metadata(&file.file) {
            Ok(metadata) => Stamp::of(&metadata, now),
            Err(error) => return Ok(Err(UnreadReason::System { message: error.to_string() })),
        };
        let options = &self.inner.options;
        let limit = if file.format.is_text() { options.max_file_bytes } else { options.max_document_bytes };
        if stamp.bytes > limit {
            return Ok(Err(UnreadReason::TooBig { bytes: stamp.bytes, limit }));
        }
        let known = self.before.files.get(key);
        if let Some(state) = known.filter(|state| state.stamp.still_holds(&stamp)) {
            return Ok(Ok(Outcome::Same(state.clone())));
        }
        let bytes = match std::fs::read(&file.file) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(UnreadReason::System { message: error.to_string() })),
        };
        let hash = blake3::hash(&bytes).to_hex().to_string();
        if let Some(state) = known.filter(|state| state.hash == hash) {
            return Ok(Ok(Outcome::Same(FileState { stamp, ..state.clone() })));
        }
        let read = document::read_file(file.format, &file.path, &bytes, &self.inner.options.read_limits());
        let (document, note) = match read {
            Ok(parsed) => parsed,
            Err(reason) => return Ok(Err(reason)),
        };
        let root = self.inner.roots[file.root].key.clone();
        let passages = document.passages.len();
        self.replace(key, &root, &file.path, &hash, document)?;
        Ok(Ok(Outcome::Indexed(FileState { root, stamp, hash, passages, note })))
    }

    /// Puts the passages of a document into the index in place of those it had.
    fn replace(
        &mut self,
        key: &str,
        root: &str,
        path: &str,
        hash: &str,
        document: Document,
    ) -> Result<(), RetrievalError> {
        let index = self.inner.index.as_path();
        let known = self.before.files.contains_key(key);
        let changes = self.changes()?;
        if known {
            changes.remove(key);
        }
        for record in records(root, path, hash, document) {
            changes.add(key, &record).map_err(|error| RetrievalError::engine(index, error))?;
        }
        Ok(())
    }

    fn remove_absent(&mut self) -> Result<(), RetrievalError> {
        let absent: Vec<String> =
            self.before.files.keys().filter(|key| !self.after.files.contains_key(*key)).cloned().collect();
        for key in &absent {
            self.changes()?.remove(key);
        }
        self.report.removed = absent.len();
        Ok(())
    }

    fn changes(&mut self) -> Result<&Changes, RetrievalError> {
        let changes = match self.changes.take() {
            Some(changes) => changes,
            None => self.engine.begin().map_err(|error| RetrievalError::engine(&self.inner.index, error))?,
        };
        Ok(self.changes.insert(changes))
    }

    fn commit(&mut self) -> Result<(), RetrievalError> {
        if self.changes.is_none() && self.after == self.before {
            return Ok(());
        }
        self.changes()?;
        let Some(changes) = self.changes.take() else { return Ok(()) };
        let dir = self.inner.index.as_path();
        let name = self.after.store(dir)?;
        changes.commit(&name).map_err(|error| RetrievalError::engine(dir, error))?;
        Manifest::delete_others(dir, &name);
        Ok(())
    }
}

/// What the index keeps of a document.
pub(super) fn records(root: &str, path: &str, hash: &str, document: Document) -> Vec<Record> {
    let language = language_of(&document);
    let mut equal: BTreeMap<String, usize> = BTreeMap::new();
    let mut records = Vec::with_capacity(document.passages.len());
    for passage in document.passages {
        let before = equal.entry(passage.text.clone()).or_default();
        records.push(Record {
            id: evidence_id(path, &passage.text, *before),
            root: root.to_owned(),
            path: path.to_owned(),
            title: document.title.clone(),
            content_hash: hash.to_owned(),
            language,
            passage,
        });
        *before += 1;
    }
    records
}

/// The language that a document is in, by its first passages.
fn language_of(document: &Document) -> Language {
    let mut beginning = String::new();
    for passage in &document.passages {
        if beginning.len() >= LANGUAGE_BYTES {
            break;
        }
        beginning.push_str(&passage.text);
        beginning.push('\n');
    }
    Language::detect(&beginning)
}
