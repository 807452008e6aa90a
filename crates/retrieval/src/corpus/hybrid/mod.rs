//! A corpus that is searched by words and by meaning.

mod codes;
mod fuse;
mod make;
mod rerank;
mod store;
mod table;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_llm::{Embedder, EmbeddingPurpose};

pub use make::{OtherModel, VectorReport};
pub use rerank::{ChoiceReranker, Reranker};

use super::engine::Record;
use super::{Corpus, LOCAL, SearchOptions, evidence};
use crate::extract::snippet;
use crate::{Fault, Hit, RetrievalError, Search, SearchAnswer};
use fuse::fuse;
use store::VectorStore;
use table::VectorTable;

/// The folder of the vectors, in the directory of the index.
const FOLDER: &str = "vectors";

/// How both orders become one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HybridOptions {
    /// The constant of reciprocal rank fusion; 60 by default. The smaller it is, the more the first places of each order
    /// count.
    pub k: f32,
    /// What a place in the order of words counts, when one in the order of meaning counts 1; 1 by default.
    pub words: f32,
    /// How many passages are taken of each order at least; 100 by default.
    pub depth: usize,
    /// The least cosine between the vectors of question and passage; 0.2 by default, so that a question about something
    /// else finds nothing. A passage below it is found by its words only.
    pub least_cosine: f32,
    /// How many of the first results a reranker reads; 20 by default.
    pub reranked: usize,
}

impl Default for HybridOptions {
    fn default() -> Self {
        Self { k: 60.0, words: 1.0, depth: 100, least_cosine: 0.2, reranked: 20 }
    }
}

/// A [`Corpus`] whose passages are found by their words, as ever, and by their meaning: the vector of a question is compared
/// with those of all passages, and both orders become one by reciprocal rank fusion. Clones share everything.
///
/// The vectors lie beside the index. A passage without one is found by its words; [`make_vectors`](Self::make_vectors)
/// makes those that are missing.
///
/// ```
/// # use std::sync::Arc;
/// # use async_trait::async_trait;
/// # use graphloom_llm::{Embedder, EmbeddingPurpose, Embeddings, ModelError, ModelId, Usage};
/// use graphloom_retrieval::{Corpus, CorpusOptions, HybridCorpus, OtherModel, SearchOptions};
///
/// # /// Knows that a boat is a vessel.
/// # struct Boats(ModelId);
/// # #[async_trait]
/// # impl Embedder for Boats {
/// #     fn id(&self) -> &ModelId { &self.0 }
/// #     async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Embeddings, ModelError> {
/// #         let vector = |text: &String| {
/// #             let is_boat = ["boat", "vessel"].iter().any(|word| text.contains(word));
/// #             if is_boat { vec![1.0, 0.0] } else { vec![0.0, 1.0] }
/// #         };
/// #         Embeddings::checked(&self.0, texts.len(), texts.iter().map(vector).collect(), Usage::default())
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let place = tempfile::tempdir()?;
/// # let model = Boats(ModelId::new("example", "boats"));
/// let docs = place.path().join("docs");
/// std::fs::create_dir(&docs)?;
/// std::fs::write(docs.join("a.txt"), "The vessel lies at the quay.")?;
/// std::fs::write(docs.join("b.txt"), "The train stands at the platform.")?;
/// let corpus = Corpus::open(&place.path().join("index"), &[docs], CorpusOptions::default())?;
/// corpus.refresh()?;
///
/// let hybrid = HybridCorpus::new(corpus, Arc::new(model));
/// let report = hybrid.make_vectors(OtherModel::Refuse, |done, of| eprintln!("{done} of {of}")).await?;
/// assert_eq!(report.made, 2);
/// let (hits, notes) = hybrid.find("boat", &SearchOptions::default()).await?;
/// assert_eq!(hits[0].evidence.text, "The vessel lies at the quay.");
/// assert!(notes.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct HybridCorpus {
    corpus: Corpus,
    embedder: Arc<dyn Embedder>,
    reranker: Option<Arc<dyn Reranker>>,
    options: HybridOptions,
    /// The vectors of the index as it was last searched.
    table: Arc<Mutex<Option<Arc<VectorTable>>>>,
}

