//! How many tasks are in flight beside others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The tasks of a namespace that are in flight beside others. They are counted among those of the run, too, when it has a
/// store: whoever commits learns from that whether others may want to commit with it.
#[derive(Debug, Default)]
pub(super) struct Aloft {
    tasks: usize,
    of_run: Option<Arc<AtomicUsize>>,
}

impl Aloft {
    pub(super) fn of_run(of_run: Option<&Arc<AtomicUsize>>) -> Self {
        Self { tasks: 0, of_run: of_run.map(Arc::clone) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tasks == 0
    }

    pub(super) fn rise(&mut self, tasks: usize) {
        self.tasks += tasks;
        if let Some(of_run) = &self.of_run {
            of_run.fetch_add(tasks, Ordering::Relaxed);
        }
    }

    pub(super) fn land(&mut self, tasks: usize) {
        let landed = tasks.min(self.tasks);
        self.tasks -= landed;
        if let Some(of_run) = &self.of_run {
            of_run.fetch_sub(landed, Ordering::Relaxed);
        }
    }

    pub(super) fn land_all(&mut self) {
        self.land(self.tasks);
    }
}

impl Drop for Aloft {
    fn drop(&mut self) {
        self.land_all();
    }
}
