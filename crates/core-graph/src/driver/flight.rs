//! Tasks in flight beside others.
//!
//! As many hands as the runtime has threads take the tasks of a dispatch and poll each once. A node that only computes
//! uses all cores that way, and one that is ready at once never becomes a task of the runtime. One that waits does.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::context::Context;
use crate::driver::attempt::{Attempt, Start};
use crate::driver::drive::Ended;
use crate::driver::session::Session;
use crate::error::NodeError;
use crate::handler::NodeFn;
use crate::machine::TaskId;
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

type Job<S, Cx> = (TaskId, Attempt<S, Call<S, Cx>>);

/// The tasks in flight, and the landing strip.
pub(super) struct Flight<S: State, Cx> {
    hands: JoinSet<()>,
    strip: Arc<Strip<S, Cx>>,
    /// Tasks that have not been taken from the strip.
    aloft: usize,
}

/// Where tasks come down.
struct Strip<S: State, Cx> {
    landed: Mutex<Landed<S, Cx>>,
    changed: Notify,
}

struct Landed<S: State, Cx> {
    ended: Ended<S>,
    /// Not ready at their first poll.
    waiting: Vec<Job<S, Cx>>,
}

impl<S: State, Cx: Send + Sync + 'static> Flight<S, Cx> {
    pub(super) fn new() -> Self {
        let landed = Mutex::new(Landed { ended: Ended::new(), waiting: Vec::new() });
        Self { hands: JoinSet::new(), strip: Arc::new(Strip { landed, changed: Notify::new() }), aloft: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.aloft == 0
    }

    /// Starts tasks of one dispatch.
    pub(super) fn launch(&mut self, jobs: VecDeque<Job<S, Cx>>, session: &Arc<Session>) {
        self.aloft += jobs.len();
        let hands = jobs.len().min(Handle::current().metrics().num_workers());
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..hands {
            let (jobs, strip, session) = (Arc::clone(&jobs), Arc::clone(&self.strip), Arc::clone(session));
            self.hands.spawn(async move {
                let mut polls = 0;
                while let Some((id, mut attempt)) = next_of(&jobs) {
                    if session.control.is_cancelled() {
                        return;
                    }
                    match poll_fn(|context| Poll::Ready(attempt.poll_first(context))).await {
                        Some(outcome) => strip.land(|landed| landed.ended.push((id, outcome))),
                        None => strip.land(|landed| landed.waiting.push((id, attempt))),
                    }
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
        (id, attempt): Job<S, Cx>,
    ) {
        self.aloft += 1;
        let strip = Arc::clone(&self.strip);
        self.hands.spawn(async move {
            turn.await;
            let outcome = attempt.finish().await;
            strip.land(|landed| landed.ended.push((id, outcome)));
        });
    }

    /// Waits until tasks have ended. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Ended<S> {
        loop {
            let Landed { ended, waiting } = self.strip.take();
            for (id, attempt) in waiting {
                let strip = Arc::clone(&self.strip);
                self.hands.spawn(async move {
                    let outcome = attempt.finish().await;
                    strip.land(|landed| landed.ended.push((id, outcome)));
                });
            }
            if !ended.is_empty() {
                self.aloft = self.aloft.saturating_sub(ended.len());
                while self.hands.try_join_next().is_some() {}
                return ended;
            }
            self.strip.changed.notified().await;
        }
    }

    /// Stops everything; what had ended.
    pub(super) async fn abort(&mut self) -> Ended<S> {
        self.hands.abort_all();
        while self.hands.join_next().await.is_some() {}
        self.aloft = 0;
        self.strip.take().ended
    }

    /// Stops everything, soon.
    pub(super) fn let_go(&mut self) {
        self.hands.abort_all();
    }
}

impl<S: State, Cx> Strip<S, Cx> {
    fn land(&self, put: impl FnOnce(&mut Landed<S, Cx>)) {
        let mut landed = lock(&self.landed);
        let first = landed.ended.is_empty() && landed.waiting.is_empty();
        put(&mut landed);
        drop(landed);
        if first {
            self.changed.notify_one();
        }
    }

    fn take(&self) -> Landed<S, Cx> {
        let mut landed = lock(&self.landed);
        Landed { ended: std::mem::take(&mut landed.ended), waiting: std::mem::take(&mut landed.waiting) }
    }
}

/// The next job. The lock is not held while it is polled.
fn next_of<T>(jobs: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(jobs).pop_front()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
