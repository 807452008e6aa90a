//! Tasks that run beside others: workers, and the queue of what has ended.
//!
//! As many workers as the runtime has threads take the tasks of a dispatch and poll each once. A node that only computes
//! uses all cores that way, and a node that is ready at once never becomes a task of the runtime.
//!
//! Invariants:
//!
//! 1. A task that waits after its first poll becomes a task of the runtime at once. It may be next in the queue for a
//!    lock that the driver asks for, too, and must not wait for the driver.
//! 2. Every task that [`Workers::begin`] counts comes to the completion queue once, or is counted out by
//!    [`Workers::ended`] or [`Workers::abort`].
//! 3. The driver takes the whole queue under its lock. The worker that finds the queue empty wakes the driver after it
//!    has released the lock, and the wake-up is kept when nobody waits yet: none is lost.
//! 4. [`Workers::release`] closes the queue under its lock, so that no worker starts a task of the runtime afterwards.
//!    Those tasks hold the queue, and with it themselves: the drop of the workers must stop them.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::task::{Context as PollContext, Poll};

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::executor::attempt::{Attempt, judge};
use crate::executor::in_flight::InFlight;
use crate::executor::run_loop::EndedTasks;
use crate::executor::task_start::{Call, DispatchStart, FirstPoll};
use crate::lock::lock;
use crate::machine::{Dispatch, TaskOutcome};
use crate::state::State;
use crate::tasks::TaskId;

/// A worker yields to other tasks of the runtime after this many first polls.
const POLLS_PER_TURN: usize = 128;

/// The tasks of a namespace that run beside others.
pub(crate) struct Workers {
    /// Made for the first such task: most namespaces run one task after the other.
    pool: Option<Pool>,
    /// Counts tasks that were dispatched beside others and have not been taken out of the completion queue.
    in_flight: InFlight,
}

/// The workers, and the queue of what has ended.
struct Pool {
    workers: JoinSet<()>,
    completions: Arc<Completions>,
}

/// The completion queue, and its wake-up.
struct Completions {
    queue: Mutex<CompletionQueue>,
    changed: Notify,
}

struct CompletionQueue {
    ended: EndedTasks,
    /// Tasks of the runtime: those that were not ready at their first poll.
    late: JoinSet<()>,
    /// Nothing more is to be started.
    closed: bool,
}

impl Workers {
    /// Returns workers without tasks. Tasks are counted in `of_run` too, if it is given.
    pub(crate) fn new(of_run: Option<&Arc<AtomicUsize>>) -> Self {
        Self { pool: None, in_flight: InFlight::of_run(of_run) }
    }

    fn pool(&mut self) -> &mut Pool {
        self.pool.get_or_insert_with(|| {
            let queue = Mutex::new(CompletionQueue { ended: EndedTasks::new(), late: JoinSet::new(), closed: false });
            Pool { workers: JoinSet::new(), completions: Arc::new(Completions { queue, changed: Notify::new() }) }
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Counts tasks that are about to start.
    pub(crate) fn begin(&mut self, tasks: usize) {
        self.in_flight.add(tasks);
    }

    /// Counts out tasks that are not to start after all.
    pub(crate) fn ended(&mut self, tasks: usize) {
        self.in_flight.remove(tasks);
    }

    /// Shares the tasks of one dispatch out among workers.
    pub(crate) fn start<S: State, Cx: Send + Sync + 'static>(
        &mut self,
        tasks: VecDeque<Dispatch<S>>,
        start: &DispatchStart<'_, S, Cx>,
    ) {
        let workers = tasks.len().min(Handle::current().metrics().num_workers());
        let tasks = Arc::new(Mutex::new(tasks));
        let pool = self.pool();
        for _ in 0..workers {
            let (tasks, completions) = (Arc::clone(&tasks), Arc::clone(&pool.completions));
            let (runtime, namespace, step) = (start.runtime.clone(), Arc::clone(start.namespace), start.step);
            pool.start(Box::pin(async move {
                let start = DispatchStart { runtime: &runtime, namespace: &namespace, step };
                while poll_fn(|context| Poll::Ready(completions.work(&tasks, &start, context))).await {
                    tokio::task::yield_now().await;
                }
            }));
        }
    }

    /// Starts a task when a schedule says that it is the task's turn.
    pub(crate) fn start_in_turn<S: State, Cx: Send + Sync + 'static>(
        &mut self,
        turn: impl Future<Output = ()> + Send + 'static,
        id: TaskId,
        attempt: Attempt<S, Call<S, Cx>>,
    ) {
        let pool = self.pool();
        let completions = Arc::clone(&pool.completions);
        pool.start(Box::pin(async move {
            turn.await;
            let outcome = attempt.finish().await;
            completions.push(id, outcome);
        }));
    }

    /// Waits until tasks have ended, and returns them. Dropping the wait loses none.
    pub(crate) async fn next(&mut self) -> EndedTasks {
        loop {
            let pool = self.pool();
            let ended = pool.completions.take();
            if !ended.is_empty() {
                while pool.workers.try_join_next().is_some() {}
                self.in_flight.remove(ended.len());
                return ended;
            }
            pool.completions.changed.notified().await;
        }
    }

    /// Stops everything, and returns what had ended before.
    pub(crate) async fn abort(&mut self) -> EndedTasks {
        self.in_flight.clear();
        let Some(pool) = &mut self.pool else { return EndedTasks::new() };
        pool.workers.abort_all();
        while pool.workers.join_next().await.is_some() {}
        // No worker is left that starts any.
        let mut late = std::mem::take(&mut lock(&pool.completions.queue).late);
        late.abort_all();
        while late.join_next().await.is_some() {}
        pool.completions.take()
    }
}

impl Workers {
    /// Asks everything to stop, without a wait.
    pub(crate) fn release(&mut self) {
        let Some(pool) = &mut self.pool else { return };
        pool.workers.abort_all();
        let mut queue = lock(&pool.completions.queue);
        queue.closed = true;
        queue.late.abort_all();
    }
}

/// See invariant 4.
impl Drop for Workers {
    fn drop(&mut self) {
        self.release();
    }
}

impl Pool {
    /// Starts a worker. Its future is boxed, so that the runtime's part of a task is compiled once.
    fn start(&mut self, worker: BoxFuture<'static, ()>) {
        self.workers.spawn(worker);
    }
}

impl Completions {
    /// Starts tasks until the worker is to yield. Returns whether some may be left.
    fn work<S: State, Cx: Send + Sync + 'static>(
        self: &Arc<Self>,
        tasks: &Mutex<VecDeque<Dispatch<S>>>,
        start: &DispatchStart<'_, S, Cx>,
        context: &mut PollContext<'_>,
    ) -> bool {
        let mut spare = None;
        for _ in 0..POLLS_PER_TURN {
            let Some(task) = next_of(tasks).filter(|_| !start.namespace.session.control.is_cancelled()) else {
                return false;
            };
            let id = task.id;
            match start.start(task, &mut spare).start_node(context) {
                FirstPoll::Ended(result, services) => {
                    self.push(id, judge(result, services.as_deref()));
                    spare = services;
                }
                FirstPoll::Runs(attempt) => self.spawn_waiting(id, attempt),
            }
        }
        true
    }

