//! Bringing an index up to date with its folders.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use graphloom_text::Language;

use super::engine::{Changes, Engine, Record};
use super::lock::WriteLock;
use super::manifest::{FileState, Manifest, Stamp};
use super::reading::Readers;
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
    let update = Update::run(inner, &engine, &before, walked)?;
    engine.reload().map_err(|error| RetrievalError::engine(dir, error))?;
    *inner.engine.write().unwrap_or_else(PoisonError::into_inner) = Ok(Arc::new(engine));
    let report = IndexReport { rebuilt, ..update };
    if report.passages == 0 {
        return Err(RetrievalError::EmptyCorpus {
            roots: inner.roots.iter().map(|root| root.given.clone()).collect(),
            endings: Format::endings(),
            unread: report.unread.iter().map(|file| format!("`{}` {}", file.path, file.reason)).collect(),
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
    before: &'a Manifest,
    after: Manifest,
    /// Begun with the first change.
    changes: Option<Changes>,
    report: IndexReport,
}

/// A file that is in the index after this pass.
enum Outcome {
    Same(FileState),
    /// It is new, or another than before.
    Read(FileState, Document),
}

impl<'a> Update<'a> {
    fn run(
        inner: &'a Inner,
        engine: &'a Engine,
        before: &Manifest,
        walked: Walked,
    ) -> Result<IndexReport, RetrievalError> {
        let Walked { files, unread, skipped, ignored } = walked;
        let report = IndexReport { unread, skipped, ignored, ..IndexReport::default() };
        let known = |file: &FoundFile| before.files.get(&key_of(inner, file));
        let mut update = Update { inner, engine, before, after: Manifest::default(), changes: None, report };
        Readers::new()?.read(
            &files,
            |file| read(inner, known(file), file),
            |file, outcome| update.take(file, outcome),
        )?;
        update.remove_absent()?;
        update.commit()?;
        update.report.documents = update.after.files.len();
        update.report.passages = update.after.files.values().map(|state| state.passages).sum();
        Ok(update.report)
    }

    /// Takes a file as it was read into the index and the report.
    fn take(&mut self, file: &FoundFile, outcome: Result<Outcome, UnreadReason>) -> Result<(), RetrievalError> {
        let key = key_of(self.inner, file);
        let state = match outcome {
            Err(reason) => {
                self.report.unread.push(Unread { path: file.shown.clone(), reason });
                return Ok(());
            }
            Ok(Outcome::Same(state)) => {
                self.report.unchanged += 1;
                state
            }
            Ok(Outcome::Read(state, document)) => {
                let known = self.before.files.contains_key(&key);
                *(if known { &mut self.report.updated } else { &mut self.report.added }) += 1;
                self.replace(&key, &state, &file.path, document)?;
                state
            }
        };
        if let Some(note) = &state.note {
            self.report.lossy.push(LossyFile { path: file.shown.clone(), note: note.clone() });
        }
        self.after.files.insert(key, state);
        Ok(())
    }

    /// Puts the passages of a document into the index in place of those it had.
    fn replace(&mut self, key: &str, state: &FileState, path: &str, document: Document) -> Result<(), RetrievalError> {
        let index = self.inner.index.as_path();
        let known = self.before.files.contains_key(key);
        let changes = self.changes()?;
        if known {
            changes.remove(key);
        }
        for record in records(&state.root, path, &state.hash, document) {
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
        if self.changes.is_none() && self.after == *self.before {
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

/// The key of a file in the manifest and the index.
fn key_of(inner: &Inner, file: &FoundFile) -> String {
    format!("{}\0{}", inner.roots[file.root].key, file.path)
}

/// Reads a file, unless it is as it is `known`.
fn read(inner: &Inner, known: Option<&FileState>, file: &FoundFile) -> Result<Outcome, UnreadReason> {
    let now = SystemTime::now();
    let unread = |error: io::Error| UnreadReason::System { message: error.to_string() };
    let stamp = Stamp::of(&std::fs::metadata(&file.file).map_err(unread)?, now);
    let options = &inner.options;
    let limit = if file.format.is_text() { options.max_file_bytes } else { options.max_document_bytes };
    if stamp.bytes > limit {
        return Err(UnreadReason::TooBig { bytes: stamp.bytes, limit });
    }
    if let Some(state) = known.filter(|state| state.stamp.still_holds(&stamp)) {
        return Ok(Outcome::Same(state.clone()));
    }
    let bytes = std::fs::read(&file.file).map_err(unread)?;
    let hash = blake3::hash(&bytes).to_hex().to_string();
    if let Some(state) = known.filter(|state| state.hash == hash) {
        return Ok(Outcome::Same(FileState { stamp, ..state.clone() }));
    }
    let (document, note) = document::read_file(file.format, &file.path, &bytes, &options.read_limits())?;
    let root = inner.roots[file.root].key.clone();
    let passages = document.passages.len();
    Ok(Outcome::Read(FileState { root, stamp, hash, passages, note }, document))
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
