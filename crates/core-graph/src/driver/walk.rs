//! Calls of subgraphs that nobody stores or reads, walked node by node.
//!
//! Most fan-outs to subgraphs are to nodes that follow each other. Such a call is no more than its state, the number of
//! its commits and the node that is next: it is walked in place, without a future of its own, for as long as its nodes
//! are ready. Whatever else comes up (a failure, a question, a fan-out, a join, a request to stop) is for a driver, whose
//! machine stands where the walk ended.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use crate::driver::attempt::{Attempt, judge, poll_node};
use crate::driver::cell::{Home, TaskCell};
use crate::driver::child::{Child, ChildEnd, EndedChild, Site};
use crate::driver::drive::Driver;
use crate::driver::flight::Call;
use crate::driver::lane::STEPS_A_TURN;
use crate::driver::runtime::context;
use crate::error::RunError;
use crate::graph::Persistence;
use crate::machine::{Lone, Onward, RouteFault, Stand, Stop, TaskOutcome, Triggered};
use crate::state::{Snapshot, State};
use crate::step::Next;

/// A call that is walked.
pub(super) struct Walk<'c, S: State, Cx> {
    site: Site<'c, S, Cx>,
    stand: Stand<S>,
    /// Made for the first task that takes a context.
    home: Option<Arc<Home>>,
}

/// A walk that is to go on later.
pub(crate) struct Paused<S: State, Cx> {
    stand: Stand<S>,
    home: Option<Arc<Home>>,
    halt: Halt<S, Cx>,
}

/// Where a walk stops, for a while or for good.
enum Halt<S: State, Cx> {
    /// Nothing is left to do.
    Done,
    /// A step was refused.
    Refused(Box<RunError>),
    /// Others have their turn before the node.
    Turn(u32),
    /// A task is not ready. On the heap, as all that is rare: what an attempt holds is large.
    Waiting(Box<Waiting<S, Cx>>),
    /// The rest is for a driver.
    Rest(Box<Rest<S>>),
}

/// A task that runs.
struct Waiting<S: State, Cx> {
    node: u32,
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
    pub(super) fn suits(site: &Site<'_, S, Cx>) -> bool {
        let session = site.scope.session();
        let is_unlimited = session.policy.budget.is_none() && session.policy.max_steps.is_none();
        session.is_silent()
            && is_unlimited
            && !session.calls.is_used()
            && site.graph.topology.is_walkable()
            && site.scope.persistence() == Persistence::PerCall
    }

    /// Begins the call: how it ended and how many tasks it has executed, or where it pauses.
    pub(super) fn begin(
        site: Site<'c, S, Cx>,
        input: S::Update,
        waker: &mut TaskContext<'_>,
    ) -> Result<(EndedChild<S>, u64), Paused<S, Cx>> {
        let (stand, onward) = match Stand::enter(&site.graph.topology, input) {
            Ok(entered) => entered,
            Err((state, error)) => return Ok((Err((state, *error)), 0)),
        };
        let mut walk = Self { site, stand, home: None };
        let halt = match walk.onward(onward) {
            Ok(node) if walk.is_simulated() => Halt::Turn(node),
            Ok(node) => walk.stride(node, waker),
            Err(halt) => halt,
        };
        match halt {
            Halt::Done => Ok((Ok(walk.stand.state), walk.stand.executed)),
            halt => Err(Paused { stand: walk.stand, home: walk.home, halt }),
        }
    }

    /// Goes on to the end.
    pub(super) async fn go_on(site: Site<'c, S, Cx>, paused: Paused<S, Cx>) -> Result<Child<S>, RunError> {
        let Paused { stand, home, mut halt } = paused;
        let mut walk = Self { site, stand, home };
        loop {
            halt = match halt {
                Halt::Done => return Ok(Child::of(ChildEnd::Done(walk.stand.state), walk.stand.executed)),
                Halt::Refused(error) => {
                    let Stand { state, executed, .. } = walk.stand;
                    return Ok(Child::of(ChildEnd::Failed { state, error: *error }, executed));
                }
                Halt::Turn(node) => {
                    walk.give_way(node).await;
                    poll_fn(|waker| Poll::Ready(walk.stride(node, waker))).await
                }
                Halt::Waiting(waiting) => {
                    let Waiting { node, began, attempt } = *waiting;
                    let outcome = Box::pin(attempt.finish_unless_cancelled(&site.scope.session().control)).await;
                    walk.settle(node, began, outcome).map_or_else(|halt| halt, Halt::Turn)
                }
                // A driver is large, and most walks do without.
                Halt::Rest(rest) => return Box::pin(walk.drive(*rest)).await,
            };
        }
    }

    fn is_simulated(&self) -> bool {
        self.site.scope.session().schedule.is_some()
    }

    /// Runs the node and those that follow it, as far as they are ready.
    fn stride(&mut self, node: u32, waker: &mut TaskContext<'_>) -> Halt<S, Cx> {
        let mut node = node;
        for _ in 0..if self.is_simulated() { 1 } else { STEPS_A_TURN } {
            match self.step(node, waker) {
                Ok(next) => node = next,
                Err(halt) => return halt,
            }
        }
        Halt::Turn(node)
    }