impl fmt::Debug for HybridCorpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HybridCorpus")
            .field("corpus", &self.corpus)
            .field("embedder", &self.embedder.id())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl HybridCorpus {
    /// A corpus with a model that makes its vectors. Nothing is read or written yet.
    pub fn new(corpus: Corpus, embedder: Arc<dyn Embedder>) -> Self {
        let options = HybridOptions::default();
        Self { corpus, embedder, reranker: None, options, table: Arc::new(Mutex::new(None)) }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, options: HybridOptions) -> Self {
        self.options = options;
        self
    }

    /// The same with a model that puts the first results into another order.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// The corpus, which searches by words.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The passages that fit `query` best, and what a person should know of the search: that the model failed, so that words
    /// alone were compared, or that passages lack a vector.
    ///
    /// Passages are chosen as by [`Corpus::search`]. The score of a hit is that of the fusion, or of the reranker for those
    /// that it read.
    ///
    /// # Errors
    /// As [`Corpus::search`]; [`RetrievalError::Vectors`] for vectors that cannot be read.
    pub async fn find(&self, query: &str, options: &SearchOptions) -> Result<(Vec<Hit>, Vec<String>), RetrievalError> {
        if query.trim().is_empty() || options.limit == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut notes = Vec::new();
        let question = [query.to_owned()];
        let vector = match self.embedder.embed(&question, EmbeddingPurpose::Query).await {
            Ok(made) => made.vectors.into_iter().next(),
            Err(error) => {
                notes.push(format!("passages were compared by their words alone: {error}"));
                None
            }
        };
        let (hybrid, words) = (self.clone(), query.to_owned());
        let depth = self.options.depth.max(options.limit.saturating_mul(4));
        let (mut fused, missing) = blocking(move || hybrid.fused(&words, vector.as_deref(), depth)).await?;
        if missing > 0 {
            notes.push(format!("{missing} passages have no vector, and were compared by their words alone"));
        }
        if let Some(reranker) = &self.reranker
            && let Err(note) = rerank(&**reranker, query, &mut fused, self.options.reranked).await
        {
            notes.push(note);
        }
        let hits =
            self.corpus.select(&fused, options).into_iter().map(|(score, record, root)| {
                Hit::new(evidence(record, root), score, snippet(query, &record.passage.text))
            });
        Ok((hits.collect(), notes))
    }

    /// The passages in the order of the fusion, and how many have no vector.
    fn fused(
        &self,
        query: &str,
        vector: Option<&[f32]>,
        depth: usize,
    ) -> Result<(Vec<(f32, Record)>, usize), RetrievalError> {
        let by_words = self.corpus.by_words(query, depth)?;
        let Some(vector) = vector else { return Ok((fuse([(1.0, by_words)], self.options.k), 0)) };
        let table = self.table(vector.len())?;
        let (by_meaning, missing) = match &table {
            Some(table) => {
                let nearest = table.nearest(vector, depth, self.options.least_cosine);
                (nearest.map_err(|error| RetrievalError::engine(&self.corpus.inner.index, error))?, table.missing)
            }
            None => (Vec::new(), 0),
        };
        Ok((fuse([(self.options.words, by_words), (1.0, by_meaning)], self.options.k), missing))
    }

    /// The vectors of the index as it is now; nothing when there are none of this model.
    fn table(&self, dimension: usize) -> Result<Option<Arc<VectorTable>>, RetrievalError> {
        let engine = self.corpus.engine()?;
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = table.as_ref().filter(|table| Arc::ptr_eq(&table.engine, &engine)) {
            return Ok(Some(Arc::clone(table)));
        }
        let Some(store) = VectorStore::existing(&self.folder())? else { return Ok(None) };
        let model = self.embedder.id().to_string();
        if store.model()?.is_none_or(|made| made.name != model || made.dimension != dimension) {
            return Ok(None);
        }
        let loaded = Arc::new(VectorTable::load(&self.corpus.inner, engine, &store, dimension)?);
        *table = Some(Arc::clone(&loaded));
        Ok(Some(loaded))
    }

    fn folder(&self) -> PathBuf {
        self.corpus.inner.index.join(FOLDER)
    }
}

/// Scores the first passages anew. They stay before the others.
async fn rerank(reranker: &dyn Reranker, query: &str, fused: &mut [(f32, Record)], most: usize) -> Result<(), String> {
    let count = fused.len().min(most);
    let (first, rest) = fused.split_at_mut(count);
    let texts: Vec<&str> = first.iter().map(|(_, record)| record.passage.text.as_str()).collect();
    let name = reranker.name();
    let scores = reranker.scores(query, &texts).await;
    let scores = scores.map_err(|error| format!("`{name}` did not put the results in order: {error}"))?;
    if scores.len() != first.len() || scores.iter().any(|score| score.is_nan()) {
        return Err(format!("`{name}` did not put the results in order: it gave no score for some"));
    }
    first.iter_mut().zip(scores).for_each(|((score, _), new)| *score = new);
    first.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    // Scores of two kinds: those of the rest must not stand above the last one that was read.
    let least = first.last().map_or(f32::INFINITY, |(score, _)| *score);
    for (score, _) in rest {
        *score = score.min(least);
    }
    Ok(())
}

/// What of a passage its vector is made of.
fn text_of(record: &Record) -> String {
    let mut text = record.title.clone();
    for heading in record.passage.heading.iter().filter(|heading| **heading != record.title) {
        text.push('\n');
        text.push_str(heading);
    }
    text.push('\n');
    text.push_str(&record.passage.text);
    text
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RetrievalError> + Send + 'static,
) -> Result<T, RetrievalError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(RetrievalError::Interrupted { name: LOCAL.to_owned(), reason: error.to_string() }))
}

#[async_trait]
impl Search for HybridCorpus {
    fn engines(&self) -> Vec<String> {
        vec![LOCAL.to_owned()]
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        match self.find(query, &SearchOptions::with_limit(limit)).await {
            Ok((hits, notes)) => {
                let mut answer = SearchAnswer::of(LOCAL, query, hits.into_iter().map(|hit| hit.by(LOCAL)).collect());
                answer.notes = notes;
                answer
            }
            Err(error) => SearchAnswer::failed(LOCAL, query, Fault::of_index(&error)),
        }
    }
}
