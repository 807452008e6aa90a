//! Folders of documents, indexed on disk.

mod engine;
mod git_ignore;
mod hybrid;
mod lock;
mod manifest;
mod marker;
mod options;
mod pending_document;
mod reading;
mod refresh;
mod report;
mod score;
mod spelling;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;

pub use hybrid::{ChoiceReranker, HybridCorpus, HybridOptions, OtherModel, Reranker, VectorReport};
pub use options::{CorpusOptions, SearchOptions};
pub use pending_document::PendingDocument;
pub use report::{IndexReport, LossyFile, Unread};

use crate::extract::snippet;
use crate::terms::query_terms_of;
use crate::{Evidence, Fault, Hit, RetrievalError, Search, SearchAnswer, Source};
use engine::{Engine, Record};
use walk::Root;

/// The name of the corpus among the engines.
const LOCAL: &str = "local";

/// A longer question is searched by its first distinct words.
const MOST_TERMS: usize = 128;

/// Folders of documents with their index. Clones share one index.
///
/// The folders are never written. A search sees what the last [`refresh`](Self::refresh) through this handle or a clone
/// of it found, or what was in the index when it was opened.
#[derive(Clone)]
pub struct Corpus {
    inner: Arc<Inner>,
}

struct Inner {
    index: PathBuf,
    roots: Vec<Root>,
    options: CorpusOptions,
    /// The index, or why there is none.
    engine: RwLock<Result<Arc<Engine>, String>>,
}

impl fmt::Debug for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { index, roots, options, .. } = &*self.inner;
        let roots: Vec<&Path> = roots.iter().map(|root| root.given.as_path()).collect();
        f.debug_struct("Corpus")
            .field("index", index)
            .field("roots", &roots)
            .field("options", options)
            .finish_non_exhaustive()
    }
}

