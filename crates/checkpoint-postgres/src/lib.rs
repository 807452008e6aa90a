//! A store.
