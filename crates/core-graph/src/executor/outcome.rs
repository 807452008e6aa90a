//! How a run ended.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::error::RunError;
use crate::questions::Questions;
use crate::state::AnyState;

/// How a run ended, when it did not fail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome<S> {
    /// All work is done.
    Done(Arc<S>),
    /// These questions wait for answers.
    Waiting(Questions),
    /// The budget of tasks is spent.
    BudgetSpent {
        /// The state so far.
        state: Arc<S>,
        /// The nodes that are next.
        next: Vec<String>,
    },
    /// The run was drained.
    Drained {
        /// The state so far.
        state: Arc<S>,
        /// The nodes that are next.
        next: Vec<String>,
    },
    /// The run was cancelled.
    Cancelled {
        /// The state so far.
        state: Arc<S>,
        /// The nodes that are next.
        next: Vec<String>,
    },
}

impl<S> Outcome<S> {
    /// The state of a run that is done.
    ///
    /// # Errors
    /// The outcome itself, when the run is not done; it tells what is missing.
    pub fn done(self) -> Result<Arc<S>, Self> {
        match self {
            Self::Done(state) => Ok(state),
            other => Err(other),
        }
    }
}

/// How a run ended, with a state of any type: what is awaited and stored is compiled once so, and not again for each state.
#[derive(Debug)]
pub(crate) struct RunEnd {
    pub(crate) state: AnyState,
    pub(crate) how: EndedBy,
}

/// What a run ended by.
#[derive(Debug)]
pub(crate) enum EndedBy {
    Done,
    Waiting(Questions),
    /// These have the nodes that are next.
    BudgetSpent(Vec<String>),
    Drained(Vec<String>),
    Cancelled(Vec<String>),
}

impl RunEnd {
    /// The outcome of a run over this type of state.
    pub(crate) fn outcome<S: Send + Sync + 'static>(self) -> Result<Outcome<S>, RunError> {
        let Ok(state) = self.state.downcast() else {
            return Err(RunError::Internal("the run ended with a state of another type".to_owned()));
        };
        Ok(match self.how {
            EndedBy::Done => Outcome::Done(state),
            EndedBy::Waiting(questions) => Outcome::Waiting(questions),
            EndedBy::BudgetSpent(next) => Outcome::BudgetSpent { state, next },
            EndedBy::Drained(next) => Outcome::Drained { state, next },
            EndedBy::Cancelled(next) => Outcome::Cancelled { state, next },
        })
    }
}

impl<S> fmt::Display for Outcome<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, next, how) = match self {
            Self::Done(_) => return f.write_str("the run is done"),
            Self::Waiting(questions) => {
                let keys: Vec<_> = questions.iter().map(|question| format!("`{}`", question.key)).collect();
                return write!(f, "the run waits for answers to {}; resume it with them", keys.join(", "));
            }
            Self::BudgetSpent { next, .. } => ("has spent its budget", next, "continue it with a larger one"),
            Self::Drained { next, .. } => ("was drained", next, "continue it"),
            Self::Cancelled { next, .. } => ("was cancelled", next, "continue it"),
        };
        write!(f, "the run {what} before {}; {how}", next.join(", "))
    }
}

/// An outcome that is not [`Done`](Outcome::Done) is an error to whoever needs the whole result.
impl<S: fmt::Debug> Error for Outcome<S> {}
