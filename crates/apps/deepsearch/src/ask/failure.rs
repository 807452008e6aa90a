//! Why a model gave no answer that can be used.

use graphloom_llm::ModelError;

/// Why a model gave no answer that can be used, after all tries.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskFailure {
    /// The model failed. Its layers have already tried again what is worth it.
    #[error("{0}")]
    Model(ModelError),
    /// It answered, and no answer could be used.
    #[error("no answer could be used after {tries} tries: {problem}")]
    Unusable {
        /// How many answers were read.
        tries: u32,
        /// What was wrong with the last one.
        problem: String,
    },
}

impl AskFailure {
    /// Whether the budget of the run refused the call.
    pub fn is_budget(&self) -> bool {
        matches!(self, Self::Model(ModelError::Budget { .. }))
    }
}
