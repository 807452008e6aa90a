//! The budget of a run, shared by its namespaces.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts every task once, however often it is dispatched.
#[derive(Debug, Default)]
pub(crate) struct Budget(Mutex<Spent>);

#[derive(Debug, Default)]
struct Spent {
    tasks: u64,
    /// Tasks that are counted and not committed.
    open: HashSet<Arc<str>>,
    /// Namespaces whose earlier tasks are counted.
    namespaces: HashSet<Arc<str>>,
}

impl Budget {
    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what a namespace had executed, and has under way, before this run of the program; once per namespace.
    pub(crate) fn count_earlier(&self, ns: &Arc<str>, executed: u64, open: Vec<Arc<str>>) {
        let mut spent = self.lock();
        if spent.namespaces.insert(Arc::clone(ns)) {
            spent.tasks += executed;
            for task in open {
                spent.tasks += u64::from(spent.open.insert(task));
            }
        }
    }

    /// Counts a task that is under way, unless it is counted.
    pub(crate) fn count_open(&self, task: &Arc<str>) {
        let mut spent = self.lock();
        if spent.open.insert(Arc::clone(task)) {
            spent.tasks += 1;
        }
    }

    /// How many more tasks fit under `budget`.
    pub(crate) fn room(&self, budget: u64) -> u64 {
        budget.saturating_sub(self.lock().tasks)
    }

    /// Whether the task is counted.
    pub(crate) fn has(&self, task: &str) -> bool {
        self.lock().open.contains(task)
    }

    /// Counts `tasks`, all or none; those that are counted already are free.
    pub(crate) fn reserve(&self, budget: u64, tasks: &[Arc<str>]) -> bool {
        let mut spent = self.lock();
        let new = tasks.iter().filter(|task| !spent.open.contains(*task)).count() as u64;
        if spent.tasks + new > budget {
            return false;
        }
        spent.tasks += new;
        spent.open.extend(tasks.iter().map(Arc::clone));
        true
    }

    /// Counts a task that has no name yet, if there is room for it.
    pub(crate) fn take_one(&self, budget: u64) -> bool {
        let mut spent = self.lock();
        let has_room = spent.tasks < budget;
        spent.tasks += u64::from(has_room);
        has_room
    }

    /// Takes back that a task without a name is counted.
    pub(crate) fn give_one_back(&self) {
        let mut spent = self.lock();
        spent.tasks = spent.tasks.saturating_sub(1);
    }

    /// Names a task that is counted: it is not counted again.
    pub(crate) fn name(&self, task: Arc<str>) {
        self.lock().open.insert(task);
    }

    /// A counted task has committed.
    pub(crate) fn settle(&self, task: &str) {
        self.lock().open.remove(task);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_counted_once_and_a_step_whole_or_not_at_all() {
        let budget = Budget::default();
        let [a, b, c]: [Arc<str>; 3] = ["a".into(), "b".into(), "c".into()];
        budget.count_earlier(&"".into(), 2, vec![Arc::clone(&a)]);
        budget.count_earlier(&"".into(), 2, vec![Arc::clone(&a)]);
        assert_eq!(budget.room(5), 2);
        assert!(budget.reserve(5, &[Arc::clone(&a), Arc::clone(&b)]), "`a` is counted already");
        assert!(!budget.reserve(5, &[Arc::clone(&b), c, "d".into()]));
        assert_eq!(budget.room(5), 1, "nothing of a refused step is counted");
        budget.settle("a");
        assert!(!budget.has("a") && budget.has("b"));
        assert_eq!(budget.room(5), 1);
    }
}
