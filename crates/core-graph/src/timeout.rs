//! How long one attempt of a task may take.

use std::time::Duration;

use serde::{Deserialize, Serialize};

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
