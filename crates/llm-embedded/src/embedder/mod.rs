//! The embedding model inside the process: `all-MiniLM-L6-v2`.

mod network;
#[cfg(test)]
mod reference_tests;
mod windows;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use graphloom_llm::{Embedder, EmbedderLimits, EmbeddingPurpose, Embeddings, ModelError, ModelId, Usage};

use crate::EmbeddedError;
use crate::weights::{self, ALL_MINILM_L6_V2, KnownModel};
use network::Network;
use windows::{WINDOW, Windows};

/// The most texts of a call: a call is what a stop may lose.
const TEXTS: usize = 32;

/// Windows of about this many tokens in all are computed at once.
const TOKENS_AT_ONCE: usize = 4096;

/// `all-MiniLM-L6-v2` inside this process: vectors of 384 numbers, made of English text first of all.
///
/// A text is read in windows of 256 tokens, as the model was tuned with; the vector is the mean over all tokens of all
/// windows, brought to length one. For a text of one window this is what the model's authors compute. What follows after 16
/// windows does not count. The same text gets the same vector on the same machine, whatever texts it is given with.
///
/// A clone is another handle of the same model. Calls run on tokio's threads for blocking work.
#[derive(Clone)]
pub struct MiniLm {
    inner: Arc<Inner>,
}

struct Inner {
    id: ModelId,
    windows: Windows,
    network: Network,
}

impl std::fmt::Debug for MiniLm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MiniLm").field(&self.inner.id).finish()
    }
}

impl MiniLm {
    /// Loads the model whose files were fetched into `dir`. This takes less than a second and blocks.
    ///
    /// # Errors
    /// [`EmbeddedError::Missing`] when a file was not fetched, the errors of [`weights::locate`], and
    /// [`EmbeddedError::Network`] for files that do not fit together.
    pub fn open(dir: &Path) -> Result<Self, EmbeddedError> {
        let located = |model: &KnownModel| match weights::locate(model, dir)? {
            Some(path) => Ok(path),
            None => Err(EmbeddedError::Missing { model: model.name.to_owned(), path: weights::path(model, dir) }),
        };
        let network = located(&ALL_MINILM_L6_V2)?;
        let needed = ALL_MINILM_L6_V2.needs.iter().map(located).collect::<Result<Vec<_>, _>>()?;
        let [tokenizer] = needed.as_slice() else {
            let message = "its tokenizer is not known".to_owned();
            return Err(EmbeddedError::Network { path: network, message });
        };
        Self::load(&network, tokenizer)
    }

    /// Loads the model from its two files.
    ///
    /// # Errors
    /// [`EmbeddedError::Io`] for a file that cannot be read, [`EmbeddedError::Network`] for one that is not the model's.
    pub fn load(network: &Path, tokenizer: &Path) -> Result<Self, EmbeddedError> {
        let id = ModelId::new("embedded", ALL_MINILM_L6_V2.name);
        let inner = Inner { id, windows: Windows::load(tokenizer)?, network: Network::load(network)? };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The vector of each text and the tokens read. It blocks, and ends early, with nothing, once `is_unwanted`.
    fn vectors(&self, texts: &[String], is_unwanted: &AtomicBool) -> candle_core::Result<(Vec<Vec<f32>>, u64)> {
        let Inner { windows, network, .. } = &*self.inner;
        // (text, its window), the shortest first, so that little is computed for padding.
        let mut all: Vec<(usize, Vec<u32>)> = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            all.extend(windows.of(text).map_err(candle_core::Error::Msg)?.into_iter().map(|window| (number, window)));
        }
        all.sort_by_key(|(_, window)| window.len());
        let mut sums = vec![vec![0_f64; Network::DIMENSION]; texts.len()];
        let mut counts = vec![0_u64; texts.len()];
        let mut rest = all.as_slice();
        while let Some((_, first)) = rest.first() {
            if is_unwanted.load(Ordering::Relaxed) {
                return Ok(Default::default());
            }
            // Windows of one length have no padding and share a batch, so that company changes no vector.
            let same = rest.iter().take_while(|(_, window)| window.len() == first.len()).count();
            let (batch, later) = rest.split_at(same.min((TOKENS_AT_ONCE / first.len()).max(1)));
            rest = later;
            let windows: Vec<&[u32]> = batch.iter().map(|(_, window)| window.as_slice()).collect();
            for ((number, window), sum) in batch.iter().zip(network.sums(&windows)?) {
                sums[*number].iter_mut().zip(sum).for_each(|(whole, part)| *whole += f64::from(part));
                counts[*number] += window.len() as u64;
            }
        }
        let means = sums.into_iter().zip(&counts).map(|(sum, count)| {
            let count = (*count).max(1) as f64;
            sum.into_iter().map(|value| (value / count) as f32).collect()
        });
        Ok((means.collect(), counts.iter().sum()))
    }

    fn internal(&self, message: impl std::fmt::Display) -> ModelError {
        ModelError::Internal { model: self.inner.id.to_string(), message: message.to_string() }
    }
}

/// Says to a call that runs elsewhere that nobody waits for it any more.
struct Unwanted(Arc<AtomicBool>);

impl Drop for Unwanted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Embedder for MiniLm {
    fn id(&self) -> &ModelId {
        &self.inner.id
    }

    fn dimension(&self) -> Option<usize> {
        Some(Network::DIMENSION)
    }

    fn limits(&self) -> EmbedderLimits {
        EmbedderLimits::new(TEXTS, u32::try_from(WINDOW).ok())
    }

    async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Embeddings, ModelError> {
        let unwanted = Arc::new(AtomicBool::new(false));
        let _guard = Unwanted(Arc::clone(&unwanted));
        let (model, texts, count) = (self.clone(), texts.to_vec(), texts.len());
        let made = tokio::task::spawn_blocking(move || model.vectors(&texts, &unwanted)).await;
        let (vectors, input) = made.map_err(|error| self.internal(error))?.map_err(|error| self.internal(error))?;
        Embeddings::checked(&self.inner.id, count, vectors, Usage { input, ..Usage::default() })
    }
}
