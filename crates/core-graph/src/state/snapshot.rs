//! What a node sees.

use std::ops::Deref;
use std::sync::Arc;

/// The state as it stood when a task was dispatched. Cloning it is cheap.
#[derive(Debug)]
pub struct Snapshot<S>(Arc<S>);

impl<S> Snapshot<S> {
    pub(crate) fn new(state: Arc<S>) -> Self {
        Self(state)
    }

    /// The state behind the snapshot, shared.
    pub fn into_inner(self) -> Arc<S> {
        self.0
    }
}

impl<S> Clone for Snapshot<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Deref for Snapshot<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}
