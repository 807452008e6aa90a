//! Calls of subgraphs that nobody stores or reads, walked node by node.
//!
//! Most fan out to subgraphs whose nodes follow each other. Such a call is no more than its state, the number of its
//! commits and the node that is next. Whatever else comes up (a failure, a question, a fan-out, a join, a request to
//! stop) is for a driver, whose machine stands where the walk ended.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use crate::context::{Context, TaskServices};
use crate::driver::attempt::{Attempt, NodeFuture, poll_node};
use crate::driver::cell::{Home, TaskCell};
use crate::driver::child::{Child, ChildEnd, Scope};
use crate::driver::drive::Driver;
use crate::driver::runtime::Runtime;
use crate::error::RunError;
use crate::graph::{Persistence, Timeout};
use crate::machine::{Lone, Onward, RouteFault, Stand, Stop, TaskOutcome, Triggered};
use crate::state::{Snapshot, State};
use crate::step::{Next, Step};

/// A node that is always ready gives way to others after this many steps.
const STEPS_A_TURN: u64 = 512;

/// A call that is walked.
pub(super) struct Walk<'c, S: State, Cx> {
    runtime: &'c Runtime<S, Cx>,
    scope: &'c Scope<'c>,
    stand: Stand<S>,
    /// Made for the first task that takes a context.
    home: Option<Arc<Home>>,
}

/// How a walk ends.
enum Ended<S: State> {
    /// Nothing is left to do.
    Done,
    /// A step was refused.
    Refused(RunError),
    /// With more than a walk can do.
    Left(Rest<S>),
}

/// What a walk leaves to a driver.
enum Rest<S: State> {
    /// What is to be made tasks of.
    Fork(Triggered),
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
        let end = match walk.walk(onward).await {
            Ended::Done => ChildEnd::Done(walk.stand.state),
            Ended::Refused(error) => ChildEnd::Failed { state: walk.stand.state, error },
            // On the heap: a driver is large, and most walks do without.
            Ended::Left(rest) => return Box::pin(walk.drive(rest)).await,
        };
        Ok(Child::of(end, walk.stand.executed))
    }

    async fn walk(&mut self, mut onward: Onward) -> Ended<S> {
        let session = self.scope.session();
        loop {
            let lone = match onward {
                Onward::To(lone) => lone,
                Onward::End => return Ended::Done,
                Onward::Fork(triggered) => return Ended::Left(Rest::Fork(triggered)),
            };
            if !self.runtime.topology.is_step(lone.node) {
                return Ended::Left(Rest::Ahead(lone));
            }
            if lone.id.number % STEPS_A_TURN == 0 {
                tokio::task::yield_now().await;
            }
            if session.schedule.is_some() {
                Box::pin(self.await_turn(lone)).await;
            }
            if session.control.reason().is_some() {
                return Ended::Left(Rest::Ahead(lone));
            }
            let began = match self.runtime.topology.node(lone.node).retry {
                Some(_) => session.clock.now(),
                None => 0,
            };
            let outcome = match self.attempt(lone, began).await {
                Ok((step, cost)) => match self.take(lone, step, cost) {
                    Ok(next) => {
                        onward = next;
                        continue;
                    }
                    Err(ended) => return ended,
                },
                Err(outcome) => outcome,
            };
            return Ended::Left(Rest::Ended { lone, began, outcome });
        }
    }

    /// Runs a task. The plain step of one comes by itself, with the tasks that were executed inside.
    async fn attempt(&mut self, lone: Lone, began: u64) -> Result<(Step<S>, u64), TaskOutcome<S>> {
        let info = self.runtime.topology.node(lone.node);
        let handler = self.runtime.function(lone.node, false);
        let cell = handler.wants_context().then(|| self.cell(lone, began));
        let context = cell.as_ref().map(|cell| {
            let services: Arc<dyn TaskServices> = Arc::clone(cell) as Arc<dyn TaskServices>;
            Context::new(services, self.runtime.shared_resources())
        });
        let state = Snapshot::new(Arc::clone(&self.stand.state));
        let start = || handler.call(None, state, context);
        let control = &self.scope.session().control;
        let outcome = if info.timeout == Timeout::default() {
            let (mut start, mut running) = (Some(start), None::<NodeFuture<S>>);
            let polled = poll_fn(|context| Poll::Ready(poll_node(start.take(), &mut running, context))).await;
            match (polled, cell) {
                (Poll::Ready(Ok(step)), None) if matches!(step.next, Next::Edges) => return Ok((step, 0)),
                (Poll::Ready(Ok(step)), None) => TaskOutcome::done(step, 0),
                (Poll::Ready(Err(error)), None) => TaskOutcome::Error(error),
                (Poll::Ready(result), Some(cell)) => cell.judge(result),
                (Poll::Pending, cell) => {
                    let attempt = Attempt::<S, fn() -> NodeFuture<S>>::begun(running, cell);
                    Box::pin(attempt.finish_unless_cancelled(control)).await
                }
            }
        } else {
            Box::pin(Attempt::new(start, info.timeout, cell).finish_unless_cancelled(control)).await
        };
        // The commit of a task forgets the results of its durable steps.
        let is_used = self.home.as_ref().is_some_and(|home| home.onces.is_used());
        match outcome {
            TaskOutcome::Step(done) if done.is_plain() && !is_used => Ok(done.into_step()),
            outcome => Err(outcome),
        }
    }

    /// Commits a plain step.
    fn take(&mut self, lone: Lone, step: Step<S>, cost: u64) -> Result<Onward, Ended<S>> {
        let topology = &*self.runtime.topology;
        self.stand.step(topology, lone, step.update, cost).map_err(|fault| {
            Ended::Refused(match fault {
                RouteFault::Run(error) => error,
                RouteFault::Node(error) => {
                    let node = topology.node(lone.node).name.to_string();
                    let task = self.path(lone).to_string();
                    RunError::TaskFailed { node, task, attempts: 1, message: error.to_string() }
                }
            })
        })
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
        let cell = TaskCell::new(home, lone.id, &info.name, None, 1, lone.id.number.saturating_sub(1), began);
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
        let stop = Self::go_on(&mut driver, rest).await;
        driver.end_of_child(stop)
    }

    async fn go_on(driver: &mut Driver<S, Cx>, rest: Rest<S>) -> Result<Stop, RunError> {
        match rest {
            Rest::Fork(triggered) => driver.machine.fork_walk(triggered),
            Rest::Ahead(lone) => driver.machine.await_lone(lone),
            Rest::Ended { lone, began, outcome } => {
                driver.machine.fly_lone(lone, began);
                driver.settle_one(lone.id, outcome).await?;
            }
        }
        driver.drive().await
    }
}