impl Corpus {
    /// Opens the index in `index_dir` for the folders (or single files) in `roots`. Nothing is written or read from the
    /// folders before the first [`refresh`](Self::refresh).
    ///
    /// # Errors
    /// No root, an unreadable root, an index of a newer format, or a directory that holds something else. An absent,
    /// outdated or damaged index is no error: `refresh` builds it.
    pub fn open(index_dir: &Path, roots: &[PathBuf], options: CorpusOptions) -> Result<Self, RetrievalError> {
        if roots.is_empty() {
            return Err(RetrievalError::NoRoots);
        }
        let mut distinct: Vec<Root> = Vec::new();
        for root in roots {
            let root = Root::new(root)?;
            if distinct.iter().all(|other| other.key != root.key) {
                distinct.push(root);
            }
        }
        let engine = match marker::inspect(index_dir, &options)? {
            marker::IndexState::Nothing => Err("it was never built".to_owned()),
            marker::IndexState::Outdated(reason) => Err(reason),
            marker::IndexState::Index => {
                Engine::open(&marker::engine_dir(index_dir)).map(Arc::new).map_err(|error| error.to_string())
            }
        };
        let inner = Inner { index: index_dir.to_path_buf(), roots: distinct, options, engine: RwLock::new(engine) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Brings the index up to date with the folders and says what changed. It blocks; another refresh of the same index
    /// in any process is waited for.
    ///
    /// A file is read again when its size or time stamp changed, and indexed again when its content changed. An absent,
    /// outdated or damaged index is built anew, which the report tells.
    ///
    /// # Errors
    /// [`EmptyCorpus`](RetrievalError::EmptyCorpus) if nothing searchable is left,
    /// [`Locked`](RetrievalError::Locked) if another writer takes longer than
    /// [`lock_wait`](CorpusOptions::lock_wait), [`DiskFull`](RetrievalError::DiskFull), and failures of the file
    /// system. After an error the index is as it was before, or as after the whole refresh.
    pub fn refresh(&self) -> Result<IndexReport, RetrievalError> {
        refresh::refresh(&self.inner)
    }

    /// The passages that fit `query` best. The query is plain words in any language; no sign in it has a meaning.
    ///
    /// The order is the same every time: by score, then by id. Passages with the same text are given once.
    ///
    /// # Errors
    /// [`NotIndexed`](RetrievalError::NotIndexed) before the first refresh, and failures of the search library.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, RetrievalError> {
        self.search_with(query, options, &|_| true, &[])
    }

    /// As [`search`](Self::search), among the documents whose path below their folder `keep` accepts, and among texts
    /// that are not written yet. Those are scored with the statistics of the index, so that they stand where they would
    /// stand if they were in it; they count as documents of the first folder. `keep` is not asked about them, and the
    /// older text of their file is for `keep` to leave out.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_with(
        &self,
        query: &str,
        options: &SearchOptions,
        keep: &dyn Fn(&str) -> bool,
        pending: &[PendingDocument<'_>],
    ) -> Result<Vec<Hit>, RetrievalError> {
        let engine = self.engine()?;
        let failed = |error| RetrievalError::engine(&self.inner.index, error);
        let root = &self.inner.roots[0];
        let more = pending_document::records(pending, &root.key, self.inner.options.passage_bytes);
        let mut languages = engine.languages().map_err(failed)?;
        for record in &more {
            if !languages.contains(&record.language) {
                languages.push(record.language);
            }
        }
        let terms = query_terms_of(query, MOST_TERMS, &languages);
        if terms.is_empty() || options.limit == 0 || options.per_document == 0 {
            return Ok(Vec::new());
        }
        let first = options.limit.saturating_mul(4).saturating_add(16);
        let enough = |found: &[(f32, Record)]| {
            self.select(found.iter().filter(|(_, record)| keep(&record.path)), options).len() >= options.limit
        };
        let beside = engine.beside(&more);
        let mut records = engine.search(&terms, &beside, first, enough).map_err(failed)?;
        records.retain(|(_, record)| keep(&record.path));
        let scores = engine.score(&terms, &beside).map_err(failed)?;
        records.extend(scores.into_iter().zip(more).filter(|(score, _)| *score > 0.0));
        records.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.id.cmp(&right.id)));
        let selected = self.select(&records, options);
        Ok(selected
            .into_iter()
            .map(|(score, record, root)| Hit::new(evidence(record, root), score, snippet(query, &record.passage.text)))
            .collect())
    }

    /// The passage with this id, if the index has it.
    ///
    /// # Errors
    /// [`NotIndexed`](RetrievalError::NotIndexed) before the first refresh, and failures of the search library.
    pub fn get(&self, id: &str) -> Result<Option<Evidence>, RetrievalError> {
        let records = self.engine()?.get(id).map_err(|error| RetrievalError::engine(&self.inner.index, error))?;
        let found = records.iter().filter_map(|record| Some((self.root_of(record)?, record)));
        Ok(found.min_by_key(|(root, _)| *root).map(|(root, record)| evidence(record, &self.inner.roots[root])))
    }

    /// At least `count` passages in the order of their words, where so many fit.
    fn by_words(&self, query: &str, count: usize) -> Result<Vec<(f32, Record)>, RetrievalError> {
        let engine = self.engine()?;
        let failed = |error| RetrievalError::engine(&self.inner.index, error);
        let terms = query_terms_of(query, MOST_TERMS, &engine.languages().map_err(failed)?);
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        engine.search(&terms, &engine.beside(&[]), count, |found| found.len() >= count / 2).map_err(failed)
    }

    fn engine(&self) -> Result<Arc<Engine>, RetrievalError> {
        let engine = self.inner.engine.read().unwrap_or_else(PoisonError::into_inner);
        match &*engine {
            Ok(engine) => Ok(Arc::clone(engine)),
            Err(reason) => Err(RetrievalError::NotIndexed { index: self.inner.index.clone(), reason: reason.clone() }),
        }
    }

    /// The root of a record; nothing if the corpus was opened without it.
    fn root_of(&self, record: &Record) -> Option<usize> {
        self.inner.roots.iter().position(|root| root.key == record.root)
    }

    /// The records that are given out, in their order.
    fn select<'a>(
        &'a self,
        found: impl IntoIterator<Item = &'a (f32, Record)>,
        options: &SearchOptions,
    ) -> Vec<(f32, &'a Record, &'a Root)> {
        let mut texts = BTreeSet::new();
        let mut per_document: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        let mut selected = Vec::new();
        for (score, record) in found {
            let Some(root) = self.root_of(record) else { continue };
            let taken = per_document.entry((root, &record.path)).or_default();
            if *taken < options.per_document && texts.insert(record.passage.text.as_str()) {
                *taken += 1;
                selected.push((*score, record, &self.inner.roots[root]));
            }
            if selected.len() == options.limit {
                break;
            }
        }
        selected
    }
}

fn evidence(record: &Record, root: &Root) -> Evidence {
    let source = Source::Local { root: root.shown(), path: record.path.clone() };
    let mut evidence = Evidence::new(&record.id, source, &record.title, &record.passage.text);
    evidence.heading.clone_from(&record.passage.heading);
    evidence.locator = record.passage.locator.clone();
    evidence.content_hash.clone_from(&record.content_hash);
    evidence
}

/// Searches on tokio's threads for blocking work, so that the caller's runtime goes on meanwhile.
#[async_trait]
impl Search for Corpus {
    fn engines(&self) -> Vec<String> {
        vec![LOCAL.to_owned()]
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let (corpus, words) = (self.clone(), query.to_owned());
        let searched =
            tokio::task::spawn_blocking(move || Self::search(&corpus, &words, &SearchOptions::with_limit(limit)));
        let found = searched.await.unwrap_or_else(|error| {
            Err(RetrievalError::Interrupted { name: LOCAL.to_owned(), reason: error.to_string() })
        });
        match found {
            Ok(hits) => SearchAnswer::of(LOCAL, query, hits.into_iter().map(|hit| hit.by(LOCAL)).collect()),
            Err(error) => SearchAnswer::failed(LOCAL, query, Fault::of_index(&error)),
        }
    }
}
