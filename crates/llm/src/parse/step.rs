//! What was done to a reply while it was read.

use serde::{Deserialize, Serialize};

use super::coerce::Coercion;
use super::repair::Repair;

/// One stage that a reply needed before it could be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParseStep {
    /// The whole text was JSON.
    Strict,
    /// A byte order mark or reasoning in `<think>` tags was taken away.
    StrippedReasoning {
        /// Bytes taken away.
        bytes: usize,
    },
    /// The value came from a fenced code block.
    Fence,
    /// The value came from amid other text.
    Extracted {
        /// Where it starts, in bytes of the text without reasoning.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// The value was not JSON and was repaired.
    Repaired {
        /// The repairs, in order.
        repairs: Vec<Repair>,
    },
    /// Values were changed to the type that the schema asks for.
    Coerced {
        /// The changes.
        changes: Vec<Coercion>,
    },
    /// The value was taken out of the object that carried it to a provider which takes objects only.
    Unwrapped,
    /// The reply did not fit and the model was asked again.
    AskedAgain {
        /// What was wrong with the reply.
        errors: Vec<String>,
    },
}
