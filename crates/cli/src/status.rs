//! How a program ends.

use std::error::Error as StdError;
use std::fmt;

use graphloom_core_graph::{Outcome, error_chain};
use graphloom_llm::ModelError;

use crate::CliError;

/// The exit statuses of all applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum ExitStatus {
    /// All work is done.
    Done = 0,
    /// Something failed.
    Failed = 1,
    /// The command line or a file of parameters is wrong.
    Usage = 2,
    /// A question waits for a person; the run is saved.
    Waiting = 3,
    /// A budget is spent; what there is was delivered.
    BudgetSpent = 4,
    /// The user stopped the program; the run can be resumed.
    Interrupted = 130,
}

impl ExitStatus {
    /// The status in one word, as it stands in `--json` results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Waiting => "waiting",
            Self::BudgetSpent => "budget_spent",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<ExitStatus> for std::process::ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

impl<S> From<&Outcome<S>> for ExitStatus {
    fn from(outcome: &Outcome<S>) -> Self {
        match outcome {
            Outcome::Done(_) => Self::Done,
            Outcome::Waiting(_) => Self::Waiting,
            Outcome::BudgetSpent { .. } => Self::BudgetSpent,
            Outcome::Drained { .. } | Outcome::Cancelled { .. } => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}

/// An error that ends a program, with the status it ends with.
///
/// Any [`std::error::Error`] becomes one with `?`. [`CliError`]s that are the user's fault end with status 2, a spent
/// budget with 4, all others with 1.
#[derive(Debug)]
pub struct Failure {
    status: ExitStatus,
    source: Box<dyn StdError + Send + Sync>,
}

impl Failure {
    /// A failure with a status of one's own.
    pub fn new(status: ExitStatus, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { status, source: source.into() }
    }

    /// What the user wrote makes no sense: status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        CliError::usage(message).into()
    }

    /// The status.
    pub fn status(&self) -> ExitStatus {
        self.status
    }

    /// What went wrong, then its causes, from the outside in. A cause that the text before it tells already is left out.
    pub fn messages(&self) -> Vec<String> {
        error_chain(&*self.source)
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &(dyn StdError + 'static) = &error;
        let status = if let Some(error) = any.downcast_ref::<CliError>() {
            error.status()
        } else if let Some(ModelError::Budget { .. }) = any.downcast_ref() {
            ExitStatus::BudgetSpent
        } else {
            ExitStatus::Failed
        };
        Self { status, source: Box::new(error) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages().join("\n  because "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    #[test]
    fn causes_are_told_once() {
        let inner = Layer { text: "disk gone", source: None };
        let middle = Layer { text: "cannot read `a`: disk gone", source: Some(Box::new(inner)) };
        let outer = Layer { text: "the plan is lost", source: Some(Box::new(middle)) };
        let failure = Failure::from(outer);
        assert_eq!(failure.messages(), ["the plan is lost", "cannot read `a`: disk gone"]);
        assert_eq!(failure.status(), ExitStatus::Failed);
    }

    #[test]
    fn faults_of_the_user_and_spent_budgets_have_their_own_status() {
        assert_eq!(Failure::usage("no").status(), ExitStatus::Usage);
        let spent = ModelError::Budget { unit: "calls".into(), limit: "1".into(), used: "1".into() };
        assert_eq!(Failure::from(spent).status(), ExitStatus::BudgetSpent);
        assert_eq!(Failure::from(CliError::NoHome).status(), ExitStatus::Failed);
    }

    #[test]
    fn outcomes_have_statuses() {
        let state = std::sync::Arc::new(());
        for (outcome, status) in [
            (Outcome::Done(std::sync::Arc::clone(&state)), 0),
            (Outcome::Waiting(graphloom_core_graph::Questions::default()), 3),
            (Outcome::BudgetSpent { state: std::sync::Arc::clone(&state), next: vec![] }, 4),
            (Outcome::Drained { state: std::sync::Arc::clone(&state), next: vec![] }, 130),
            (Outcome::Cancelled { state, next: vec![] }, 130),
        ] {
            assert_eq!(ExitStatus::from(&outcome) as u8, status);
        }
    }
}
