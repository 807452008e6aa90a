//! How many tasks are in flight beside others: in a namespace, and in its run.

use std::sync::Arc;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// The number of tasks of a namespace that are in flight beside others. Where the run has a store the tasks are counted in
/// the run's number too: whoever commits learns from it whether others may want to share the transaction.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    tasks: usize,
    of_run: Option<Arc<AtomicUsize>>,
}

impl InFlight {
    pub(crate) fn of_run(of_run: Option<&Arc<AtomicUsize>>) -> Self {
        Self { tasks: 0, of_run: of_run.map(Arc::clone) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tasks == 0
    }

    pub(crate) fn add(&mut self, tasks: usize) {
        self.tasks += tasks;
        if let Some(of_run) = &self.of_run {
            of_run.fetch_add(tasks, Ordering::Relaxed);
        }
    }

    pub(crate) fn remove(&mut self, tasks: usize) {
        let removed = tasks.min(self.tasks);
        self.tasks -= removed;
        if let Some(of_run) = &self.of_run {
            of_run.fetch_sub(removed, Ordering::Relaxed);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.remove(self.tasks);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.clear();
    }
}
