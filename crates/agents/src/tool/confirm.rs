//! Asking a person before a call is made.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Risk;

/// Asks somebody whether a call may be made. The time that this takes does not count for the tool's limit.
#[async_trait]
pub trait Confirm: Send + Sync + 'static {
    /// Asks.
    async fn confirm(&self, request: &Confirmation) -> Decision;
}

/// A call that waits to be confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Confirmation {
    /// The tool.
    pub tool: String,
    /// How much it can change.
    pub risk: Risk,
    /// The arguments as they will be given to it.
    pub arguments: Value,
}

/// A person's decision on a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call is made.
    Allow,
    /// The call is not made, and the model is told why.
    Deny {
        /// Why.
        reason: String,
    },
}
