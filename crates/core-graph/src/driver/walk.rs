//! Calls of subgraphs that nobody stores or reads, walked node by node.
//!
//! Most fan-outs to subgraphs are to nodes that follow each other. Such a call is no more than its state, the number of
//! its commits and the node that is next. Whatever else comes up (a failure, a question, a fan-out, a join, a request to
//! stop) is for a driver, whose machine stands where the walk ended.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use crate::driver::attempt::{Attempt, judge, poll_node};
use crate::driver::cell::{Home, TaskCell};
use crate::driver::child::{Child, ChildEnd, Scope};
use crate::driver::drive::Driver;
use crate::driver::flight::Call;
use crate::driver::lane::STEPS_A_TURN;
use crate::driver::runtime::Runtime;
use crate::error::RunError;
use crate::graph::Persistence;
use crate::machine::{Lone, Onward, RouteFault, Stand, Stop, TaskOutcome, Triggered};
use crate::state::{Snapshot, State};
use crate::step::Next;

/// A call that is walked.
pub(super) struct Walk<'c, S: State, Cx> {
    runtime: &'c Runtime<S, Cx>,
    scope: &'c Scope<'c>,
    stand: Stand<S>,
    /// Made for the first task that takes a context.
    home: Option<Arc<Home>>,
}

/// Where a walk stops, for a while or for good.
enum Halt<S: State, Cx> {
    /// Nothing is left to do.
    Done,
    /// A step was refused.
    Refused(Box<RunError>),
    /// It has taken its turn.
    Turn(Lone),
    /// A task is not ready. On the heap, as all that is rare: what an attempt holds is large.
    Waiting(Box<Waiting<S, Cx>>),
    /// The rest is for a driver.
    Rest(Box<Rest<S>>),
}

/// A task that runs.
struct Waiting<S: State, Cx> {
    lone: Lone,
    began: u64,
    attempt: Attempt<S, Call<S, Cx>>,
}

/// What a walk leaves to a driver.
enum Rest<S: State> {
    /// What is to be made tasks of.
    Fork(Box<Triggered>),
    /// A task that has not begun.
    Ahead(Lone),
    /// A task that has ended out of the ordinary, and when it began.
    Ended { lone: Lone, began: u64, outcome: TaskOutcome<S> },
}

