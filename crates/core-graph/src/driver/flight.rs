//! Tasks in flight beside others.
//!
//! As many hands as the runtime has threads take the tasks of a dispatch and poll each once. A node that only computes
//! uses all cores that way, and one that is ready at once never becomes a task of the runtime. One that waits does, at
//! once: it may be next in the queue for a lock that the driver asks for, too, and must not wait for the driver.
//!
//! Waking a thread takes longer than many nodes do. Tasks of nodes that have been quick are polled by the driver itself,
//! for a short time; hands take what is left. A node that suddenly computes holds up the others by one task, and is given
//! hands from then on.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll};
use std::time::Instant;

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::context::Context;
use crate::driver::aloft::Aloft;
use crate::driver::attempt::{Attempt, Start};
use crate::driver::control::Control;
use crate::driver::drive::Ended;
use crate::driver::session::Session;
use crate::error::NodeError;
use crate::graph::{HAND_OVER, HASTE, Topology};
use crate::handler::NodeFn;
use crate::machine::{TaskId, TaskOutcome};
use crate::state::{Snapshot, State};
use crate::step::Step;

/// A hand gives way to other tasks of the runtime after this many first polls.
const POLLS_A_TURN: usize = 128;

/// A node and what it is called with.
pub(super) struct Call<S: State, Cx> {
    pub(super) handler: Arc<dyn NodeFn<S, Cx>>,
    pub(super) input: Option<Arc<[u8]>>,
    pub(super) state: Snapshot<S>,
    pub(super) context: Option<Context<Cx>>,
}

impl<S: State, Cx: 'static> Start<S> for Call<S, Cx> {
    fn start(self) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        self.handler.call(self.input, self.state, self.context)
    }
}

/// A task that is to begin.
pub(super) struct Job<S: State, Cx> {
    pub(super) id: TaskId,
    pub(super) node: u32,
    pub(super) attempt: Attempt<S, Call<S, Cx>>,
}

/// The tasks in flight.
pub(super) struct Flight<S: State, Cx> {
    /// Made for the first that fly: most namespaces run one task after the other.
    field: Option<Field<S>>,
    /// Tasks that were dispatched beside others, and whose end was not taken up.
    aloft: Aloft,
    calls: PhantomData<fn(Call<S, Cx>)>,
}

/// The hands, and the landing strip.
struct Field<S: State> {
    hands: JoinSet<()>,
    strip: Arc<Strip<S>>,
}

/// Where tasks come down.
struct Strip<S: State> {
    landed: Mutex<Landed<S>>,
    changed: Notify,
}

struct Landed<S: State> {
    ended: Ended<S>,
    /// Those that were not ready at their first poll.
    late: JoinSet<()>,
    /// Nothing more is to be started.
    closed: bool,
}

