//! Policies of described nodes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timeout::Timeout;
use crate::topology::Retry;

/// A [`Retry`] of every error that may be mended. What is not stated is as in [`Retry::exponential`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RetryDescription {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// Milliseconds before the second attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_ms: Option<u64>,
    /// By how much each wait is longer than the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The longest wait in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<u64>,
    /// The share of a wait that varies, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<f64>,
}

/// A [`Timeout`] in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TimeoutDescription {
    /// From dispatch to result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt_ms: Option<u64>,
    /// Between two signs of life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
}

impl From<&RetryDescription> for Retry {
    fn from(description: &RetryDescription) -> Self {
        let default = Self::exponential(description.attempts);
        Self {
            initial: description.initial_ms.map_or(default.initial, Duration::from_millis),
            factor: description.factor.unwrap_or(default.factor),
            max: description.max_ms.map_or(default.max, Duration::from_millis),
            jitter: description.jitter.unwrap_or(default.jitter),
            ..default
        }
    }
}

impl From<&TimeoutDescription> for Timeout {
    fn from(description: &TimeoutDescription) -> Self {
        Self {
            attempt: description.attempt_ms.map(Duration::from_millis),
            idle: description.idle_ms.map(Duration::from_millis),
        }
    }
}
