//! Tasks that run beside others: workers, and the queue of what has ended.
//!
//! A worker takes the tasks of a dispatch one after the other and polls each once, so that a node that is ready at once
//! never becomes a task of the runtime. The first worker of a super-step is the driver itself: to wake
//! another thread costs as much as several short tasks. A worker that has been at it for longer than [`TIME_ALONE`], with
//! tasks that are not short, adds another one, which does the same, up to as many as the runtime has threads. So a node that only computes uses all
//! cores. In eager mode, where what ended is committed at once, the driver is left free, and all workers are tasks of the
//! runtime.
//!
//! In a simulation a schedule decides what else threads and clocks do: see `drawn.rs`.
//!
//! Invariants:
//!
//! 1. A task that waits after its first poll becomes a task of the runtime at once. It may be next in the queue for a
//!    lock that the driver asks for, too, and must not wait for the driver.
//! 2. A task that has not been started does not wait for one that holds its worker: the [monitor](super::monitor) adds the
//!    other workers to a dispatch of which some are left after a while. Nodes may meet in a call that blocks.
//! 3. Every task that [`Workers::begin`] counts comes to the completion queue once, or is counted out by
//!    [`Workers::ended`] or [`Workers::abort`].
//! 4. The driver takes the whole queue under its lock. The worker that finds the queue empty wakes the driver after it
//!    has released the lock, and the wake-up is kept when nobody waits yet: none is lost. What ends in a turn of the driver
//!    is added to the queue when the turn is over, before the driver can be dropped at an await.
//! 5. A task leaves the tasks of its dispatch under their lock, so that one worker starts it.
//! 6. [`Workers::release`] closes the queue under its lock, so that nothing is started afterwards. What runs holds the
//!    queue, and with it itself: the drop of the workers must stop it.

mod drawn;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::executor::attempt::{Attempt, judge};
use crate::executor::in_flight::InFlight;
use crate::executor::monitor::{self, Watched};
use crate::executor::run_loop::EndedTasks;
use crate::executor::runtime::Runtime;
use crate::executor::task_context::NamespaceContext;
use crate::executor::task_start::{Call, DispatchStart};
use crate::limits::TurnOrder;
use crate::machine::{Dispatch, TaskOutcome};
use crate::state::State;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{JoinSet, Mutex, Stopwatch, lock, yield_now};
use crate::tasks::TaskId;

/// A worker yields to other tasks of the runtime after this many first polls, or after [`TURN`].
const POLLS_PER_TURN: u32 = 128;

/// See [`POLLS_PER_TURN`]. Subgraphs of one fan-out that come to their commits in one turn share a transaction.
const TURN: Duration = Duration::from_millis(20);

/// A worker that is at it for longer may add another one: several times what it costs to wake a thread.
const TIME_ALONE: Duration = Duration::from_micros(20);

/// Tasks that take less time each are not worth another worker: what workers share goes from core to core with each.
const SHORT_TASK: Duration = Duration::from_micros(2);

/// The tasks of a namespace that run beside others.
pub(crate) struct Workers {
    /// Made for the first such task: most namespaces run one task after the other.
    completions: Option<Arc<Completions>>,
    /// The tasks that the driver starts itself.
    own: Option<Arc<dyn AnyUnstarted>>,
    /// Counts tasks that were dispatched beside others and have not been taken out of the completion queue.
    in_flight: InFlight,
}

/// The completion queue, its wake-up, and what fills it.
struct Completions {
    queue: Mutex<CompletionQueue>,
    changed: Notify,
}

struct CompletionQueue {
    ended: EndedTasks,
    /// Workers, and tasks that were not ready at their first poll.
    running: JoinSet<()>,
    /// Nothing more is to be started.
    closed: bool,
}

/// The tasks of one dispatch that have not been started, and what its workers need.
struct Unstarted<S: State, Cx> {
    tasks: Mutex<VecDeque<Dispatch<S>>>,
    /// How many workers may be added.
    spare_workers: AtomicUsize,
    completions: Arc<Completions>,
    runtime: Runtime<S, Cx>,
    namespace: Arc<NamespaceContext>,
    step: u64,
    threads: Handle,
}

