//! Why a model gave no answer that can be used.

use graphloom_llm::ModelError;

use crate::status::StatusCode;

/// Why a model gave no answer that can be used, after all tries. Its text begins with the code, as that of every
/// cause does.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskFailure {
    /// The model failed (211201). Its layers have already tried again what is worth it.
    #[error("[{code}]{0}", code = StatusCode::Model)]
    Model(ModelError),
    /// It answered nothing each time (211202).
    #[error("[{code}]the model answered nothing, {tries} times", code = StatusCode::ModelEmpty)]
    Empty {
        /// How many answers were read.
        tries: u32,
    },
    /// It answered, and no answer could be used (211000).
    #[error("[{code}]no answer could be used after {tries} tries: {problem}", code = StatusCode::RetriesExhausted)]
    Unusable {
        /// How many answers were read.
        tries: u32,
        /// What was wrong with the last one.
        problem: String,
    },
}

impl AskFailure {
    /// What it comes to when the last of `tries` answers was `last`, and `problem` was wrong with it.
    pub(super) fn after(tries: u32, last: &str, problem: String) -> Self {
        if last.trim().is_empty() { Self::Empty { tries } } else { Self::Unusable { tries, problem } }
    }

    /// The status code of this failure.
    pub fn code(&self) -> StatusCode {
        match self {
            Self::Model(_) => StatusCode::Model,
            Self::Empty { .. } => StatusCode::ModelEmpty,
            Self::Unusable { .. } => StatusCode::RetriesExhausted,
        }
    }

    /// Whether the model answered, so that only its answers are at fault.
    pub fn is_answered(&self) -> bool {
        !matches!(self, Self::Model(_))
    }

    /// Whether the budget of the run refused the call.
    pub fn is_budget(&self) -> bool {
        matches!(self, Self::Model(ModelError::Budget { .. }))
    }
}
