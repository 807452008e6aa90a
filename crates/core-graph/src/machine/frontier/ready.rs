//! The tasks that are ready to be dispatched, in the order of their ids.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::tasks::TaskId;

/// Ready tasks, apart by concurrency class: the tasks of a class that is full hold up nobody who looks for others.
#[derive(Debug)]
pub(crate) struct Ready {
    /// Those of no class, then those of each class.
    queues: SmallVec<[VecDeque<TaskId>; 1]>,
    /// Per node, the class; none where the graph has no classes.
    classes: Option<Arc<[Option<u32>]>>,
    len: usize,
}

/// Where a search for ready tasks has come to in each queue.
pub(crate) struct Search(SmallVec<[usize; 4]>);

impl Ready {
    pub(super) fn new(classes: Option<&Arc<[Option<u32>]>>, limits: usize) -> Self {
        Self { queues: smallvec![VecDeque::new(); limits + 1], classes: classes.map(Arc::clone), len: 0 }
    }

    fn queue(&mut self, node: u32) -> &mut VecDeque<TaskId> {
        let class = self.classes.as_ref().and_then(|classes| *classes.get(node as usize)?);
        let at = class.map_or(0, |class| class as usize + 1);
        &mut self.queues[at]
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Makes room for tasks of no class.
    pub(super) fn reserve(&mut self, tasks: usize) {
        if self.classes.is_none() {
            self.queues[0].reserve(tasks);
        }
    }

    /// Adds a task whose id is greater than all others.
    pub(super) fn push(&mut self, id: TaskId, node: u32) {
        self.queue(node).push_back(id);
        self.len += 1;
    }

    /// Adds a task at its place.
    pub(super) fn insert(&mut self, id: TaskId, node: u32) {
        let queue = self.queue(node);
        let at = queue.partition_point(|other| *other < id);
        queue.insert(at, id);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, id: TaskId, node: u32) {
        let queue = self.queue(node);
        if let Ok(at) = queue.binary_search(&id) {
            queue.remove(at);
            self.len -= 1;
        }
    }

    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.len = 0;
    }

    /// Begins a search for ready tasks.
    pub(super) fn search(&self) -> Search {
        Search(smallvec![0; self.queues.len()])
    }

    /// The next task in the order of ids, of those whose class is free.
    pub(super) fn next(&self, search: &Search, is_free: impl Fn(usize) -> bool) -> Option<Found> {
        let free = self.queues.iter().enumerate().filter(|(at, _)| *at == 0 || is_free(at - 1));
        let found = free.filter_map(|(queue, tasks)| Some(Found { id: *tasks.get(search.0[queue])?, queue }));
        found.min_by_key(|found| found.id)
    }

    /// Takes a task out that was found.
    pub(super) fn take(&mut self, search: &Search, found: &Found) {
        let at = search.0[found.queue];
        if at == 0 {
            self.queues[found.queue].pop_front();
        } else {
            self.queues[found.queue].remove(at);
        }
        self.len -= 1;
    }
}

/// A task that a search came to.
pub(crate) struct Found {
    pub(super) id: TaskId,
    queue: usize,
}

impl Search {
    /// Leaves a task where it is.
    pub(super) fn pass(&mut self, found: &Found) {
        self.0[found.queue] += 1;
    }
}
