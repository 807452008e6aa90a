//! Making the vectors that are missing.

use std::collections::BTreeSet;
use std::fmt;

use graphloom_llm::EmbeddingPurpose;

use super::codes::Coded;
use super::store::{Key, VectorModel, VectorStore};
use super::table::key_of;
use super::{HybridCorpus, blocking, text_of};
use crate::RetrievalError;
use crate::corpus::lock::WriteLock;

/// What is done with vectors that another model made, which cannot be compared with those of this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtherModel {
    /// They stay, and nothing is made: [`RetrievalError::OtherEmbedder`].
    #[default]
    Refuse,
    /// They are forgotten, and vectors of this model are made in their place.
    Replace,
}

/// What [`HybridCorpus::make_vectors`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VectorReport {
    /// Vectors that were made.
    pub made: usize,
    /// Vectors that were there.
    pub kept: usize,
    /// Vectors of texts that are in no passage any more, or of another model, which are forgotten.
    pub forgotten: usize,
    /// Tokens that the model read.
    pub tokens: u64,
}

impl fmt::Display for VectorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { made, kept, forgotten, .. } = self;
        write!(f, "{} vectors ({made} made, {kept} there before, {forgotten} forgotten)", made + kept)
    }
}

impl HybridCorpus {
    /// Makes the vectors that passages of the index lack. `progress` is told how many are there, of how many. What was made
    /// is stored with each call of the model, so that a stop, or a failure of the model, loses one call at most.
    ///
    /// # Errors
    /// [`NotIndexed`](RetrievalError::NotIndexed) before the first refresh of the corpus,
    /// [`OtherEmbedder`](RetrievalError::OtherEmbedder) for vectors of another model that may not be replaced,
    /// [`Embedding`](RetrievalError::Embedding) when the model fails, [`Locked`](RetrievalError::Locked) when another
    /// process makes them, and failures of the file.
    pub async fn make_vectors(
        &self,
        other: OtherModel,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<VectorReport, RetrievalError> {
        let hybrid = self.clone();
        let Missing { lock: _lock, mut store, made, texts, mut report } =
            blocking(move || hybrid.missing(other)).await?;
        let of = report.kept + texts.len();
        progress(report.kept, of);
        let mut dimension = made.map(|made| made.dimension);
        let mut rest = texts.as_slice();
        let most = self.embedder.limits().texts.max(1);
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(most.min(rest.len()));
            rest = later;
            let texts: Vec<String> = batch.iter().map(|(_, text)| text.clone()).collect();
            let embeddings = self.embedder.embed(&texts, EmbeddingPurpose::Passage).await;
            let embeddings = embeddings.map_err(|source| RetrievalError::Embedding {
                made: report.made,
                of: report.made + batch.len() + rest.len(),
                source: Box::new(source),
            })?;
            let has = embeddings.vectors.first().map_or(0, Vec::len);
            let model = self.embedder.id().to_string();
            let begins = dimension.is_none();
            if *dimension.get_or_insert(has) != has {
                let (stored, asked) = (format!("{model} with {} numbers", dimension.unwrap_or(0)), model);
                return Err(RetrievalError::OtherEmbedder { index: self.folder(), stored, asked });
            }
            let keys = batch.iter().map(|(key, _)| *key);
            let coded: Vec<(Key, Coded)> =
                keys.zip(embeddings.vectors.iter().map(|vector| Coded::of(vector))).collect();
            store = blocking(move || {
                if begins {
                    store.begin(&VectorModel { name: model, dimension: has })?;
                }
                store.add(&coded)?;
                Ok(store)
            })
            .await?;
            report.made += batch.len();
            report.tokens += embeddings.usage.input;
            progress(report.kept + report.made, of);
        }
        *self.table.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
        Ok(report)
    }

    /// Opens the store and finds the texts without a vector, in the order of the index, each once.
    fn missing(&self, other: OtherModel) -> Result<Missing, RetrievalError> {
        let engine = self.corpus.engine()?;
        let folder = self.folder();
        std::fs::create_dir_all(&folder).map_err(|error| RetrievalError::index_file(&folder, &folder, error))?;
        let lock = WriteLock::acquire(&folder, self.corpus.inner.options.lock_wait)?;
        let mut store = VectorStore::open(&folder)?;
        let mut report = VectorReport::default();
        let asked = self.embedder.id().to_string();
        let is_other = |made: &VectorModel| {
            made.name != asked || self.embedder.dimension().is_some_and(|dimension| dimension != made.dimension)
        };
        let mut made = store.model()?;
        if let Some(found) = made.take_if(|made| is_other(made)) {
            if other == OtherModel::Refuse {
                return Err(RetrievalError::OtherEmbedder { index: folder, stored: found.name, asked });
            }
            report.forgotten = store.keep(&BTreeSet::new())?;
        }
        let mut texts: Vec<(Key, String)> = Vec::new();
        let mut wanted: BTreeSet<Key> = BTreeSet::new();
        let mut take = |text: String| {
            let key = key_of(&text);
            if wanted.insert(key) {
                texts.push((key, text));
            }
        };
        engine
            .each_record(|_, record| take(text_of(&record)))
            .map_err(|error| RetrievalError::engine(&self.corpus.inner.index, error))?;
        let mut there: BTreeSet<Key> = BTreeSet::new();
        if let Some(made) = &made {
            report.forgotten += store.keep(&wanted)?;
            store.each(made.dimension, |key, _| {
                there.insert(key);
            })?;
        }
        texts.retain(|(key, _)| !there.contains(key));
        report.kept = there.len();
        Ok(Missing { lock, store, made, texts, report })
    }
}

/// What is left to make.
struct Missing {
    lock: WriteLock,
    store: VectorStore,
    /// Whose vectors the store holds, where it holds any.
    made: Option<VectorModel>,
    texts: Vec<(Key, String)>,
    report: VectorReport,
}