    fn push(&self, id: TaskId, outcome: TaskOutcome) {
        let mut queue = lock(&self.queue);
        let first = queue.ended.is_empty();
        queue.ended.push((id, outcome));
        drop(queue);
        if first {
            self.changed.notify_one();
        }
    }

    /// Makes a task of the runtime of an attempt that waits.
    fn spawn_waiting<S: State, Cx: Send + Sync + 'static>(
        self: &Arc<Self>,
        id: TaskId,
        attempt: Attempt<S, Call<S, Cx>>,
    ) {
        let completions = Arc::clone(self);
        let finish = async move {
            let outcome = attempt.finish().await;
            completions.push(id, outcome);
        };
        let mut queue = lock(&self.queue);
        if !queue.closed {
            queue.late.spawn(finish);
        }
    }

    fn take(&self) -> EndedTasks {
        let mut queue = lock(&self.queue);
        while queue.late.try_join_next().is_some() {}
        std::mem::take(&mut queue.ended)
    }
}

/// Takes the next task. Its lock is released before the task is polled.
fn next_of<T>(tasks: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(tasks).pop_front()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::clock::SystemClock;
    use crate::error::NodeError;
    use crate::executor::runtime::Runtime;
    use crate::executor::task_context::NamespaceContext;
    use crate::graph::StateGraph;
    use crate::limits::RunPolicy;
    use crate::name::{Node, START};
    use crate::recorder::session::Session;
    use crate::state::Snapshot;

    #[derive(crate::State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct Empty {}

    const WAITS: Node = Node::named("waits");

    #[tokio::test(start_paused = true)]
    async fn a_task_that_waits_runs_on_while_the_driver_waits_for_what_it_holds() {
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        let held = lock.lock().await;
        let asks = Arc::clone(&lock);
        let node = move |_: Snapshot<Empty>| {
            let asks = Arc::clone(&asks);
            async move {
                let _held = asks.lock().await;
                Ok::<_, NodeError>(())
            }
        };
        let mut graph = StateGraph::<Empty>::new("waits");
        graph.add_node(WAITS, node);
        graph.add_edge(START, WAITS);
        let runtime = Runtime::of(&graph.compile().unwrap().executable, Arc::new(()));
        let (clock, policy) = (Arc::new(SystemClock), RunPolicy::default());
        let session = Session::new("".into(), None, clock, Arc::default(), policy, None, None, Default::default());
        let namespace = Arc::new(NamespaceContext::for_call(&Arc::new(session), &"".into(), &runtime.topology.outline));
        let task = Dispatch {
            id: TaskId { number: 0, place: 0 },
            node: 0,
            attempt: 1,
            key: None,
            input: None,
            failure: None,
            timeout: None,
            state: Arc::default(),
            began: 0,
            is_of_run: true,
        };
        let mut workers = Workers::new(None);
        workers.begin(1);
        workers.start([task].into(), &DispatchStart { runtime: &runtime, namespace: &namespace, step: 0 });
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The task is next. The driver, which holds the tasks, asks for the same without looking at them.
        drop(held);
        let taken = tokio::time::timeout(Duration::from_secs(1), lock.lock()).await;
        assert!(taken.is_ok(), "the task had its turn");
        assert_eq!(workers.next().await.len(), 1);
    }
}
