//! When a conversation is compacted.

use graphloom_llm::{ChatModel, Params};

/// When a conversation is compacted, and how much of it stays as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompactionOptions {
    /// The tokens of the window; those that the model states unless set. Where neither says any, nothing is compacted.
    pub window: Option<u32>,
    /// The share of the window that a conversation may fill; a half unless set.
    pub share: f64,
    /// The share of the window that the newest messages may fill to stay as they are; a quarter unless set.
    pub keep: f64,
    /// Sampling and limits of the calls that summarise.
    pub params: Params,
    /// What the keys of durable steps begin with; the rest is `summary/1` and so on.
    pub key: String,
}

impl Default for CompactionOptions {
    fn default() -> Self {
        Self { window: None, share: 0.5, keep: 0.25, params: Params::default(), key: String::new() }
    }
}

impl CompactionOptions {
    /// The tokens that a share of the window holds.
    fn tokens(&self, model: &dyn ChatModel, share: f64) -> Option<u64> {
        let window = f64::from(self.window.or(model.capabilities().context)?);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a window is small")]
        Some((window * share.clamp(0.0, 1.0)) as u64)
    }

    /// How many tokens a conversation may have.
    pub(crate) fn most(&self, model: &dyn ChatModel) -> Option<u64> {
        self.tokens(model, self.share)
    }

    /// How many tokens the newest messages may have to stay.
    pub(crate) fn kept(&self, model: &dyn ChatModel) -> Option<u64> {
        self.tokens(model, self.keep.min(self.share))
    }
}
