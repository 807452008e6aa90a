//! Tasks in flight beside others.
//!
//! As many hands as the runtime has threads take the tasks of a dispatch and poll each once. A node that only computes
//! uses all cores that way, and one that is ready at once never becomes a task of the runtime. One that waits does, at
//! once: it may be next in the queue for a lock that the driver asks for, too, and must not wait for the driver.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll};
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::driver::aloft::Aloft;
use crate::driver::attempt::{Attempt, Start};
use crate::driver::crew::{Begun, Crew};
use crate::driver::drive::Ended;
use crate::handler::{Called, NodeFn};
use crate::machine::{Dispatch, TaskId, TaskOutcome};
use crate::state::{Snapshot, State};

/// A hand gives way to other tasks of the runtime after this many first polls.
const POLLS_A_TURN: usize = 128;

/// A node and what it is called with.
pub(super) struct Call<S: State, Cx> {
    pub(super) handler: Arc<dyn NodeFn<S, Cx>>,
    pub(super) input: Option<RecordBytes>,
    pub(super) state: Snapshot<S>,
    pub(super) context: Option<Context<Cx>>,
}

impl<S: State, Cx: 'static> Start<S> for Call<S, Cx> {
    fn start(self, waker: &mut TaskContext<'_>) -> Called<S> {
        self.handler.set_out(self.input, self.state, self.context, waker)
    }
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

    /// Tasks that were about to start have ended in place, or are not to start.
    pub(super) fn land(&mut self, tasks: usize) {
        self.aloft.land(tasks);
    }

    /// Makes a task of the runtime of one that was begun elsewhere, and waits.
    pub(super) fn follow(&mut self, id: TaskId, attempt: Attempt<S, Call<S, Cx>>) {
        self.field().strip.follow(id, attempt);
    }

    /// Starts tasks of one dispatch.
    pub(super) fn launch(&mut self, tasks: VecDeque<Dispatch<S>>, crew: &Crew<'_, S, Cx>) {
        let hands = tasks.len().min(Handle::current().metrics().num_workers());
        let tasks = Arc::new(Mutex::new(tasks));
        let field = self.field();
        for _ in 0..hands {
            let (tasks, strip) = (Arc::clone(&tasks), Arc::clone(&field.strip));
            let (runtime, home, step) = (crew.runtime.clone(), Arc::clone(crew.home), crew.step);
            field.hands.spawn(async move {
                let crew = Crew { runtime: &runtime, home: &home, step };
                while poll_fn(|context| Poll::Ready(strip.shift(&tasks, &crew, context))).await {
                    tokio::task::yield_now().await;
                }
            });
        }
    }

    /// Starts a task whose turn a schedule gives.
    pub(super) fn launch_in_turn(
        &mut self,
        turn: impl Future<Output = ()> + Send + 'static,
        id: TaskId,
        attempt: Attempt<S, Call<S, Cx>>,
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
    /// Starts tasks until a hand is to give way; whether some may be left.
    fn shift<Cx: Send + Sync + 'static>(
        self: &Arc<Self>,
        tasks: &Mutex<VecDeque<Dispatch<S>>>,
        crew: &Crew<'_, S, Cx>,
        context: &mut TaskContext<'_>,
    ) -> bool {
        let mut spare = None;
        for _ in 0..POLLS_A_TURN {
            let Some(task) = next_of(tasks).filter(|_| !crew.home.session.control.is_cancelled()) else { return false };
            let (id, node) = (task.id, task.node);
            let begun = Instant::now();
            match crew.begin(task, &mut spare, context) {
                Begun::Ended(outcome) => self.land(id, outcome),
                Begun::Runs(attempt) => self.follow(id, attempt),
            }
            crew.runtime.topology.node(node).pace.note(begun.elapsed());
        }
        true
    }

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

/// The next task. The lock is not held while it is polled.
fn next_of<T>(tasks: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(tasks).pop_front()
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
    use crate::driver::cell::Home;
    use crate::driver::policy::RunPolicy;
    use crate::driver::runtime::Runtime;
    use crate::driver::session::Session;
    use crate::error::NodeError;
    use crate::graph::StateGraph;
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
        let (clock, policy) = (Arc::new(SystemClock), RunPolicy::default());
        let session = Session::new("".into(), None, clock, Arc::default(), policy, None, None, Default::default());
        let home = Arc::new(Home::of_call(&Arc::new(session), &"".into(), &runtime.topology));
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
        let mut flight = Flight::new(None);
        flight.board(1);
        flight.launch([task].into(), &Crew { runtime: &runtime, home: &home, step: 0 });
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The task is next. The driver, which holds the tasks, asks for the same without looking at them.
        drop(held);
        let taken = tokio::time::timeout(Duration::from_secs(1), lock.lock()).await;
        assert!(taken.is_ok(), "the task had its turn");
        assert_eq!(flight.next().await.len(), 1);
    }
}
