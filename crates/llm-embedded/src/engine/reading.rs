//! Reading a conversation into a cache, with as much as possible from an earlier one.

use candle_core::{Result, Tensor};

use super::Engine;
use crate::model::Cache;

/// The conversation is read in steps of this many tokens.
///
/// A sum of floats depends on how the work is cut. Steps always begin at the same positions and only whole ones are kept for
/// later conversations, so an answer does not depend on what was asked before.
pub(super) const STEP: usize = 32;

/// A conversation that was read.
pub(super) struct ReadConversation {
    /// The keys and values of its tokens.
    pub(super) cache: Cache,
    /// The logits after its last token.
    pub(super) logits: Vec<f32>,
    /// How many tokens were not read again.
    pub(super) reused: usize,
}

impl Engine {
    /// Reads `tokens`, which are not empty; `None` when `cancelled` says so.
    pub(super) fn read(&mut self, tokens: &[u32], cancelled: &dyn Fn() -> bool) -> Result<Option<ReadConversation>> {
        let mut cache = match self.prefixes.fork(tokens, STEP)? {
            Some(cache) => cache,
            None => self.network.cache()?,
        };
        let reused = cache.len();
        let mut rows: Option<Tensor> = None;
        for step in tokens[reused..].chunks(STEP) {
            if cancelled() {
                return Ok(None);
            }
            rows = Some(self.network.read_tokens(step, &mut cache)?);
        }
        let Some(rows) = rows else { candle_core::bail!("there is no token to read") };
        self.prefixes.keep(tokens, &cache, STEP)?;
        let logits = self.last_logits(&rows)?;
        Ok(Some(ReadConversation { cache, logits, reused }))
    }

    /// The logits of the last of some rows.
    pub(super) fn last_logits(&self, rows: &Tensor) -> Result<Vec<f32>> {
        let last = rows.narrow(0, rows.dim(0)? - 1, 1)?;
        self.network.logits(&last)?.squeeze(0)?.to_vec1()
    }
}
