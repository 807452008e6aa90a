//! PocketFlow.