impl<S: State, Cx: Send + Sync + 'static> Flight<S, Cx> {
    /// Nothing in flight; what will be is counted among the tasks of the run.
    pub(super) fn new(of_run: Option<&Arc<AtomicUsize>>) -> Self {
        Self { field: None, aloft: Aloft::of_run(of_run), calls: PhantomData }
    }

    fn field(&mut self) -> &mut Field<S> {
        self.field.get_or_insert_with(|| {
            let landed = Mutex::new(Landed { ended: Ended::new(), late: JoinSet::new(), closed: false });
            Field { hands: JoinSet::new(), strip: Arc::new(Strip { landed, changed: Notify::new() }) }
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.aloft.is_empty()
    }

    /// Tasks are about to start.
    pub(super) fn board(&mut self, tasks: usize) {
        self.aloft.rise(tasks);
    }

    /// Starts tasks of one dispatch in place, one after the other: as many as come to their turn in a short time, and more
    /// while it would take longer to hand them over. What has ended by then.
    pub(super) async fn hasten(
        &mut self,
        jobs: &mut VecDeque<Job<S, Cx>>,
        topology: &Topology<S>,
        control: &Control,
    ) -> Ended<S> {
        let mut ended = Ended::with_capacity(jobs.len());
        while poll_fn(|context| Poll::Ready(self.spell(jobs, &mut ended, (topology, control), context))).await {
            tokio::task::yield_now().await;
        }
        self.aloft.land(ended.len());
        ended
    }

    /// Starts tasks for a short time; whether the next are to be started here, too.
    fn spell(
        &mut self,
        jobs: &mut VecDeque<Job<S, Cx>>,
        ended: &mut Ended<S>,
        (topology, control): (&Topology<S>, &Control),
        context: &mut TaskContext<'_>,
    ) -> bool {
        let begun = Instant::now();
        let (mut now, mut started) = (begun, 0);
        while now - begun < HASTE && !control.is_cancelled() {
            let Some(Job { id, node, mut attempt }) = jobs.pop_front() else { return false };
            match attempt.poll_first(context) {
                Some(outcome) => ended.push((id, outcome)),
                None => self.field().strip.follow(id, attempt),
            }
            let before = std::mem::replace(&mut now, Instant::now());
            topology.node(node).pace.note(now - before);
            started += 1;
        }
        now - begun < HAND_OVER * started && !control.is_cancelled()
    }

    /// Starts tasks of one dispatch.
    pub(super) fn launch(&mut self, jobs: VecDeque<Job<S, Cx>>, topology: &Arc<Topology<S>>, session: &Arc<Session>) {
        let hands = jobs.len().min(Handle::current().metrics().num_workers());
        let jobs = Arc::new(Mutex::new(jobs));
        let field = self.field();
        for _ in 0..hands {
            let (jobs, strip) = (Arc::clone(&jobs), Arc::clone(&field.strip));
            let (topology, session) = (Arc::clone(topology), Arc::clone(session));
            field.hands.spawn(async move {
                let mut polls = 0;
                while let Some(Job { id, node, mut attempt }) = next_of(&jobs) {
                    if session.control.is_cancelled() {
                        return;
                    }
                    let begun = Instant::now();
                    match poll_fn(|context| Poll::Ready(attempt.poll_first(context))).await {
                        Some(outcome) => strip.land(id, outcome),
                        None => strip.follow(id, attempt),
                    }
                    topology.node(node).pace.note(begun.elapsed());
                    polls += 1;
                    if polls % POLLS_A_TURN == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            });
        }
    }

    /// Starts a task whose turn a schedule gives.
    pub(super) fn launch_in_turn(
        &mut self,
        turn: impl Future<Output = ()> + Send + 'static,
        Job { id, attempt, .. }: Job<S, Cx>,
    ) {
        let field = self.field();
        let strip = Arc::clone(&field.strip);
        field.hands.spawn(async move {
            turn.await;
            let outcome = attempt.finish().await;
            strip.land(id, outcome);
        });
    }

    /// Waits until tasks have ended. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Ended<S> {
        loop {
            let field = self.field();
            let ended = field.strip.take();
            if !ended.is_empty() {
                while field.hands.try_join_next().is_some() {}
                self.aloft.land(ended.len());
                return ended;
            }
            field.strip.changed.notified().await;
        }
    }

    /// Stops everything; what had ended.
    pub(super) async fn abort(&mut self) -> Ended<S> {
        self.aloft.land_all();
        let Some(field) = &mut self.field else { return Ended::new() };
        field.hands.abort_all();
        while field.hands.join_next().await.is_some() {}
        // Without hands nothing more is started.
        let mut late = std::mem::take(&mut lock(&field.strip.landed).late);
        late.abort_all();
        while late.join_next().await.is_some() {}
        field.strip.take()
    }
}

impl<S: State, Cx> Flight<S, Cx> {
    /// Stops everything, soon.
    pub(super) fn let_go(&mut self) {
        let Some(field) = &mut self.field else { return };
        field.hands.abort_all();
        let mut landed = lock(&field.strip.landed);
        landed.closed = true;
        landed.late.abort_all();
    }
}

/// Those that are late hold the strip, and with it themselves.
impl<S: State, Cx> Drop for Flight<S, Cx> {
    fn drop(&mut self) {
        self.let_go();
    }
}

impl<S: State> Strip<S> {
    fn land(&self, id: TaskId, outcome: TaskOutcome<S>) {
        let mut landed = lock(&self.landed);
        let first = landed.ended.is_empty();
        landed.ended.push((id, outcome));
        drop(landed);
        if first {
            self.changed.notify_one();
        }
    }

    /// Makes a task of the runtime of one that waits.
    fn follow<Cx: Send + Sync + 'static>(self: &Arc<Self>, id: TaskId, attempt: Attempt<S, Call<S, Cx>>) {
        let strip = Arc::clone(self);
        let finish = async move {
            let outcome = attempt.finish().await;
            strip.land(id, outcome);
        };
        let mut landed = lock(&self.landed);
        if !landed.closed {
            landed.late.spawn(finish);
        }
    }

    fn take(&self) -> Ended<S> {
        let mut landed = lock(&self.landed);
        while landed.late.try_join_next().is_some() {}
        std::mem::take(&mut landed.ended)
    }
}

/// The next job. The lock is not held while it is polled.
fn next_of<T>(jobs: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(jobs).pop_front()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::clock::SystemClock;
    use crate::driver::policy::RunPolicy;
    use crate::driver::runtime::Runtime;
    use crate::graph::{StateGraph, Timeout};
    use crate::name::{Node, START};

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
        let runtime = Runtime::of(&graph.compile().unwrap(), Arc::new(()));
        let handler = Arc::clone(runtime.function(0, false));
        let call = Call { handler, input: None, state: Snapshot::new(Arc::default()), context: None };
        let attempt = Attempt::new(call, Timeout::default(), None);
        let (clock, policy) = (Arc::new(SystemClock), RunPolicy::default());
        let session = Session::new("".into(), None, clock, Arc::default(), policy, None, None, Default::default());
        let mut flight = Flight::new(None);
        let job = Job { id: TaskId { number: 0, place: 0 }, node: 0, attempt };
        flight.board(1);
        flight.launch([job].into(), &runtime.topology, &Arc::new(session));
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The task is next. The driver, which holds the tasks, asks for the same without looking at them.
        drop(held);
        let taken = tokio::time::timeout(Duration::from_secs(1), lock.lock()).await;
        assert!(taken.is_ok(), "the task had its turn");
        assert_eq!(flight.next().await.len(), 1);
    }
}