impl<'c, S: State, Cx: Send + Sync + 'static> Walk<'c, S, Cx> {
    /// Whether the call may be walked.
    pub(super) fn suits(runtime: &Runtime<S, Cx>, scope: &Scope<'_>) -> bool {
        let session = scope.session();
        let is_unlimited = session.policy.budget.is_none() && session.policy.max_steps.is_none();
        session.is_silent()
            && is_unlimited
            && !session.calls.is_used()
            && runtime.topology.is_walkable()
            && scope.persistence() == Persistence::PerCall
    }

    /// Runs the call.
    pub(super) async fn run(
        runtime: &'c Runtime<S, Cx>,
        scope: &'c Scope<'c>,
        input: S::Update,
    ) -> Result<Child<S>, RunError> {
        let (stand, onward) = match Stand::enter(&runtime.topology, input) {
            Ok(entered) => entered,
            Err((state, error)) => return Ok(Child::of(ChildEnd::Failed { state, error }, 0)),
        };
        let mut walk = Self { runtime, scope, stand, home: None };
        let mut next = walk.onward(onward);
        loop {
            let halt = match next {
                Ok(lone) => walk.stride(lone).await,
                Err(halt) => halt,
            };
            next = match halt {
                Halt::Done => return Ok(Child::of(ChildEnd::Done(walk.stand.state), walk.stand.executed)),
                Halt::Refused(error) => {
                    let Stand { state, executed, .. } = walk.stand;
                    return Ok(Child::of(ChildEnd::Failed { state, error: *error }, executed));
                }
                Halt::Turn(lone) => {
                    tokio::task::yield_now().await;
                    Ok(lone)
                }
                Halt::Waiting(waiting) => {
                    let Waiting { lone, began, attempt } = *waiting;
                    let outcome = Box::pin(attempt.finish_unless_cancelled(&scope.session().control)).await;
                    walk.settle(lone, began, outcome)
                }
                // A driver is large, and most walks do without.
                Halt::Rest(rest) => return Box::pin(walk.drive(*rest)).await,
            };
        }
    }

    /// Runs the task and those that follow it, as far as they are ready.
    async fn stride(&mut self, lone: Lone) -> Halt<S, Cx> {
        let mut turn = STEPS_A_TURN;
        if self.scope.session().schedule.is_some() {
            Box::pin(self.await_turn(lone)).await;
            turn = 1;
        }
        let mut lone = lone;
        poll_fn(|waker| {
            for _ in 0..turn {
                match self.step(lone, waker) {
                    Ok(next) => lone = next,
                    Err(halt) => return Poll::Ready(halt),
                }
            }
            Poll::Ready(Halt::Turn(lone))
        })
        .await
    }

    /// Runs a task, if it is ready, and commits its step; the task that follows it.
    fn step(&mut self, lone: Lone, waker: &mut TaskContext<'_>) -> Result<Lone, Halt<S, Cx>> {
        let Self { runtime, scope, .. } = *self;
        let session = scope.session();
        if session.control.reason().is_some() {
            return Err(Rest::Ahead(lone).into());
        }
        let info = runtime.topology.node(lone.node);
        let began = if info.retry.is_some() { session.clock.now() } else { 0 };
        let handler = runtime.function(lone.node, false);
        let cell = handler.wants_context().then(|| self.cell(lone, began));
        let context = cell.as_ref().map(|cell| runtime.context(cell));
        let state = Snapshot::new(Arc::clone(&self.stand.state));
        if info.timeout.is_set() {
            let call = Call { handler: Arc::clone(handler), input: None, state, context };
            let attempt = Attempt::new(call, info.timeout, cell);
            return Err(Halt::Waiting(Box::new(Waiting { lone, began, attempt })));
        }
        let mut running = None;
        match (poll_node(Some(|| handler.call(None, state, context)), &mut running, waker), cell) {
            (Poll::Ready(Ok(step)), None) if self.is_plain(&step.next) => self.take(lone, step.update, 0),
            (Poll::Ready(result), cell) => self.settle(lone, began, judge(result, cell.as_deref())),
            (Poll::Pending, cell) => {
                let attempt = Attempt::begun(running, cell);
                Err(Halt::Waiting(Box::new(Waiting { lone, began, attempt })))
            }
        }
    }

    /// Commits what a task left, if that is a plain step.
    fn settle(&mut self, lone: Lone, began: u64, outcome: TaskOutcome<S>) -> Result<Lone, Halt<S, Cx>> {
        match outcome {
            TaskOutcome::Step(done) if done.heads.is_none() && self.is_plain(&done.next) => {
                self.take(lone, done.update, done.cost)
            }
            outcome => Err(Rest::Ended { lone, began, outcome }.into()),
        }
    }

    /// Whether a step follows the edges of its node, and its commit does nothing else: that of a task with durable steps
    /// forgets their results.
    fn is_plain(&self, next: &Next) -> bool {
        matches!(next, Next::Edges) && self.home.as_ref().is_none_or(|home| !home.onces.is_used())
    }

    /// Commits a plain step.
    fn take(&mut self, lone: Lone, update: Option<S::Update>, cost: u64) -> Result<Lone, Halt<S, Cx>> {
        match self.stand.step(&self.runtime.topology, lone, update, cost) {
            Ok(onward) => self.onward(onward),
            Err(RouteFault::Run(error)) => Err(Halt::Refused(Box::new(error))),
            Err(RouteFault::Node(error)) => {
                let node = self.runtime.topology.node(lone.node).name.to_string();
                let (task, message) = (self.path(lone).to_string(), error.to_string());
                let error = RunError::TaskFailed { node, task, attempts: 1, message };
                Err(Halt::Refused(Box::new(error)))
            }
        }
    }

    /// The task that follows, if a walk may run it.
    fn onward(&self, onward: Onward) -> Result<Lone, Halt<S, Cx>> {
        match onward {
            Onward::To(lone) if self.runtime.topology.is_step(lone.node) => Ok(lone),
            Onward::To(lone) => Err(Rest::Ahead(lone).into()),
            Onward::End => Err(Halt::Done),
            Onward::Fork(triggered) => Err(Rest::Fork(triggered).into()),
        }
    }

    fn path(&self, lone: Lone) -> Arc<str> {
        lone.id.path(self.scope.call(), self.runtime.topology.node(lone.node).name.as_str())
    }

    /// In a simulation, waits for the turn of a task, unless the run is cancelled.
    async fn await_turn(&self, lone: Lone) {
        let session = self.scope.session();
        if let Some(schedule) = &session.schedule {
            tokio::select! {
                biased;
                () = schedule.turn(self.path(lone), 1) => {}
                () = session.control.cancelled() => {}
            }
        }
    }

    /// The services of a task.
    fn cell(&mut self, lone: Lone, began: u64) -> Arc<TaskCell> {
        let home = self.home.get_or_insert_with(|| {
            let call = self.scope.call();
            Arc::new(Home::of_call(self.scope.session(), call, &self.runtime.topology))
        });
        let info = self.runtime.topology.node(lone.node);
        let cell = TaskCell::new(home, lone.id, info, None, 1, lone.id.number.saturating_sub(1), began);
        Arc::new(if info.timeout.idle.is_some() { cell.watch_idle() } else { cell })
    }

    /// Goes on with a driver.
    async fn drive(self, rest: Rest<S>) -> Result<Child<S>, RunError> {
        let Self { runtime, scope, stand, home } = self;
        let (session, call) = (Arc::clone(scope.session()), Arc::clone(scope.call()));
        let mut driver = Driver::new(runtime.clone(), session, call, None, None)?;
        driver.machine.stand(stand);
        if let Some(home) = home {
            driver.move_in(home);
        }
        let stop = driver.go_on(rest).await;
        driver.end_of_child(stop)
    }
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Takes over what a walk left.
    async fn go_on(&mut self, rest: Rest<S>) -> Result<Stop, RunError> {
        match rest {
            Rest::Fork(triggered) => self.machine.fork_walk(triggered),
            Rest::Ahead(lone) => self.machine.await_lone(lone),
            Rest::Ended { lone, began, outcome } => {
                self.machine.fly_lone(lone, began);
                self.settle_one(lone.id, outcome).await?;
            }
        }
        self.drive().await
    }
}

impl<S: State, Cx> From<Rest<S>> for Halt<S, Cx> {
    fn from(rest: Rest<S>) -> Self {
        Self::Rest(Box::new(rest))
    }
}