/// The tasks of one dispatch, whatever the type of their state.
trait AnyUnstarted: Watched {
    /// Starts tasks until the worker is to yield. Returns whether some may be left. What ended is added to `ended`, and goes
    /// to the completion queue where there is none: the driver, which alone reads that queue, brings its own.
    fn work(self: Arc<Self>, context: &mut PollContext<'_>, ended: Option<&mut EndedTasks>) -> bool;

    /// Leaves what is not started to workers of its own.
    fn leave(self: Arc<Self>);
}

/// A worker, as a task of the runtime.
async fn worker(unstarted: Arc<dyn AnyUnstarted>) {
    while poll_fn(|context| Poll::Ready(Arc::clone(&unstarted).work(context, None))).await {
        yield_now().await;
    }
}

impl Workers {
    /// Returns workers without tasks. Tasks are counted in `of_run` too, if it is given.
    pub(crate) fn new(of_run: Option<&Arc<AtomicUsize>>) -> Self {
        Self { completions: None, own: None, in_flight: InFlight::of_run(of_run) }
    }

    fn completions(&mut self) -> &Arc<Completions> {
        self.completions.get_or_insert_with(|| {
            let queue =
                Mutex::new(CompletionQueue { ended: EndedTasks::new(), running: JoinSet::new(), closed: false });
            Arc::new(Completions { queue, changed: Notify::new() })
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

    /// Starts the tasks of one dispatch beside each other: at once, or with the next wait for what has ended where the
    /// driver takes part.
    pub(crate) fn start<S: State, Cx: Send + Sync + 'static>(
        &mut self,
        tasks: VecDeque<Dispatch<S>>,
        start: &DispatchStart<'_, S, Cx>,
        takes_part: bool,
    ) {
        let threads = Handle::current();
        let schedule = start.namespace.session.schedule.as_deref();
        let workers =
            schedule.map_or_else(|| threads.metrics().num_workers(), |schedule| 1 + schedule.draw(drawn::MOST_WORKERS));
        let most = tasks.len().min(workers);
        let unstarted = Arc::new(Unstarted {
            tasks: Mutex::new(tasks),
            spare_workers: AtomicUsize::new(if takes_part { most - 1 } else { most }),
            completions: Arc::clone(self.completions()),
            runtime: start.runtime.clone(),
            namespace: Arc::clone(start.namespace),
            step: start.step,
            threads,
        });
        if !takes_part {
            unstarted.add_workers(most);
            return;
        }
        // A simulated task holds no worker up, and workers are added by draw.
        if most > 1 && schedule.is_none() {
            monitor::watch(&unstarted);
        }
        if let Some(before) = self.own.replace(unstarted) {
            before.leave();
        }
    }

    /// Waits until tasks have ended, and returns them. Dropping the wait loses none.
    pub(crate) async fn next(&mut self) -> EndedTasks {
        loop {
            if let Some(unstarted) = &self.own {
                let mut ended = EndedTasks::new();
                let is_left =
                    poll_fn(|context| Poll::Ready(Arc::clone(unstarted).work(context, Some(&mut ended)))).await;
                self.completions().append(ended);
                match is_left {
                    true => yield_now().await,
                    false => self.own = None,
                }
            }
            let completions = self.completions();
            let ended = completions.take();
            if !ended.is_empty() {
                self.in_flight.remove(ended.len());
                return ended;
            }
            if self.own.is_none() {
                self.completions().changed.notified().await;
            }
        }
    }

    /// Stops everything of a run that was cancelled, and returns what had ended before.
    pub(crate) async fn abort(&mut self) -> EndedTasks {
        self.in_flight.clear();
        self.own = None;
        let Some(completions) = &self.completions else { return EndedTasks::new() };
        loop {
            let mut running = std::mem::take(&mut lock(&completions.queue).running);
            if running.is_empty() {
                return completions.take();
            }
            // What is stopped may have started more before it was.
            running.shutdown().await;
        }
    }

    /// Asks everything to stop, without a wait.
    pub(crate) fn release(&mut self) {
        let Some(completions) = &self.completions else { return };
        let mut queue = lock(&completions.queue);
        queue.closed = true;
        queue.running.abort_all();
    }
}

/// See invariant 6.
impl Drop for Workers {
    fn drop(&mut self) {
        self.release();
    }
}

impl<S: State, Cx: Send + Sync + 'static> Unstarted<S, Cx> {
    /// Adds workers, at most so many.
    fn add_workers(self: &Arc<Self>, most: usize) {
        for _ in 0..most {
            let spare =
                self.spare_workers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |spare| spare.checked_sub(1));
            if spare.is_err() {
                return;
            }
            self.completions.spawn(Box::pin(worker(Arc::clone(self) as Arc<dyn AnyUnstarted>)), &self.threads);
        }
    }

