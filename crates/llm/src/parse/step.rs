//! The stages of reading a reply.

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
    /// A byte order mark or thoughts were removed.
    StrippedReasoning {
        /// The number of bytes removed.
        bytes: usize,
    },
    /// The value came from a fenced code block.
    Fence,
    /// The value stood between other text.
    Extracted {
        /// The start of the value, in bytes of the text without reasoning.
        start: usize,
        /// The end of the value.
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
    /// The value was taken out of an object, in which a provider that takes objects only had to send it.
    Unwrapped,
    /// The reply did not fit and the model was asked again.
    AskedAgain {
        /// The faults of the reply.
        errors: Vec<String>,
    },
}
