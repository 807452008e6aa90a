//! Commits in a recorded order: a finished task waits for its turn.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt;

use crate::executor::run_loop::EndedTasks;
use crate::machine::TaskOutcome;
use crate::tasks::TaskId;

/// The recorded order that is left, and the finished tasks whose turn has not come.
#[derive(Default)]
pub(crate) struct ReplayOrder {
    order: VecDeque<String>,
    left: HashSet<String>,
    held: BTreeMap<String, (TaskId, TaskOutcome)>,
}

impl ReplayOrder {
    pub(crate) fn recorded(order: &[String]) -> Self {
        let mut left = HashSet::new();
        let order = order.iter().filter(|task| left.insert((*task).clone())).cloned().collect();
        Self { order, left, held: BTreeMap::new() }
    }

    /// Whether tasks end as they finish.
    pub(crate) fn is_over(&self) -> bool {
        self.order.is_empty()
    }

    /// Gives a task back whose turn it is, or that was not recorded; keeps any other.
    pub(crate) fn take(&mut self, task: &str, id: TaskId, outcome: TaskOutcome) -> Option<TaskOutcome> {
        if self.order.front().is_some_and(|front| front == task) {
            self.pass();
            return Some(outcome);
        }
        if !self.left.contains(task) {
            return Some(outcome);
        }
        self.held.insert(task.to_owned(), (id, outcome));
        None
    }

    /// A kept task whose turn has come. It is given to [`take`](Self::take) again.
    pub(crate) fn next(&mut self) -> Option<(TaskId, TaskOutcome)> {
        let front = self.order.front()?;
        self.held.remove(front)
    }

    /// Passes over recorded tasks that do not come, up to the first one that is kept.
    pub(crate) fn skip(&mut self) -> EndedTasks {
        if self.held.is_empty() {
            return EndedTasks::new();
        }
        while let Some(front) = self.order.front() {
            if let Some(held) = self.held.remove(front) {
                return EndedTasks::from_iter([held]);
            }
            self.pass();
        }
        self.give_up()
    }

    /// Gives back all that are kept, in no turn.
    pub(crate) fn give_up(&mut self) -> EndedTasks {
        self.order.clear();
        self.left.clear();
        std::mem::take(&mut self.held).into_values().collect()
    }

    fn pass(&mut self) {
        if let Some(task) = self.order.pop_front() {
            self.left.remove(&task);
        }
    }
}

impl fmt::Debug for ReplayOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayOrder").field("order", &self.order).field("held", &self.held.len()).finish()
    }
}
