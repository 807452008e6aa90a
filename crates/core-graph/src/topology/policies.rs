//! When finished tasks are committed, how failed attempts are repeated, and which questions a node asks.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::NodeError;
use crate::tasks::AnswerCheck;

/// When finished tasks are committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// All tasks of a super-step commit together, in a fixed order: nodes by name, then sends by key.
    #[default]
    Barrier,
    /// Each finished task commits as a super-step of its own and starts what it triggers at once.
    Eager,
}

/// How often and when a failed attempt is repeated.
#[derive(Clone)]
#[non_exhaustive]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// The wait before the second attempt.
    pub initial: Duration,
    /// By how much each wait is longer than the one before.
    pub factor: f64,
    /// The longest wait. An error that [asks for a longer one](NodeError::after) is not tried again.
    pub max: Duration,
    /// The share of a wait that varies, from 0 to 1. The variation is a function of thread, task and attempt: threads
    /// that fail together do not come back together, and a run that is repeated waits as long as before.
    pub jitter: f64,
    /// Which errors are worth another attempt.
    pub when: Arc<dyn Fn(&NodeError) -> bool + Send + Sync>,
}

/// A question that a node declares.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) key: Cow<'static, str>,
    pub(crate) check: AnswerCheck,
}

impl Retry {
    /// `attempts` in all, waiting 0.5 s, then twice as long each time up to 128 s, a quarter of it varying, for every
    /// error that [`NodeError::is_retryable`] calls so.
    pub fn exponential(attempts: u32) -> Self {
        Self {
            attempts,
            initial: Duration::from_millis(500),
            factor: 2.0,
            max: Duration::from_secs(128),
            jitter: 0.25,
            when: Arc::new(NodeError::is_retryable),
        }
    }

    /// `attempts` in all, without a wait.
    pub fn immediate(attempts: u32) -> Self {
        Self { initial: Duration::ZERO, ..Self::exponential(attempts) }
    }

    /// The same policy with another first wait.
    #[must_use]
    pub fn after(mut self, initial: Duration) -> Self {
        self.initial = initial;
        self
    }

    /// The same policy for errors that `when` accepts.
    #[must_use]
    pub fn when(mut self, when: impl Fn(&NodeError) -> bool + Send + Sync + 'static) -> Self {
        self.when = Arc::new(when);
        self
    }

    /// The wait before attempt `failed + 1`, varied by `seed`. An error that asks for a wait gets that, and up to the
    /// varying share of it more; `None` where it asks for more than the policy's longest.
    pub(crate) fn delay(&self, failed: u32, seed: u64, asked: Option<Duration>) -> Option<Duration> {
        let share = (seed % 1024) as f64 / 1024.0 * self.jitter.clamp(0.0, 1.0);
        if let Some(asked) = asked {
            return (asked <= self.max).then(|| asked.saturating_add(asked.mul_f64(share)));
        }
        let exponent = i32::try_from(failed.saturating_sub(1)).unwrap_or(i32::MAX);
        let full = self.initial.as_secs_f64() * self.factor.powi(exponent);
        let capped = full.min(self.max.as_secs_f64());
        Some(Duration::try_from_secs_f64(capped * (1.0 - share)).unwrap_or(self.max))
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("attempts", &self.attempts)
            .field("initial", &self.initial)
            .field("factor", &self.factor)
            .field("max", &self.max)
            .field("jitter", &self.jitter)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ask").field(&self.key).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_the_limit() {
        let retry = Retry { jitter: 0.0, max: Duration::from_secs(3), ..Retry::exponential(9) };
        let waits: Vec<_> = (1..5).map(|failed| retry.delay(failed, 7, None).unwrap().as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 3000]);
        assert!(Retry::exponential(3).delay(1, 1023, None).unwrap() < Duration::from_millis(500));
        assert_eq!(retry.delay(u32::MAX, 0, None), Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_wait_that_an_error_asks_for_is_never_shortened() {
        let retry = Retry::exponential(3);
        let asked = Duration::from_secs(8);
        for seed in [0, 500, 1023] {
            let waits = retry.delay(1, seed, Some(asked)).unwrap();
            assert!(asked <= waits && waits <= Duration::from_secs(10), "{waits:?}");
        }
        assert_eq!(retry.delay(1, 0, Some(Duration::from_secs(129))), None, "longer than the longest wait");
        assert_eq!(retry.delay(1, 0, Some(Duration::MAX)), None);
    }
}
