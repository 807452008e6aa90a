//! Results of durable steps, in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;

/// Results of durable steps in a namespace, by task and key.
#[derive(Debug, Default)]
pub(crate) struct DurableSteps {
    results: Mutex<Results>,
    used: AtomicBool,
}

impl DurableSteps {
    pub(crate) fn insert(&self, task: Arc<str>, key: Arc<str>, value: Arc<[u8]>) {
        self.used.store(true, Ordering::Relaxed);
        self.lock().entry(task).or_default().insert(key, value);
    }

    pub(crate) fn get(&self, task: &str, key: &str) -> Option<Arc<[u8]>> {
        self.lock().get(task)?.get(key).map(Arc::clone)
    }

    /// All of a task, by key.
    pub(crate) fn of_task(&self, task: &str) -> Vec<(Arc<str>, Arc<[u8]>)> {
        let results = self.lock();
        let of_task = results.get(task).into_iter().flatten();
        of_task.map(|(key, value)| (Arc::clone(key), Arc::clone(value))).collect()
    }

    /// Whether any result was ever kept.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Forgets a task that has committed.
    pub(crate) fn settle(&self, task: &str) {
        self.lock().remove(task);
    }

    fn lock(&self) -> MutexGuard<'_, Results> {
        lock(&self.results)
    }
}

/// By task and key.
type Results = HashMap<Arc<str>, BTreeMap<Arc<str>, Arc<[u8]>>>;