    /// Makes a task of the runtime of an attempt that waits.
    fn spawn_waiting(&self, id: TaskId, attempt: Attempt<S, Call<S, Cx>>) {
        let completions = Arc::clone(&self.completions);
        let finish = async move { completions.push(id, attempt.finish().await) };
        self.completions.spawn(Box::pin(finish), &self.threads);
    }

    /// Takes the next task, unless the run is cancelled. The lock is released before the task is polled.
    fn next_task(&self) -> Option<Dispatch<S>> {
        let task = lock(&self.tasks).pop_front();
        task.filter(|_| !self.namespace.session.control.is_cancelled())
    }

    fn has_tasks(&self) -> bool {
        !lock(&self.tasks).is_empty()
    }

    fn schedule(&self) -> Option<&dyn TurnOrder> {
        self.namespace.session.schedule.as_deref()
    }
}

impl<S: State, Cx: Send + Sync + 'static> AnyUnstarted for Unstarted<S, Cx> {
    fn work(self: Arc<Self>, context: &mut PollContext<'_>, mut ended: Option<&mut EndedTasks>) -> bool {
        if let Some(schedule) = self.schedule() {
            return self.work_as_drawn(schedule, context);
        }
        if let Some(ended) = &mut ended {
            ended.reserve(lock(&self.tasks).len().min(POLLS_PER_TURN as usize));
        }
        let start = DispatchStart { runtime: &self.runtime, namespace: &self.namespace, step: self.step };
        let begun = Stopwatch::start();
        let mut spare = None;
        for polls in 1..=POLLS_PER_TURN {
            let Some(task) = self.next_task() else { return false };
            let id = task.id;
            let mut task = start.start(task, &mut spare);
            match task.start_node(context) {
                Poll::Ready(result) => {
                    let outcome = judge(result, task.services.as_deref());
                    match &mut ended {
                        Some(ended) => ended.push((id, outcome)),
                        None => self.completions.push(id, outcome),
                    }
                    spare = task.services;
                }
                Poll::Pending => self.spawn_waiting(id, task.attempt()),
            }
            // The clock is read after the first tasks, and then from time to time.
            if polls > 2 && polls % 8 != 0 {
                continue;
            }
            let spent = begun.elapsed();
            if spent > TIME_ALONE && spent > SHORT_TASK * polls && self.has_tasks() {
                self.add_workers(1);
            }
            if spent > TURN {
                return true;
            }
        }
        true
    }

    fn leave(self: Arc<Self>) {
        self.spare_workers.fetch_add(1, Ordering::Relaxed);
        self.add_workers(1);
    }
}

impl<S: State, Cx: Send + Sync + 'static> Watched for Unstarted<S, Cx> {
    fn widen(self: Arc<Self>) {
        if self.has_tasks() {
            self.add_workers(usize::MAX);
        }
    }
}

impl Completions {
    fn push(&self, id: TaskId, outcome: TaskOutcome) {
        let mut queue = lock(&self.queue);
        let first = queue.ended.is_empty();
        queue.ended.push((id, outcome));
        drop(queue);
        if first {
            self.changed.notify_one();
        }
    }

    /// Adds what the driver's own turn has ended. The driver, which reads the queue next, is not woken.
    fn append(&self, mut ended: EndedTasks) {
        let mut queue = lock(&self.queue);
        if queue.ended.is_empty() {
            queue.ended = ended;
        } else {
            queue.ended.append(&mut ended);
        }
    }

    /// Makes a task of the runtime, unless the queue is closed. The future is boxed, so that the runtime's part of a task is
    /// compiled once.
    fn spawn(&self, work: BoxFuture<'static, ()>, threads: &Handle) {
        let mut queue = lock(&self.queue);
        if !queue.closed {
            queue.running.spawn_on(work, threads);
        }
    }

    fn take(&self) -> EndedTasks {
        let mut queue = lock(&self.queue);
        while queue.running.try_join_next().is_some() {}
        std::mem::take(&mut queue.ended)
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod races;

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
        workers.start([task].into(), &DispatchStart { runtime: &runtime, namespace: &namespace, step: 0 }, false);
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The task is next. The driver, which holds the tasks, asks for the same without looking at them.
        drop(held);
        let taken = tokio::time::timeout(Duration::from_secs(1), lock.lock()).await;
        assert!(taken.is_ok(), "the task had its turn");
        assert_eq!(workers.next().await.len(), 1);
    }
}
