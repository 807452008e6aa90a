//! Reading a conversation into a cache, with as much as possible from an earlier one.

use candle_core::{Result, Tensor};

use super::Engine;
use crate::model::Cache;

/// The conversation is read in steps of this many tokens.
///
/// A sum of floats depends on how the work is cut. Steps always begin at the same positions and only whole ones are kept for
/// later conversations, so an answer does not depend on what was asked before.
pub(super) const STEP: usize = 32;

/// Room for so many tokens of an answer is made with that of the conversation.
const ANSWER: usize = 160;

/// A conversation that was read.
pub(super) struct ReadConversation {
    /// The keys and values of its tokens.
    pub(super) cache: Cache,
    /// The logits after its last token.
    pub(super) logits: Vec<f32>,
    /// How many tokens were not read again.
    pub(super) reused: usize,
}

/// A conversation that is being read, step by step.
pub(super) struct Reading {
    tokens: Vec<u32>,
    cache: Option<Cache>,
    reused: usize,
}

impl Reading {
    /// The reading of `tokens`, which are not empty. Nothing is read yet.
    pub(super) fn of(tokens: Vec<u32>) -> Self {
        Self { tokens, cache: None, reused: 0 }
    }

    /// Reads the next step; before the first, takes what an earlier conversation began with. Returns the conversation after
    /// its last step.
    pub(super) fn step(&mut self, engine: &mut Engine) -> Result<Option<ReadConversation>> {
        let mut cache = match self.cache.take() {
            Some(cache) => cache,
            None => {
                let mut cache = match engine.prefixes.fork(&self.tokens, STEP)? {
                    Some(cache) => cache,
                    None => engine.network.cache()?,
                };
                self.reused = cache.len();
                // Room for the whole conversation and the beginning of an answer, so that it does not move on the way.
                cache.reserve(self.tokens.len() - self.reused + ANSWER)?;
                cache
            }
        };
        let end = self.tokens.len().min(cache.len() + STEP);
        let rows = engine.network.read_tokens(&self.tokens[cache.len()..end], &mut cache)?;
        if end < self.tokens.len() {
            self.cache = Some(cache);
            return Ok(None);
        }
        engine.prefixes.keep(&self.tokens, &cache, STEP);
        let logits = engine.last_logits(&rows)?;
        Ok(Some(ReadConversation { cache, logits, reused: self.reused }))
    }
}

impl Engine {
    /// The logits of the last of some rows.
    pub(super) fn last_logits(&self, rows: &Tensor) -> Result<Vec<f32>> {
        let last = rows.narrow(0, rows.dim(0)? - 1, 1)?;
        self.network.logits(&last)?.squeeze(0)?.to_vec1()
    }
}