    /// Runs a task of the node, if it is ready, and commits its step; the node that follows it.
    #[inline]
    fn step(&mut self, node: u32, waker: &mut TaskContext<'_>) -> Result<u32, Halt<S, Cx>> {
        let Site { graph, resources, scope } = self.site;
        let session = scope.session();
        if session.control.reason().is_some() {
            return Err(Rest::Ahead(self.stand.task(node)).into());
        }
        let info = graph.topology.node(node);
        let began = if info.retry.is_empty() { 0 } else { session.clock.now() };
        let handler = graph.handlers[node as usize].function(false);
        let cell = handler.wants_context().then(|| self.cell(node, began));
        let context = cell.as_ref().map(|cell| context(cell, resources));
        let state = Snapshot::new(Arc::clone(&self.stand.state));
        if info.timeout.is_set() {
            let call = Call { handler: Arc::clone(handler), input: None, state, context };
            let attempt = Attempt::new(call, info.timeout, cell);
            return Err(Halt::Waiting(Box::new(Waiting { node, began, attempt })));
        }
        let mut running = None;
        let call = |waker: &mut TaskContext<'_>| handler.set_out(None, state, context, waker);
        let Poll::Ready(result) = poll_node(Some(call), &mut running, waker) else {
            let attempt = Attempt::begun(running, cell);
            return Err(Halt::Waiting(Box::new(Waiting { node, began, attempt })));
        };
        match result {
            Ok(step) if cell.as_deref().is_none_or(TaskCell::is_silent) && self.is_plain(&step.next) => {
                self.take(node, step.update, 0)
            }
            result => self.settle(node, began, judge(result, cell.as_deref())),
        }
    }

    /// Commits what a task left, if that is a plain step.
    fn settle(&mut self, node: u32, began: u64, outcome: TaskOutcome<S>) -> Result<u32, Halt<S, Cx>> {
        match outcome {
            TaskOutcome::Step(done) if done.heads.is_empty() && self.is_plain(&done.next) => {
                self.take(node, done.update, done.cost)
            }
            outcome => Err(Rest::Ended { lone: self.stand.task(node), began, outcome }.into()),
        }
    }

    /// Whether a step follows the edges of its node, and its commit does nothing else: that of a task with durable steps
    /// forgets their results.
    fn is_plain(&self, next: &Next) -> bool {
        matches!(next, Next::Edges) && self.home.as_ref().is_none_or(|home| !home.onces.is_used())
    }

    /// Commits a plain step.
    #[inline]
    fn take(&mut self, node: u32, update: Option<S::Update>, cost: u64) -> Result<u32, Halt<S, Cx>> {
        match self.stand.step(&self.site.graph.topology, node, update, cost) {
            Ok(onward) => self.onward(onward),
            Err(fault) => Err(self.refused(node, *fault)),
        }
    }

    fn refused(&self, node: u32, fault: RouteFault) -> Halt<S, Cx> {
        Halt::Refused(Box::new(match fault {
            RouteFault::Run(error) => error,
            RouteFault::Node(error) => {
                let (task, message) = (self.path(node).to_string(), error.to_string());
                let node = self.site.graph.topology.node(node).name.to_string();
                RunError::TaskFailed { node, task, attempts: 1, message }
            }
        }))
    }

    /// The node that follows, if a walk may run it.
    #[inline]
    fn onward(&self, onward: Onward) -> Result<u32, Halt<S, Cx>> {
        match onward {
            Onward::To(node) if self.site.graph.topology.is_step(node) => Ok(node),
            Onward::To(node) => Err(Rest::Ahead(self.stand.task(node)).into()),
            Onward::End => Err(Halt::Done),
            Onward::Fork(triggered) => Err(Rest::Fork(triggered).into()),
        }
    }

    /// The id of the task of the node that is next, or that has just run.
    fn path(&self, node: u32) -> Arc<str> {
        let Site { graph, scope, .. } = self.site;
        self.stand.task(node).id.path(scope.call(), graph.topology.node(node).name.as_str())
    }

    /// Lets others have their turn; in a simulation, until it is the node's, unless the run is cancelled.
    async fn give_way(&self, node: u32) {
        let session = self.site.scope.session();
        match &session.schedule {
            Some(schedule) => tokio::select! {
                biased;
                () = schedule.turn(self.path(node), 1) => {}
                () = session.control.cancelled() => {}
            },
            None => tokio::task::yield_now().await,
        }
    }

    /// The services of a task.
    fn cell(&mut self, node: u32, began: u64) -> Arc<TaskCell> {
        let Site { graph, scope, .. } = self.site;
        let home =
            self.home.get_or_insert_with(|| Arc::new(Home::of_call(scope.session(), scope.call(), &graph.topology)));
        let (info, steps) = (graph.topology.node(node), self.stand.steps());
        let cell = TaskCell::new(home, self.stand.task(node).id, info, None, 1, steps, began);
        Arc::new(if info.timeout.idle.is_some() { cell.watch_idle() } else { cell })
    }

    /// Goes on with a driver.
    async fn drive(self, rest: Rest<S>) -> Result<Child<S>, RunError> {
        let Self { site, stand, home } = self;
        let (session, call) = (Arc::clone(site.scope.session()), Arc::clone(site.scope.call()));
        let mut driver = Driver::new(site.runtime(), session, call, None, None)?;
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
