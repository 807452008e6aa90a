//! The whole example conversation on the embedded model and on real documents, killed between turns and inside them.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod dir;
mod documents;
mod journey;
