//! What is declared of a node, and its policies.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::NodeError;
use crate::name::{Name, Targets};

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

/// How long one attempt may take. What runs out of time is dropped, and counts as a failed attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timeout {
    /// From dispatch to result.
    #[serde(default)]
    pub attempt: Option<Duration>,
    /// Between two signs of life: [`Context::heartbeat`](crate::Context::heartbeat), an event, a durable step.
    #[serde(default)]
    pub idle: Option<Duration>,
}

/// Policies of the nodes that state none of their own, see [`StateGraph::defaults`](crate::StateGraph::defaults).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeDefaults {
    /// For nodes without [`NodeSpec::retry`].
    pub retry: Option<Retry>,
    /// For nodes without [`NodeSpec::timeout`].
    pub timeout: Option<Timeout>,
    /// For nodes without [`NodeSpec::class`].
    pub class: Option<String>,
}

/// What a node declares, and its policies. Returned by [`StateGraph::add_node`](crate::StateGraph::add_node).
#[derive(Debug, Default)]
pub struct NodeSpec {
    pub(crate) retry: Vec<Retry>,
    pub(crate) timeout: Option<Timeout>,
    pub(crate) class: Option<String>,
    pub(crate) deferred: bool,
    pub(crate) each: bool,
    pub(crate) goto: Vec<Name>,
    pub(crate) sends: Vec<Name>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) writes: Option<Vec<String>>,
}

/// Checks an answer against the declared type.
pub(crate) type AnswerCheck = Arc<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) key: Cow<'static, str>,
    pub(crate) check: AnswerCheck,
}

impl NodeSpec {
    /// Repeats failed attempts. A node may have several policies, for different errors: the first whose
    /// [`when`](Retry::when) accepts an error decides about it. Attempts count together, whichever policy repeated them.
    pub fn retry(&mut self, retry: Retry) -> &mut Self {
        self.retry.push(retry);
        self
    }

    /// Limits how long one attempt may take.
    pub fn timeout(&mut self, timeout: Timeout) -> &mut Self {
        self.timeout = Some(timeout);
        self
    }

    /// Puts the node into a concurrency class, see [`StateGraph::limit`](crate::StateGraph::limit).
    pub fn class(&mut self, class: impl Into<String>) -> &mut Self {
        self.class = Some(class.into());
        self
    }

    /// Runs the node only when nothing else is pending or in flight.
    pub fn deferred(&mut self) -> &mut Self {
        self.deferred = true;
        self
    }

    /// Runs the node once for each predecessor that finishes, instead of once for all that finish together.
    pub fn each(&mut self) -> &mut Self {
        self.each = true;
        self
    }

    /// Declares the nodes that [`Step::goto`](crate::Step::goto) may name; [`END`](crate::END) is declared like any other.
    pub fn may_goto(&mut self, targets: impl Targets) -> &mut Self {
        self.goto.extend(targets.names());
        self
    }

    /// Declares the task nodes that [`Step::send`](crate::Step::send) may send to.
    pub fn may_send(&mut self, targets: impl Targets) -> &mut Self {
        self.sends.extend(targets.names());
        self
    }

    /// Declares a question and the type of its answer. A key may be asked with a suffix: `"section"` declares
    /// `"section/3"` too.
    pub fn asks<A: DeserializeOwned>(&mut self, key: &'static str) -> &mut Self {
        let check = |value: &Value| {
            serde_path_to_error::deserialize::<_, A>(value)
                .map(drop)
                .map_err(|error| format!("at `{}`: {}", error.path(), error.inner()))
        };
        self.asks.push(Ask { key: Cow::Borrowed(key), check: Arc::new(check) });
        self
    }

    /// Declares all fields that the node writes, so that `compile()` can refuse two parallel writers of one field.
    pub fn writes<const N: usize>(&mut self, fields: [&str; N]) -> &mut Self {
        self.writes.get_or_insert_default().extend(fields.map(str::to_owned));
        self
    }
}

impl NodeDefaults {
    /// The same defaults with a retry policy.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// The same defaults with a time limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same defaults with a concurrency class.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.class = Some(class.into());
        self
    }
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

impl Timeout {
    /// A limit from dispatch to result.
    pub fn attempt(limit: Duration) -> Self {
        Self { attempt: Some(limit), idle: None }
    }

    /// Whether there is any limit.
    pub(crate) fn is_set(&self) -> bool {
        self.attempt.is_some() || self.idle.is_some()
    }

    /// A limit between two signs of life.
    pub fn idle(limit: Duration) -> Self {
        Self { attempt: None, idle: Some(limit) }
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
